"""Results for people: one document per result, as a page, on the terminal, as CSV."""
