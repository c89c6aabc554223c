"""Measures used by several domains: intervals by resampling, coefficients of agreement. Pure functions."""
