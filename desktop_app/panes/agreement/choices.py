"""What the commands need to know of the list of units."""

MOST_VALUES = 9
"""Number of values that have a key."""
