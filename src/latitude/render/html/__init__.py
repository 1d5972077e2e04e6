"""Documents as self-contained HTML pages."""
