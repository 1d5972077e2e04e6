#ifndef LATITUDE_BENCH_QUANTUM_H
#define LATITUDE_BENCH_QUANTUM_H

#include <stdint.h>

/// Work of one size, in registers: any time beyond its minimum is noise (FWQ of the Sequoia
/// benchmarks; Hoefler, Schneider & Lumsdaine, SC'10).
void quantum_work(int64_t steps);

/// The number of steps in this number of ns without interference.
int64_t quantum_steps(int64_t ns);

#endif
