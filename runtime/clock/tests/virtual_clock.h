#ifndef LATITUDE_VIRTUAL_CLOCK_H
#define LATITUDE_VIRTUAL_CLOCK_H

/// Time that passes only as a test says. Linked in the place of clock.c.
///
/// Ranks run side by side, each on a processor of its own. One of them runs at a time: always the
/// one that has got least far, so that nobody meets what another does later. All times are ns, and
/// what happens when depends on nothing but the test.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIRTUAL_MOST_RANKS = 16 };

/// Runs `body` as ranks 0 … count − 1, from time 0; returns when all of them have returned. Where
/// all wait for each other the process ends, saying so.
void virtual_run(int count, void (*body)(int rank));

/// The rank that runs, and how far it has got: the true time, whatever the clocks show.
int virtual_rank(void);
uint64_t virtual_now(void);

/// The rank is busy for so long, or until that moment.
void virtual_pass(uint64_t ns);
void virtual_pass_until(uint64_t moment);
/// The rank is kept from its processor for so long, as the kernel counts; by a hypervisor.
void virtual_keep(uint64_t ns);
void virtual_steal(uint64_t ns);

/// The rank waits until that moment, or until another one wakes it (no earlier than `moment`).
void virtual_wait(uint64_t moment);
void virtual_wake(int rank, uint64_t moment);

/// Called when another rank goes on.
extern void (*virtual_switched)(int rank);

// What clocks show, and take.

/// A rank's host: all ranks of one name read one clock. It shows 1 s and `ahead_ns` more than the
/// true time at first, and runs fast by so many ns per second.
void virtual_place(int rank, const char* host, int64_t ahead_ns, double fast_ns_per_s);

/// What one look at a clock takes; a rank that only looks must get on.
extern uint64_t virtual_look_ns;
/// Whether the kernel counts how long ranks are kept from their processors.
extern bool virtual_counts_waiting;
/// How much later than asked sleeps end.
extern uint64_t virtual_oversleep_ns;

/// From when on a descriptor is ready; UINT64_MAX: not yet. Wakes a rank that polls it.
void virtual_ready(int descriptor, uint64_t moment);

#endif
