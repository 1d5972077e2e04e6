#ifndef LATITUDE_PRELOAD_RUN_H
#define LATITUDE_PRELOAD_RUN_H

/// The limits of the program's run, told to the injector by a library that has work of its own, and
/// messages of its own, between them and MPI_Init and MPI_Finalize: the tracer. Untold, the run
/// lasts from MPI_Init's return to the call of MPI_Finalize. The injector defines both functions;
/// they are NULL in a process without it.
__attribute__((weak, visibility("default"))) void latitude_run_begins(void);
__attribute__((weak, visibility("default"))) void latitude_run_ends(void);

#endif
