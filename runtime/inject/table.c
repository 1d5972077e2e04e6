#include "table.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_LENGTH = 512 };
/// 104 days: the package itself rejects larger values.
static const uint64_t LARGEST_NS = (uint64_t)1 << 53;

/// Appends the integers of a line; false if the line has anything else, or too many.
static bool numbers(const char* line, uint64_t values[LAT_TABLE_SIZE], int* count) {
  for (;;) {
    while (isspace((unsigned char)*line)) ++line;
    if (*line == '\0') return true;
    if (!isdigit((unsigned char)*line) || *count == LAT_TABLE_SIZE) return false;
    uint64_t value = 0;
    for (; isdigit((unsigned char)*line); ++line) {
      value = value * 10 + (uint64_t)(*line - '0');
      if (value > LARGEST_NS) return false;
    }
    if (*line && !isspace((unsigned char)*line)) return false;
    values[(*count)++] = value;
  }
}

static bool read_lines(FILE* file, const char* path, uint64_t values[LAT_TABLE_SIZE], char* why,
                       int room) {
  char line[LINE_LENGTH];
  int count = 0;
  for (int number = 1; fgets(line, sizeof line, file); ++number) {
    const bool whole = strchr(line, '\n') || feof(file);
    if (line[0] == '#') {
      while (!strchr(line, '\n') && fgets(line, sizeof line, file)) continue;
      continue;
    }
    if (whole && numbers(line, values, &count)) continue;
    snprintf(why, (size_t)room, "%s: line %d is none of a distribution table", path, number);
    return false;
  }
  if (count == LAT_TABLE_SIZE) return true;
  snprintf(why, (size_t)room, "%s: %d integers instead of %d", path, count, LAT_TABLE_SIZE);
  return false;
}

bool lat_table_read(const char* path, uint64_t values[LAT_TABLE_SIZE], char* why, int room) {
  FILE* file = fopen(path, "re");
  if (!file) {
    snprintf(why, (size_t)room, "%s: %s", path, strerror(errno));
    return false;
  }
  const bool good = read_lines(file, path, values, why, room);
  fclose(file);
  return good;
}

bool lat_seed_read(const char* path, uint64_t* seed, char* why, int room) {
  FILE* file = fopen(path, "re");
  if (!file) {
    snprintf(why, (size_t)room, "%s: %s", path, strerror(errno));
    return false;
  }
  const bool good = fscanf(file, "%" SCNu64, seed) == 1;
  fclose(file);
  if (!good) snprintf(why, (size_t)room, "%s: no integer", path);
  return good;
}
