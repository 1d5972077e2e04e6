"""`latitude trace`: the run of a command under the tracer, and what it left."""
