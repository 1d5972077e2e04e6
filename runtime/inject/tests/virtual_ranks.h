#ifndef LATITUDE_VIRTUAL_RANKS_H
#define LATITUDE_VIRTUAL_RANKS_H

#include <stdbool.h>
#include <stdint.h>

/// The common parts of programs of ranks in virtual time: their command lines, and an injector for
/// each rank.
///
///     PROGRAM WORD=VALUE… -- ACTION… -- ACTION…            the actions of rank 0, of rank 1 …
///
///     injector=NAME           a path: PATH.R is rank R's copy of the library, so that each is a
///                             process to itself; none: there is no injector
///     clock=NS oversleep=NS   cost of reading a clock, and lateness of sleeps
///     ahead.R=NS fast.R=NS    rank R is on a host of its own, whose clock is ahead and fast

/// A number on the command line that belongs to the program itself.
struct virtual_option {
  const char* name;
  uint64_t* value;
};

/// Reads the command line, and runs all ranks: `connect`, then `act` for each action.
void virtual_ranks_run(int count, char** words, const struct virtual_option* options,
                       void (*connect)(void), void (*act)(const char* action));

int virtual_ranks(void);

/// The word after injector=.
const char* virtual_injector(void);

/// A function of the rank's injector, or of the library behind it without one.
void* virtual_function(const char* name);

/// Prints an event: RANK WHAT TIME PEER NUMBER.
void virtual_tell(const char* what, int peer, int number);

#endif
