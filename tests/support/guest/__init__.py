"""An emulated machine with a soft-RoCE device, for tests of what needs one.

QEMU boots Debian's kernel with a small first file system (initramfs.py, init). It mounts this
machine's files, read-only and with a layer of its own memory above, and gets an RDMA device. Then
it runs inside.py, which runs its steps and writes their outcomes to the second serial port.
"""
