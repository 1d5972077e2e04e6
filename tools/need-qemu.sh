#!/usr/bin/env bash
# A machine with a RoCE device, emulated: QEMU, a kernel with soft-RoCE, and what runs there. The
# kernel is only unpacked, into build/guest: this machine boots its own.
set -euo pipefail
kernel=$(dirname "$0")/../build/guest/kernel
missing=()
for program in qemu-system-x86_64 busybox rdma ib_write_lat; do
  PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null || missing+=("$program")
done
[ -e "$kernel/boot" ] || missing+=("a kernel in build/guest")
if [ "${#missing[@]}" = 0 ]; then
  exit 0
fi
packages=(qemu-system-x86 busybox-static iproute2 perftest ibverbs-providers)
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing ${packages[*]} with apt-get, unpacking linux-image-amd64 (missing: ${missing[*]})"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}"
  image=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: *//p' | head -n 1)
  mkdir -p "$(dirname "$kernel")"
  cd "$(dirname "$kernel")"
  rm -rf kernel kernel.new ./*.deb
  apt-get download -qq -o APT::Sandbox::User=root "$image"
  dpkg-deb -x "$image"_*.deb kernel.new
  rm ./*.deb
  mv kernel.new kernel
else
  echo "missing: ${missing[*]}; install QEMU and perftest (Debian: ${packages[*]}), and unpack" \
    "linux-image-amd64 into build/guest/kernel" >&2
  exit 2
fi
