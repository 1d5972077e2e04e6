#ifndef LATITUDE_PRELOAD_RUN_H
#define LATITUDE_PRELOAD_RUN_H

/// The limits of the program's run. The tracer has work and messages of its own after MPI_Init and
/// in MPI_Finalize, and tells the injector by these functions that they do not belong to the run.
/// Without such calls the run lasts from MPI_Init's return to the call of MPI_Finalize. The
/// injector defines both functions. In a process without the injector both are NULL.
__attribute__((weak, visibility("default"))) void latitude_run_begins(void);
__attribute__((weak, visibility("default"))) void latitude_run_ends(void);

#endif
