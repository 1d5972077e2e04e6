"""An emulated machine with a soft-RoCE device, for tests of what needs one.

QEMU boots Debian's kernel with a small first file system (initramfs.py, init). It mounts this
machine's files, read-only and with a layer of its own memory above, gets an RDMA device, and runs
inside.py, which runs what it is told and writes what came of it to the second serial port.
"""
