"""Import and export formats, one module each: readers return records, writers return bytes and what they leave out."""
