#ifndef LATITUDE_BENCH_OPERATIONS_H
#define LATITUDE_BENCH_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>

/// The timed operation. As in OSU's benchmarks, `bytes` is the size of the message in a rooted or
/// reducing operation. In other operations it is the size of the data that one rank sends to
/// another one. Rank 0 is the root; floats are added.
struct operation {
  const char* name;
  void (*run)(size_t bytes);
  bool wide;  ///< a rank's buffers hold a message for each rank
};

/// NULL if no operation has this name.
const struct operation* operation_named(const char* name);

/// Buffers for messages of `bytes`, with their pages.
void operations_prepare(const struct operation* operation, size_t bytes);
void operations_end(void);

/// The two ranks of the operation `pingpong`.
void pingpong_between(int first, int second);

#endif
