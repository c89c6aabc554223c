"""The Labels pane: suggestions and decisions on every sentence of every review."""
