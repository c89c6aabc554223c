"""Work packages: assigning work to people, importing what they return, and merging it."""
