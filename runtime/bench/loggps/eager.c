#include "eager.h"

#include <stdbool.h>

#include "../common/clock.h"
#include "exchange.h"

enum { TRIES = 5, WARM = 2, SEARCHES = 4, SLACK_NS = 200000, ROUND_TRIPS = 4 };

/// The median of several times: a rank that loses its core for a while makes single times too long
/// or too short.
static double typical(struct exchange what, int other, struct buffer* buffer) {
  double values[TRIES];
  what.times = TRIES;
  exchange_lead(&what, other, buffer, values);
  for (int i = 1; i < TRIES; ++i) {
    for (int j = i; j > 0 && values[j] < values[j - 1]; --j) {
      const double larger = values[j - 1];
      values[j - 1] = values[j];
      values[j] = larger;
    }
  }
  return values[TRIES / 2];
}

/// Whether a send waits for a receive that is posted late. The pause is a multiple of the message's
/// time with an early receive, so copying cannot be mistaken for waiting.
static bool waits(enum pattern pattern, int64_t bytes, int other, struct buffer* buffer) {
  const struct exchange ping = {.pattern = PING, .bytes = bytes, .messages = 1};
  const double pause = SLACK_NS + 2 * ROUND_TRIPS * typical(ping, other, buffer);
  const struct exchange late = {
      .pattern = pattern, .bytes = bytes, .messages = 1, .pause_ns = (int64_t)pause};
  return typical(late, other, buffer) > pause / 2;
}

static int64_t search(enum pattern pattern, int64_t most, int other, struct buffer* buffer) {
  int64_t low = 0, high = most;  // `low` does not wait, `high` does
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (waits(pattern, middle, other, buffer)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

/// Measures both sides of the limit once more, because one wrong step misleads a bisection.
static bool confirmed(enum pattern pattern, int64_t limit, int other, struct buffer* buffer) {
  return (limit == 0 || !waits(pattern, limit, other, buffer)) &&
         waits(pattern, limit + 1, other, buffer);
}

int64_t eager_limit(enum pattern pattern, int64_t most, int other, struct buffer* buffer,
                    int64_t until_ns) {
  for (int i = 0; i < WARM; ++i) waits(pattern, 1, other, buffer);  // connections are made
  if (!waits(pattern, most, other, buffer) && !waits(pattern, most, other, buffer)) return most;
  int64_t limit = search(pattern, most, other, buffer);
  for (int again = 1;
       again < SEARCHES && now_ns() < until_ns && !confirmed(pattern, limit, other, buffer);
       ++again) {
    limit = search(pattern, most, other, buffer);
  }
  return limit;
}
