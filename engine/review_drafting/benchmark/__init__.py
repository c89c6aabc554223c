"""ReviewBench on one's own reviews: rubrics made for each paper, scores by checks, by a language model, or by hand.

Nothing in here is read by the stages that draft: a draft made with the rubric it is judged by would measure nothing.
"""
