#define _GNU_SOURCE
#include "tun.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/// Packets that may wait until this process runs; the kernel drops more.
enum { QUEUE = 20000 };

static int switch_on(struct ifreq* wanted) {
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0) return -1;
  wanted->ifr_qlen = QUEUE;
  int done = ioctl(any, SIOCSIFTXQLEN, wanted);
  if (done == 0) done = ioctl(any, SIOCGIFFLAGS, wanted);
  wanted->ifr_flags |= IFF_UP | IFF_RUNNING;
  if (done == 0) done = ioctl(any, SIOCSIFFLAGS, wanted);
  close(any);
  return done;
}

int lat_tun_open(const char* name, const char** why) {
  struct ifreq wanted = {0};
  *why = "/dev/net/tun cannot be opened";
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) return -1;
  // With the kernel's metadata before each packet, the kernel need not cut large packets, nor
  // compute checksums that are not needed.
  wanted.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR | IFF_TUN_EXCL;
  snprintf(wanted.ifr_name, sizeof wanted.ifr_name, "%s", name);
  *why = "the device cannot be made";
  if (ioctl(device, TUNSETIFF, &wanted) == 0) {
    *why = "the device cannot be switched on";
    ioctl(device, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6);  // smaller ones will do
    if (switch_on(&wanted) == 0) return device;
  }
  close(device);
  return -1;
}

ssize_t lat_tun_take(int device, void* data, size_t room) { return read(device, data, room); }

ssize_t lat_tun_give(int device, const void* data, size_t length) {
  return write(device, data, length);
}
