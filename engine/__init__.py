"""The engine of Rejoinder, without any window. Importing it turns off whatever in its libraries could use a network."""

from engine import offline

offline.apply()
