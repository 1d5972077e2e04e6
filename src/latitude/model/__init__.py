"""The network in the users' terms: LogGPS, links, topology, placement, varied parameters."""
