"""`latitude trace`: runs a command under the tracer, and describes the trace."""
