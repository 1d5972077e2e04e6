#ifndef LATITUDE_BENCH_EXCHANGE_H
#define LATITUDE_BENCH_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

/// What the two ranks of a pair do together; the first of them leads and looks at the clock. The
/// first three are PRTT(n, d, s) of Hoefler et al., "LogGP in Theory and Practice" (2009): n
/// messages of s bytes one way, d apart, and one back.
enum pattern {
  PING,        ///< PRTT(1, 0, s) / 2: half a round trip
  STREAM,      ///< PRTT(n, 0, s): n messages one way as fast as they go, one back
  SENDS,       ///< PRTT(n, d, s): how long each send takes the CPU, and the whole less its pauses
  RECVS,       ///< how long a receive takes the CPU whose message has arrived
  HELD,        ///< how long a send takes whose receiver waits already, as it does for a rendezvous
  LATE,        ///< how long a send takes whose receive is posted only after a pause
  LATE_ISEND,  ///< the same of MPI_Isend and MPI_Wait: libraries may treat it otherwise
  LATE_START,  ///< and of MPI_Start and MPI_Wait
  STOP,        ///< the one who follows is released
};

/// One pattern with its numbers, as the leader tells it to the other rank.
struct exchange {
  int64_t pattern;
  int64_t bytes;
  int64_t messages;  ///< n
  int64_t pause_ns;  ///< d
  int64_t times;     ///< how often in a row
};

/// Values an exchange gives each time, all in ns: of SENDS one for each of the n - 1 sends that
/// follow a pause, then PRTT(n, d, s) less the pauses as they were; of the others one.
size_t exchange_values(const struct exchange* what);

/// The leader's side: tells the other rank, takes part, fills `values`.
void exchange_lead(const struct exchange* what, int other, struct buffer* buffer, double* values);

/// The other's side, until STOP. `buffer` has room for the largest message.
void exchange_follow(int leader, struct buffer* buffer);

/// Measured once: subtracted from each interval between two looks at the clock.
extern double exchange_clock_ns;

#endif
