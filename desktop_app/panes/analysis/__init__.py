"""The Analysis pane: comparison of real and proposed edits, review of links from responses, corpus statistics."""
