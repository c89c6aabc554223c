"""Generated PDFs that conceal text, one module for each family of techniques, and honest PDFs that resemble them."""
