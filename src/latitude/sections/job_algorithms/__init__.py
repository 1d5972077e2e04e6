"""A section of an analysis (`latitude.sections`)."""
