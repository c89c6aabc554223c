"""Measures that several domains take: intervals by resampling, coefficients of agreement. Pure."""
