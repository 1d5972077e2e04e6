"""Background traffic on a cluster: b of the Slurm queue, locality, correlation, forecast.

The method is that of Salimi Beni and Cosenza, "An Analysis of Long-tailed Network Latency
Distribution and Background Traffic on Dragonfly+", Bench'22, cited as [B].
"""

from latitude.lab.cluster.jobs import QueuedJob
from latitude.lab.cluster.queue import read_queue
from latitude.lab.cluster.utilization import background

__all__ = ["QueuedJob", "background", "read_queue"]
