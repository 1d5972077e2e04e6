#ifndef LATITUDE_VIRTUAL_CLOCK_H
#define LATITUDE_VIRTUAL_CLOCK_H

/// Time that passes only as a test sets it. Link it in place of clock.c.
///
/// Ranks run in parallel, each on a processor of its own. One of them runs at a time: always the
/// one that is furthest behind, so that no rank meets a later action of another one. All times are
/// ns, and the time of each event depends only on the test.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIRTUAL_MOST_RANKS = 16 };

/// Runs `body` as ranks 0 … count − 1, from time 0; returns when all of them have returned. If all
/// wait for each other, the process ends with a message.
void virtual_run(int count, void (*body)(int rank));

/// The running rank, and its progress: the true time, whatever its clocks show.
int virtual_rank(void);
uint64_t virtual_now(void);

/// Keeps the rank busy for this time, or until that moment.
void virtual_pass(uint64_t ns);
void virtual_pass_until(uint64_t moment);
/// Keeps the rank from its processor for this time: in the kernel's statistics; by a hypervisor.
void virtual_keep(uint64_t ns);
void virtual_steal(uint64_t ns);

/// Makes the rank wait until that moment, or until another rank wakes it (no earlier than
/// `moment`).
void virtual_wait(uint64_t moment);
void virtual_wake(int rank, uint64_t moment);

/// Called when another rank continues.
extern void (*virtual_switched)(int rank);

// Values and costs of clocks.

/// A rank's host: all ranks with one host name read one clock. It shows 1 s and `ahead_ns` more
/// than the true time at first, and runs fast by this number of ns per second.
void virtual_place(int rank, const char* host, int64_t ahead_ns, double fast_ns_per_s);

/// The cost of one reading of a clock; a rank that only reads clocks must still advance.
extern uint64_t virtual_look_ns;
/// Whether the kernel counts the time for which ranks are kept from their processors.
extern bool virtual_counts_waiting;
/// The time by which sleeps end later than requested.
extern uint64_t virtual_oversleep_ns;

/// The time from which a descriptor is ready; UINT64_MAX: not yet. Wakes a rank that polls it.
void virtual_ready(int descriptor, uint64_t moment);

#endif
