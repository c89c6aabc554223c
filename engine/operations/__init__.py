"""Verbs that concern more than one domain: each says beforehand what it affects, and is called by window and shell."""
