"""The C libraries that run inside a user's job: found, built against the user's MPI, preloaded."""
