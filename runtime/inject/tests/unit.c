// The injector's parts by themselves. Prints the errors; the exit status is their number.
//
//     unit TABLE                 all tests; TABLE holds 0 … 4095
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../clock/clock.h"
#include "../delay.h"
#include "../flow/arrival.h"
#include "../flow/heap.h"
#include "../random.h"
#include "../sketch.h"
#include "../table.h"
#include "expect.h"

static void random_numbers(void) {
  // Park, Miller and Stockmeyer's check: from 1, the 10,000th number is 399268537.
  uint32_t state = 1;
  for (int i = 0; i < 10000; ++i) state = lat_lcg_next(state);
  EXPECT(state == 399268537);
  EXPECT(lat_lcg_next(LAT_LCG_MODULUS - 1) == LAT_LCG_MODULUS - LAT_LCG_FACTOR);

  const uint32_t start = lat_lcg_start(7, 0, "node1", 0);
  EXPECT(start == lat_lcg_start(7, 0, "node1", 0));
  EXPECT(start != lat_lcg_start(8, 0, "node1", 0));
  EXPECT(start != lat_lcg_start(7, 1, "node1", 0));
  EXPECT(start != lat_lcg_start(7, 0, "node2", 0));
  EXPECT(start != lat_lcg_start(7, 0, "node1", 1));

  enum { DRAWS = 1000000 };
  static int seen[LAT_TABLE_SIZE];
  double following = 0;
  state = start;
  double before = 0.5;
  for (int i = 0; i < DRAWS; ++i) {
    state = lat_lcg_next(state);
    ++seen[state & (LAT_TABLE_SIZE - 1)];
    const double now = (state & (LAT_TABLE_SIZE - 1)) / (double)LAT_TABLE_SIZE;
    following += (now - 0.5) * (before - 0.5) * 12;
    before = now;
  }
  double distance = 0, share = 0;
  for (int i = 0; i < LAT_TABLE_SIZE; ++i) {
    share += seen[i] / (double)DRAWS;
    distance = fmax(distance, fabs(share - (i + 1) / (double)LAT_TABLE_SIZE));
  }
  EXPECT(distance * sqrt(DRAWS) < 1.63);        // Kolmogorov, 1 %
  EXPECT(fabs(following / sqrt(DRAWS)) < 3.3);  // lag-1 correlation, 0.1 %
}

static void tables(const char* path) {
  static uint64_t values[LAT_TABLE_SIZE];
  char why[256] = "";
  EXPECT(lat_table_read(path, values, why, sizeof why));
  EXPECT(values[0] == 0 && values[4095] == 4095);
  EXPECT(!lat_table_read("/proc/nowhere", values, why, sizeof why));
  EXPECT(strstr(why, "No such file"));

  char name[] = "/tmp/latitude-table-XXXXXX";
  const int file = mkstemp(name);
  FILE* stream = fdopen(file, "w");
  fputs("# unit: ns\n1 2 3 4 5 6 7 8\n", stream);
  fclose(stream);
  EXPECT(!lat_table_read(name, values, why, sizeof why));
  EXPECT(strstr(why, "8 integers instead of 4096"));
  stream = fopen(name, "w");
  fputs("1 2 -3 4 5 6 7 8\n", stream);
  fclose(stream);
  EXPECT(!lat_table_read(name, values, why, sizeof why));
  EXPECT(strstr(why, "line 1"));
  remove(name);
}

static void sketches(void) {
  EXPECT(lat_sketch_cell(0) == 0 && lat_sketch_cell(511) == 511);
  uint32_t before = 0;
  for (double ns = 1; ns < 9e15; ns *= 1.0007) {
    const uint32_t cell = lat_sketch_cell((uint64_t)ns);
    EXPECT(cell >= before && cell - before <= 1 + (ns < 2000) && cell < LAT_SKETCH_CELLS);
    before = cell;
  }
  EXPECT(lat_sketch_cell(UINT64_MAX) == LAT_SKETCH_CELLS - 1);
}

static struct lat_look looked(uint64_t ns) { return (struct lat_look){ns, ns}; }

static void arrivals(void) {
  struct lat_source source;
  lat_source_begin(&source, 3, true);
  EXPECT(lat_arrival(&source, 8, 1000, looked(0), 900000) == 1000);  // nothing is known
  EXPECT(lat_arrival(&source, 8, 1000000, looked(1003000), 1004000) ==
         1004000);  // took 4 µs, while polling
  EXPECT(lat_arrival(&source, 8, 2000000, looked(2003000), 2004500) == 2004000);  // between the two
  EXPECT(lat_arrival(&source, 8, 3000000, looked(3005000), 3006000) ==
         3005000);  // not before the poll
  EXPECT(lat_arrival(&source, 8, 4000000, looked(3900000), 6000000) ==
         4004000);  // polled 2 ms late
  EXPECT(lat_arrival(&source, 9999, 4000000, looked(3900000), 6000000) ==
         4004000);  // a message of another size
  // The last poll found a message, and left more: these had arrived 4 µs after they were sent.
  const struct lat_look found_more = {5000000, 6999000};
  EXPECT(lat_arrival(&source, 8, 6000000, found_more, 7000000) == 6004000);
  // The receiver slept until this message woke it.
  lat_source_begin(&source, 4, true);
  const struct lat_look slept = {1000000, 3029000};
  EXPECT(lat_arrival(&source, 8, 3000000, slept, 3030000) == 3030000);
  EXPECT(lat_arrival(&source, 8, 4000000, looked(3500000), 6000000) == 4030000);
  // The clocks of two nodes, an hour apart; the minimum expires if nothing comes for a while.
  const uint64_t hour = 3600000000000u;
  lat_source_begin(&source, 5, false);
  EXPECT(lat_arrival(&source, 8, hour + 1000000, looked(1003000), 1004000) == 1004000);
  EXPECT(lat_arrival(&source, 8, hour + 2000000, looked(1900000), 5000000) == 2004000);
  const uint64_t later = 10 * (uint64_t)LAT_TRANSIT_LIFE_NS;
  EXPECT(lat_arrival(&source, 8, hour + later, looked(later), later + 900000) == later + 900000);
}

static void words_of_ends(void) {
  struct lat_source peer;
  const uint64_t ms = 1000000;
  lat_source_begin(&peer, 3, true);
  // An operation takes 20 µs if the peer polls: both ways are added; if the peer polls late, the
  // way there passes in that time.
  EXPECT(lat_word_of_end(&peer, 99, 1 * ms, looked(1019000), 1020000, ms, 2 * ms) == 4020000);
  EXPECT(lat_word_of_end(&peer, 99, 10 * ms, looked(10419000), 10420000, ms, 2 * ms) == 13020000);
  EXPECT(lat_word_of_end(&peer, 99, 20 * ms, looked(24999000), 25 * ms, ms, 2 * ms) == 26999000);
  // The process that began the operation polled late: the operation was over before.
  EXPECT(lat_word_of_end(&peer, 99, 30 * ms, looked(30 * ms), 38 * ms, ms, 2 * ms) == 33020000);
  // Two operations at once follow each other.
  EXPECT(lat_word_of_end(&peer, 99, 50 * ms, looked(50019000), 50020000, ms, ms) == 52020000);
  EXPECT(lat_word_of_end(&peer, 99, 50 * ms, looked(50039000), 50040000, ms, ms) == 52040000);
}

static bool odd(const struct lat_message* message, const void* unused) {
  (void)unused;
  return message->due & 1;
}

static void heaps(void) {
  struct lat_heap heap = {0};
  uint32_t state = 1;
  for (uint64_t i = 0; i < 5000; ++i) {
    struct lat_message* message = calloc(1, sizeof *message);
    state = lat_lcg_next(state);
    message->due = state % 100;
    message->order = i;
    EXPECT(lat_heap_push(&heap, message));
  }
  lat_heap_drop(&heap, odd, NULL);
  uint64_t due = 0, order = 0;
  while (heap.count) {
    struct lat_message* message = lat_heap_pop(&heap);
    EXPECT(message->due % 2 == 0);
    EXPECT(message->due > due || (message->due == due && message->order >= order));
    due = message->due;
    order = message->order;
    free(message);
  }
  free(heap.items);
}

/// Busy waits end no earlier than requested. Their lateness, the least of many, is printed: the
/// reader of the output knows whether the machine is busy.
static void waits(void) {
  lat_clock_calibrate();
  for (uint64_t ns = 1000; ns <= 1000000; ns *= 10) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 20; ++i) {
      const uint64_t begin = lat_now_ns();
      lat_busy_wait(lat_ticks(), lat_ticks_of_ns(ns));
      const uint64_t took = lat_now_ns() - begin;
      if (took < least) least = took;
    }
    EXPECT(least + 100 > ns);
    printf("wait of %lu: %lu ns\n", (unsigned long)ns, (unsigned long)least);
  }
}

/// A draw and a lookup, many times: ns per pair.
static void speed(void) {
  static uint64_t table[LAT_TABLE_SIZE];
  lat_delay_table = table;
  double least = 1e9;
  for (int round = 0; round < 50; ++round) {
    enum { DRAWS = 20000 };
    const uint64_t begin = lat_now_ns();
    uint64_t sum = 0;
    for (int i = 0; i < DRAWS; ++i) sum += lat_delay_next();
    EXPECT(sum == 0);
    least = fmin(least, (double)(lat_now_ns() - begin) / DRAWS);
  }
  printf("draw and lookup: %.2f ns\n", least);
}

int main(int count, char** words) {
  if (count != 2) return 2;
  random_numbers();
  tables(words[1]);
  sketches();
  arrivals();
  words_of_ends();
  heaps();
  waits();
  speed();
  return faults;
}
