#ifndef LATITUDE_BENCH_QUANTUM_H
#define LATITUDE_BENCH_QUANTUM_H

#include <stdint.h>

/// Work of one size, in registers: what it takes longer than at best is noise (FWQ of the Sequoia
/// benchmarks; Hoefler, Schneider & Lumsdaine, SC'10).
void quantum_work(int64_t steps);

/// How many steps take so many ns when nothing interferes.
int64_t quantum_steps(int64_t ns);

#endif
