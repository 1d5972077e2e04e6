#ifndef LATITUDE_BENCH_EAGER_H
#define LATITUDE_BENCH_EAGER_H

#include <stdint.h>

#include "exchange.h"

/// S: the largest message, up to `most` bytes, whose send (LATE, LATE_ISEND or LATE_START) returns
/// although its receive is not posted yet, found by bisection. `most` if all sends return, 0 if
/// none does. After `until_ns` no further searches confirm S.
int64_t eager_limit(enum pattern pattern, int64_t most, int other, struct buffer* buffer,
                    int64_t until_ns);

#endif
