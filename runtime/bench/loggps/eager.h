#ifndef LATITUDE_BENCH_EAGER_H
#define LATITUDE_BENCH_EAGER_H

#include <stdint.h>

/// S: the largest message, up to `most` bytes, whose send returns although its receiver has not
/// posted the receive, found by bisection; `most` when all do, 0 when none does.
int64_t eager_limit(int64_t most, int other, char* buffer);

#endif
