#pragma once

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli) of the bytes after those that gave `before` (at first 0). The reader of
/// traces has its own, in C++ (core/trace/native/crc32c.hpp), which must not be in here.
uint32_t lat_crc32c(uint32_t before, const void* bytes, size_t size);
