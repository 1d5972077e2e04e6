"""Background traffic on a cluster: b of the Slurm queue, locality, correlation, forecast.

After Salimi Beni and Cosenza, "An Analysis of Long-tailed Network Latency Distribution and
Background Traffic on Dragonfly+", Bench'22, cited as [B].
"""

from latitude.background.jobs import Job
from latitude.background.queue import read_queue
from latitude.background.utilization import Background, background

__all__ = ["Background", "Job", "background", "read_queue"]
