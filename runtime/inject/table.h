#ifndef LATITUDE_INJECT_TABLE_H
#define LATITUDE_INJECT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum { LAT_TABLE_SIZE = 4096 };

/// Reads a distribution table (docs/reference/tables.md): 4,096 integers, ns, after lines with #.
/// False if the file does not exist, or is not a table; `why` (of `room` bytes) then has the
/// reason.
bool lat_table_read(const char* path, uint64_t values[LAT_TABLE_SIZE], char* why, int room);

/// Reads a seed file: one integer.
bool lat_seed_read(const char* path, uint64_t* seed, char* why, int room);

#endif
