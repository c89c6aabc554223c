"""ReviewBench on one's own reviews: rubrics for each paper, scored by checks, a language model, or people.

The stages that draft never read any of this: a draft made with the rubric that it is judged by would measure nothing.
"""
