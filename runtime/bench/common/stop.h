#ifndef LATITUDE_BENCH_STOP_H
#define LATITUDE_BENCH_STOP_H

#include <stdbool.h>

/// From now on SIGTERM, SIGINT and SIGHUP ask for the end instead of ending the process.
///
/// On the rank that reads standard input also its end does: who started the launcher sends one
/// byte, keeps the pipe open, and closes it to stop all ranks. It closes, too, when he dies. Where
/// the launcher does not pass the byte on, standard input is not heeded.
void bench_stop_listen(bool reads_input);

/// Whether a signal came or standard input ended. A system call: not for timed loops.
bool bench_stop_asked(void);

#endif
