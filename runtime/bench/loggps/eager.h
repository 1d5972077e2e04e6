#ifndef LATITUDE_BENCH_EAGER_H
#define LATITUDE_BENCH_EAGER_H

#include <stdint.h>

#include "exchange.h"

/// S: the largest message, up to `most` bytes, whose send (LATE or LATE_NB) returns although its
/// receiver has not posted the receive, found by bisection; `most` when all do, 0 when none does.
/// From `until_ns` on it is not confirmed by further searches.
int64_t eager_limit(enum pattern pattern, int64_t most, int other, struct buffer* buffer,
                    int64_t until_ns);

#endif
