#pragma once

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli) of the bytes after those with the checksum `before` (at first 0). The
/// reader of traces has its own implementation in C++ (core/trace/native/crc32c.hpp), which cannot
/// be used here.
uint32_t lat_crc32c(uint32_t before, const void* bytes, size_t size);
