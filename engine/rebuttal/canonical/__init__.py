"""Records of canonical rebuttals: scored candidates, descriptions of clusters, and answers to reviews.

The tasks are those of Purkayastha, Lauscher and Gurevych (2023), section 5.
"""
