"""Finds, builds and preloads the C libraries that run inside a user's job."""
