#ifndef LATITUDE_BENCH_STOP_H
#define LATITUDE_BENCH_STOP_H

#include <stdbool.h>

/// From now on SIGTERM, SIGINT and SIGHUP request the end instead of ending the process.
///
/// On the rank that reads standard input, the end of the input requests the end, too. The process
/// that started the launcher sends one byte, keeps the pipe open, and closes it to stop all ranks.
/// If that process dies, the pipe closes as well. If the launcher does not pass the byte on,
/// standard input is ignored.
void bench_stop_listen(bool reads_input);

/// Whether a signal came or standard input ended. A system call: do not use it in timed loops.
bool bench_stop_asked(void);

#endif
