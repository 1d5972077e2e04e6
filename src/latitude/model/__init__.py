"""The network as users describe it: LogGPS, links, topology, placement, what is varied."""
