"""A job of PyTorch over gloo, started by mpirun: `gloo_job.py ADDRESS STEPS LAYERS [FOLDER]`.

Trains a small network with DistributedDataParallel. Prints the median time of a step and the
latency from host to host in ns. With a FOLDER it profiles the steps instead, and each rank writes
its trace into that folder.
Debian's PyTorch is built without Kineto, so the job writes Kineto's form from what the profiler
hands over.
"""

import json
import os
import socket
import sys
import time
from pathlib import Path
from statistics import median

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile

WIDTH = 40
WARM = 3
TRIPS = 40

address, steps, layers, *folder = sys.argv[1:]
rank, world = (int(os.environ[f"OMPI_COMM_WORLD_{what}"]) for what in ("RANK", "SIZE"))
torch.set_num_threads(1)


def latency_ns() -> float:
    """Half of the median round trip between ranks 0 and 1; 0 on other ranks."""
    host, port = address.split(":")
    place = (host, int(port) + 1)
    server = socket.create_server(place) if rank == 0 else None
    dist.barrier()
    if rank > 1:
        return 0.0
    took = []
    with server.accept()[0] if server else socket.create_connection(place) as other:
        other.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(TRIPS):
            begin = time.perf_counter_ns()
            if rank == 0:
                other.sendall(b"?")
            other.recv(1)
            if rank == 1:
                other.sendall(b"!")
            took.append(time.perf_counter_ns() - begin)
    return median(took) / 2


def give_way() -> None:
    """Lets gloo's thread have the core only while nothing else of this rank wants it.

    The thread spins while it has data for which its rank has not yet asked. A rank here has one
    core, so the thread would delay the very computation that ends with that request, by up to two
    of the kernel's slices of 4 ms, and only where there is no latency.
    """
    for thread in Path("/proc/self/task").iterdir():
        if "epoll" in (thread / "wchan").read_text():
            os.setpriority(os.PRIO_PROCESS, int(thread.name), 19)


dist.init_process_group("gloo", init_method=f"tcp://{address}", rank=rank, world_size=world)
latency = latency_ns()
give_way()
dist._DEFAULT_FIRST_BUCKET_BYTES = 4 * WIDTH * WIDTH  # noqa: SLF001 - there is no option
network = nn.Sequential(*(nn.Linear(WIDTH, WIDTH) for _ in range(int(layers))))
# A bucket of the size of one layer: its gradients are summed while the others are computed.
model = DistributedDataParallel(network, bucket_cap_mb=4 * WIDTH * WIDTH / 2**20)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.ones(8, WIDTH)


def step() -> None:
    """One training step."""
    optimizer.zero_grad()
    model(data).square().sum().backward()
    optimizer.step()


for _ in range(WARM):
    step()
if folder:
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
        for _ in range(int(steps)):
            step()
    events = [
        {
            "ph": "X",
            "cat": "cpu_op",
            "name": each.name,
            "pid": rank,
            "tid": each.thread,
            "ts": each.time_range.start,
            "dur": each.time_range.end - each.time_range.start,
            "args": {
                "Input Dims": each.input_shapes,
                "Input type": ["float"] * len(each.input_shapes),
            },
        }
        for each in recorded.events()
    ]
    of = {"rank": rank, "world_size": world, "backend": "gloo"}
    trace = {"schemaVersion": 1, "distributedInfo": of, "traceEvents": events}
    with open(f"{folder[0]}/rank{rank}.json", "w") as file:  # noqa: PTH123 - Python of the machine
        json.dump(trace, file)
else:
    took = []
    for _ in range(int(steps)):
        begin = time.perf_counter_ns()
        step()
        took.append(time.perf_counter_ns() - begin)
    if rank == 0:
        print(round(median(took)), round(latency))  # noqa: T201 - the answer
dist.barrier()
