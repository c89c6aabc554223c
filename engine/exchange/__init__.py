"""Outside formats, one module each: what comes in as records, what goes out as bytes, and what is lost on the way."""
