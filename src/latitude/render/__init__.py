"""Results for people: one document per result, shown as a page, on the terminal, or as CSV."""
