#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/clock.h"
#include "../common/job.h"
#include "eager.h"

enum {
  MESSAGES = 16,    // n of STREAM
  DELAYED = 9,      // n of SENDS
  WARM = 3,         // times that a new test runs before its block counts
  LEAST_TIMES = 1,  // a block
  MOST_TIMES = 100,
  IN_A_ROW = 20,        // times before a check whether the block has lasted too long
  BLOCK_NS = 10000000,  // intended duration
  PAUSE_NS = 10000,     // shortest pause
  MOST_VALUES = 20000,
};
static const double NORMAL_95 = 1.96;
static const double FINEST_NS = 2;  // clocks have no finer resolution

static void add(struct plan* plan, enum pattern pattern, int64_t bytes, int64_t messages) {
  for (size_t i = 0; i < plan->count; ++i) {
    const struct exchange* known = &plan->tests[i].what;
    if (known->pattern == (int64_t)pattern && known->bytes == bytes) return;
  }
  plan->tests = realloc(plan->tests, (plan->count + 1) * sizeof *plan->tests);
  if (!plan->tests) bench_fail("no memory for %zu tests", plan->count + 1);
  plan->tests[plan->count++] = (struct test){
      .what = {.pattern = pattern, .bytes = bytes, .messages = messages},
  };
}

/// The overheads and the gap of a size; a send that waits for its receiver has no overhead of its
/// own.
static void add_costs(struct plan* plan, int64_t bytes) {
  if (bytes > plan->eager) return;
  add(plan, STREAM, bytes, MESSAGES);
  add(plan, SENDS, bytes, DELAYED);
  add(plan, RECVS, bytes, 1);
}

/// Adds the tests of all sizes: powers of two and the middles between them; both sides of S, so
/// that each protocol is measured up to its limit; the user's own size.
static void fill(struct plan* plan, const struct wishes* wishes) {
  for (int64_t bytes = 1; bytes <= wishes->most_bytes; bytes *= 2) {
    add(plan, PING, bytes, 1);
    if (bytes >= 2 && bytes / 2 * 3 <= wishes->most_bytes) add(plan, PING, bytes / 2 * 3, 1);
  }
  for (int64_t bytes = 1; bytes <= plan->eager; bytes *= 4) add_costs(plan, bytes);
  if (plan->eager > 0) {
    add(plan, PING, plan->eager, 1);
    add_costs(plan, plan->eager);
  }
  if (plan->eager < wishes->most_bytes) add(plan, PING, plan->eager + 1, 1);
  for (int64_t bytes = 1; bytes <= wishes->most_bytes; bytes *= 2) {
    if (bytes > plan->eager) add(plan, HELD, bytes, 1);
  }
  if (wishes->size > 0) {
    add(plan, PING, wishes->size, 1);
    add_costs(plan, wishes->size);
  }
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/// Whether the 95 % interval of a quantile is narrow enough, from the order statistics: their ranks
/// are binomial.
static bool precise(const double* values, size_t count, const struct wishes* wishes) {
  double* sorted = bench_allocate(count, sizeof *sorted);
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, ascending);
  const double n = (double)count, q = wishes->quantile;
  const double spread = NORMAL_95 * sqrt(n * q * (1 - q)) + 1;
  const double low = fmax(n * q - spread, 0), high = fmin(n * q + spread, n - 1);
  const double half = (sorted[(size_t)high] - sorted[(size_t)low]) / 2;
  const double value = sorted[(size_t)(n * q)];
  free(sorted);
  return half <= fmax(wishes->precision * value, FINEST_NS);
}

/// Sets a pause in which every message of the pattern arrives, and the number of repetitions.
static void prepare(struct test* test, int other, struct buffer* buffer) {
  double half[WARM];
  struct exchange ping = {.pattern = PING, .bytes = test->what.bytes, .messages = 1, .times = WARM};
  exchange_lead(&ping, other, buffer, half);
  const double round_trip = 2 * fmin(half[1], half[2]);
  double once = round_trip;
  if (test->what.pattern == STREAM) once *= MESSAGES;
  if (test->what.pattern == SENDS) {
    test->what.pause_ns = PAUSE_NS + (int64_t)round_trip;
    once = DELAYED * (double)(test->what.pause_ns + PAUSE_NS);
  }
  if (test->what.pattern == RECVS) {
    test->what.pause_ns = PAUSE_NS + (int64_t)(2 * round_trip);
    once = (double)test->what.pause_ns + round_trip;
  }
  test->what.times = (int64_t)fmax(LEAST_TIMES, fmin(MOST_TIMES, BLOCK_NS / once));
}

static void run(struct test* test, int other, struct buffer* buffer) {
  const size_t each = exchange_values(&test->what);
  const size_t most = test->count + (size_t)test->what.times * each;
  if (most > test->room) {
    test->room = 2 * most;
    test->values = realloc(test->values, test->room * sizeof *test->values);
    if (!test->values) bench_fail("no memory for %zu values", test->room);
  }
  const int64_t end = now_ns() + BLOCK_NS;  // on a busy node everything takes far longer
  const size_t before = test->count;
  int64_t left = test->what.times;
  while (left > 0 && (left == test->what.times || now_ns() < end)) {
    struct exchange some = test->what;
    some.times = left < IN_A_ROW ? left : IN_A_ROW;
    exchange_lead(&some, other, buffer, test->values + test->count);
    test->count += (size_t)some.times * each;
    left -= some.times;
  }
  test->rounds = realloc(test->rounds, (test->rounds_count + 1) * sizeof *test->rounds);
  if (!test->rounds) bench_fail("no memory for %zu rounds", test->rounds_count + 1);
  test->rounds[test->rounds_count++] = (double)(test->count - before);
}

static void warm(const struct test* test, int other, struct buffer* buffer) {
  double values[WARM * DELAYED];
  struct exchange what = test->what;
  what.times = WARM;
  exchange_lead(&what, other, buffer, values);
}

/// Runs each test in a block of its own, so that a disturbance affects many tests a little, instead
/// of one test fully.
static void round_of(struct plan* plan, const struct wishes* wishes, int other,
                     struct buffer* buffer) {
  plan->imprecise = 0;
  for (size_t i = 0; i < plan->count; ++i) {
    struct test* test = &plan->tests[i];
    if (test->precise) continue;
    if (plan->rounds == 0) {
      prepare(test, other, buffer);
      warm(test, other, buffer);
    }
    run(test, other, buffer);
    test->precise = plan->rounds + 1 >= wishes->least_rounds &&
                    (precise(test->values, test->count, wishes) || test->count >= MOST_VALUES);
    plan->imprecise += !test->precise;
  }
  ++plan->rounds;
}

struct plan plan_measured(const struct wishes* wishes, int other, struct buffer* buffer) {
  const int64_t start = now_ns(), until = start + (int64_t)wishes->budget_ns;
  struct plan plan = {
      .eager = eager_limit(LATE, wishes->most_bytes, other, buffer, until),
      .eager_isend = eager_limit(LATE_ISEND, wishes->most_bytes, other, buffer, until),
      .eager_start = eager_limit(LATE_START, wishes->most_bytes, other, buffer, until),
  };
  fill(&plan, wishes);
  do {
    round_of(&plan, wishes, other, buffer);
    plan.seconds = (double)(now_ns() - start) * 1e-9;
  } while (plan.imprecise > 0 && plan.seconds * 1e9 < wishes->budget_ns);
  const struct exchange stop = {.pattern = STOP};
  exchange_lead(&stop, other, buffer, NULL);
  return plan;
}

void plan_free(struct plan* plan) {
  for (size_t i = 0; i < plan->count; ++i) {
    free(plan->tests[i].values);
    free(plan->tests[i].rounds);
  }
  free(plan->tests);
}
