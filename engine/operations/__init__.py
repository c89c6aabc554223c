"""Operations on several domains: each states beforehand what it affects; used by the window and the command line."""
