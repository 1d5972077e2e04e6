#ifndef LATITUDE_VIRTUAL_RANKS_H
#define LATITUDE_VIRTUAL_RANKS_H

#include <stdbool.h>
#include <stdint.h>

/// What programs of ranks in virtual time have in common: their command lines, and an injector for
/// each rank.
///
///     PROGRAM WORD=VALUE… -- ACTION… -- ACTION…            the actions of rank 0, of rank 1 …
///
///     injector=NAME           a path: PATH.R is rank R's copy of the library, so that each is a
///                             process to itself; none: there is no injector
///     clock=NS oversleep=NS   what a look at a clock takes, and how late sleeps end
///     ahead.R=NS fast.R=NS    rank R is on a host of its own, whose clock is ahead and fast

/// A number of the command line that the program knows by itself.
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

/// A function of the rank's injector, or of the library behind it where there is none.
void* virtual_function(const char* name);

/// Says what happened: RANK WHAT TIME PEER NUMBER.
void virtual_tell(const char* what, int peer, int number);

#endif
