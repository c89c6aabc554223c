"""The engine of Rejoinder, without a user interface. Importing it disables whatever in its libraries could use a
network."""

from engine import offline

offline.apply()
