#ifndef LATITUDE_BENCH_EXCHANGE_H
#define LATITUDE_BENCH_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

/// The exchanges of the two ranks of a pair; the first of them leads and reads the clock. The first
/// three are PRTT(n, d, s) of Hoefler et al., "LogGP in Theory and Practice" (2009): n messages of
/// s bytes one way, d apart, and one message back.
enum pattern {
  PING,        ///< PRTT(1, 0, s) / 2: half a round trip
  STREAM,      ///< PRTT(n, 0, s): n messages one way as fast as possible, one back
  SENDS,       ///< PRTT(n, d, s): CPU time of each send, and PRTT less its pauses
  RECVS,       ///< CPU time of a receive whose message has arrived
  HELD,        ///< duration of a send whose receiver already waits, as in a rendezvous
  LATE,        ///< duration of a send whose receive is posted only after a pause
  LATE_ISEND,  ///< as LATE, for MPI_Isend and MPI_Wait, which libraries may treat differently
  LATE_START,  ///< the same for MPI_Start and MPI_Wait
  STOP,        ///< releases the following rank
};

/// One pattern with its numbers, as the leader sends it to the other rank.
struct exchange {
  int64_t pattern;
  int64_t bytes;
  int64_t messages;  ///< n
  int64_t pause_ns;  ///< d
  int64_t times;     ///< number of repetitions
};

/// Number of values, ns, that one repetition of an exchange gives: for SENDS one for each of the n
/// - 1 sends after a pause, then PRTT(n, d, s) less the actual pauses; for the other patterns one.
size_t exchange_values(const struct exchange* what);

/// The leader's side: informs the other rank, takes part, and fills `values`.
void exchange_lead(const struct exchange* what, int other, struct buffer* buffer, double* values);

/// The other rank's side, until STOP. `buffer` has room for the largest message.
void exchange_follow(int leader, struct buffer* buffer);

/// Cost of a clock reading, measured once; subtracted from each interval between two readings.
extern double exchange_clock_ns;

#endif
