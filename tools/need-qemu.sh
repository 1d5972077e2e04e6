#!/usr/bin/env bash
# A machine with a RoCE device, emulated: QEMU, a kernel with soft-RoCE, and what runs there. The
# kernel is only unpacked, into build/guest: this machine boots its own.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
PATH="$PATH:/usr/sbin:/sbin"
kernel=$(dirname "$0")/../build/guest/kernel
need_programs qemu-system-x86_64 busybox rdma ib_write_lat
[ -e "$kernel/boot" ] || missing+=("linux-image-amd64, unpacked into build/guest/kernel")
[ "${#missing[@]}" -gt 0 ] || exit 0
apt_install qemu-system-x86 busybox-static iproute2 perftest ibverbs-providers
image=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: *//p' | head -n 1)
mkdir -p "$(dirname "$kernel")"
cd "$(dirname "$kernel")"
rm -rf kernel kernel.new ./*.deb
apt-get download -qq -o APT::Sandbox::User=root "$image"
dpkg-deb -x "$image"_*.deb kernel.new
rm ./*.deb
mv kernel.new kernel
