#ifndef LATITUDE_INJECT_SKETCH_H
#define LATITUDE_INJECT_SKETCH_H

#include <stdint.h>

/// Counts and sums of times in logarithmic cells: 256 cells per octave, so a cell is at most 0.4 %
/// wide; below 512 ns each ns is a cell. Cells of two sketches add up, and so merge them.
enum {
  LAT_SKETCH_BITS = 8,
  LAT_SKETCH_OCTAVES = 45,  // up to 2⁵³ ns, more than any table has
  LAT_SKETCH_CELLS = (LAT_SKETCH_OCTAVES + 1) << LAT_SKETCH_BITS
};

struct lat_cell {
  uint64_t count;
  uint64_t sum_ns;
};

static inline uint32_t lat_sketch_cell(uint64_t ns) {
  if (ns >> LAT_SKETCH_BITS == 0) return (uint32_t)ns;
  const int shift = 63 - LAT_SKETCH_BITS - __builtin_clzll(ns);
  if (shift >= LAT_SKETCH_OCTAVES) return LAT_SKETCH_CELLS - 1;
  // The leading bit of the mantissa is 1 and becomes one octave more.
  return (uint32_t)(((uint64_t)shift << LAT_SKETCH_BITS) + (ns >> shift));
}

static inline void lat_sketch_add(struct lat_cell* cells, uint64_t ns) {
  struct lat_cell* cell = &cells[lat_sketch_cell(ns)];
  __atomic_fetch_add(&cell->count, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&cell->sum_ns, ns, __ATOMIC_RELAXED);
}

#endif
