// Prints the results of the bench programs' parts; test_measure_parts.py judges them.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../load/mt19937.h"
#include "../load/pairs.h"
#include "../loggps/buffer.h"
#include "../nodes/rounds.h"
#include "../samples/precision.h"

/// mt SEED N: the first N numbers.
static void twister(uint32_t seed, int count) {
  struct mt19937 state;
  mt19937_seed(&state, seed);
  for (int i = 0; i < count; ++i) printf("%" PRIu32 "\n", mt19937_next(&state));
}

/// gaps SEED N MEAN: exponential numbers.
static void gaps(uint32_t seed, int count, double mean) {
  struct mt19937 state;
  mt19937_seed(&state, seed);
  for (int i = 0; i < count; ++i) printf("%.17g\n", mt19937_exponential(&state, mean));
}

/// rounds N: one line per round: partner and place of each player.
static void rounds(int players) {
  for (int round = 0; round < rounds_of(players); ++round) {
    for (int player = 0; player < players; ++player) {
      const int partner = round_partner(players, round, player);
      printf("%d:%d ", partner, partner < 0 ? -1 : round_place(players, round, player));
    }
    printf("\n");
  }
}

/// pairs NODE…: the node of each rank; one line per rank: sends, receives, partner.
static void pairs(int ranks, char** words) {
  struct job job = {.ranks = ranks, .node = malloc((size_t)ranks * sizeof(int))};
  for (int rank = 0; rank < ranks; ++rank) {
    job.node[rank] = atoi(words[rank]);
    if (job.node[rank] >= job.nodes) job.nodes = job.node[rank] + 1;
  }
  for (int rank = 0; rank < ranks; ++rank) {
    const struct pair pair = pair_of(&job, rank);
    printf("%d %d %d\n", pair.sends, pair.receives, pair.partner);
  }
  free(job.node);
}

/// precision VALUE…
static void precision(int count, char** words) {
  double* values = malloc((size_t)count * sizeof *values);
  for (int i = 0; i < count; ++i) values[i] = atof(words[i]);
  printf("%.17g\n", median_precision(values, (size_t)count));
  free(values);
}

/// places COLD BYTES N: the room, and the place of each of N messages in it.
static void places(bool cold, int64_t bytes, int count) {
  struct buffer buffer = buffer_made(bytes, cold);
  printf("%zu\n", buffer.room);
  for (int i = 0; i < count; ++i) printf("%td\n", buffer_place(&buffer, bytes) - buffer.base);
  buffer_free(&buffer);
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const char* what = words[1];
  if (strcmp(what, "mt") == 0) twister((uint32_t)strtoul(words[2], NULL, 10), atoi(words[3]));
  if (strcmp(what, "gaps") == 0) {
    gaps((uint32_t)strtoul(words[2], NULL, 10), atoi(words[3]), atof(words[4]));
  }
  if (strcmp(what, "rounds") == 0) rounds(atoi(words[2]));
  if (strcmp(what, "pairs") == 0) pairs(count - 2, words + 2);
  if (strcmp(what, "places") == 0) places(atoi(words[2]), atoll(words[3]), atoi(words[4]));
  if (strcmp(what, "precision") == 0) precision(count - 2, words + 2);
  return 0;
}
