// Where in a Python program a thread is. docs/how-to/call-sites.md says what is needed for it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer.h"

/// A function of Python, and where in it: bytes from its first instruction.
struct lat_python_place {
  const uint8_t* code;
  int64_t at;
};
/// Whether an interpreter runs in this thread.
bool lat_python_here(void);
/// Looks for an interpreter, and whether its frames can be read. MPI is initialised.
void lat_python_start(void);
/// Fills in where the thread's innermost `most` functions of Python are; returns how many. 0 where
/// no interpreter runs in this thread, or none whose frames can be read.
int lat_python_places(struct lat_python_place* places, int most);
/// Whether the code at a return address is the interpreter's own.
bool lat_python_itself(uintptr_t address);
/// The address that stands for a place in the trace. The stacks' lock is held.
uintptr_t lat_python_address(const struct lat_python_place* place);
