"""The desktop application. ``engine`` comes first: importing it turns off what could use a network."""

import engine  # noqa: F401
