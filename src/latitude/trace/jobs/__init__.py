"""Jobs: operations on threads and GPU streams, with collectives between ranks."""
