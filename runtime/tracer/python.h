// The place of a thread in a Python program. docs/how-to/call-sites.md has the requirements.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer.h"

/// A function of Python, and the place in it: bytes from its first instruction.
struct lat_python_place {
  const uint8_t* code;
  int64_t at;
};
/// Whether an interpreter runs in this thread.
bool lat_python_here(void);
/// Looks for an interpreter, and checks whether its frames can be read. Requires that MPI is
/// initialised.
void lat_python_start(void);
/// Fills in the places of the thread's innermost `most` functions of Python; returns their number.
/// 0 if no interpreter runs in this thread, or if its frames cannot be read.
int lat_python_places(struct lat_python_place* places, int most);
/// Whether the code at a return address belongs to the interpreter itself.
bool lat_python_itself(uintptr_t address);
/// The address that represents a place in the trace. Requires the stacks' lock.
uintptr_t lat_python_address(const struct lat_python_place* place);
