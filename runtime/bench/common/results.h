#ifndef LATITUDE_BENCH_RESULTS_H
#define LATITUDE_BENCH_RESULTS_H

#include <mpi.h>
#include <stddef.h>

/// The results of a program, as rank 0 writes them; src/latitude/measure/results.py reads them.
///
///     latitude-bench 1 PROGRAM\n
///     text NAME VALUE…\n
///     series COUNT NAME KEY=VALUE…\n  then COUNT doubles in the byte order of the machine, and \n
///     end\n
///
/// Names and keys are words. A file without its `end` is not complete; the file gets its name only
/// at its end.

/// Begins DIRECTORY/PROGRAM.bench on rank 0, and does nothing on other ranks. Only rank 0 calls the
/// other functions, except for bench_results_gather and bench_results_job.
void bench_results_open(const char* directory, const char* program);
void bench_results_text(const char* name, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void bench_results_series(const double* values, size_t count, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// All ranks of `comm` must call this function; rank 0 of `comm` is rank 0 of the world. The values
/// of each rank become a series `NAME rank=R …`.
void bench_results_gather(MPI_Comm comm, const double* values, int count, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
/// Publishes the results so far, as DIRECTORY/PROGRAM.bench.part.
void bench_results_flush(void);
void bench_results_close(void);

/// Writes the places of the ranks: `ranks`, `node R N HOST` for each rank, the MPI and the clock's
/// cost. All ranks must call this function.
struct job;
void bench_results_job(const struct job* job, int core);

#endif
