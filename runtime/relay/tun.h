#ifndef LATITUDE_RELAY_TUN_H
#define LATITUDE_RELAY_TUN_H

#include <stddef.h>
#include <sys/types.h>

/// A network device whose packets a program reads and writes.

/// Makes a device with this name, active, whose packets are read without waiting; −1: `why` names
/// the step that failed.
int lat_tun_open(const char* name, const char** why);
ssize_t lat_tun_take(int device, void* data, size_t room);
ssize_t lat_tun_give(int device, const void* data, size_t length);

#endif
