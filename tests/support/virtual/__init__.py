"""Programs of runtime/ in which time passes only as a test says."""
