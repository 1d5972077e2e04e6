#pragma once

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli) of the bytes after those that gave `before` (at first 0).
uint32_t lat_crc32c(uint32_t before, const void* bytes, size_t size);
