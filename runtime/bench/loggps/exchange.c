#include "exchange.h"

#include <mpi.h>

#include "../common/clock.h"
#include "../common/job.h"

enum { TELL = 1, DATA, NEVER };

double exchange_clock_ns;

static void send(struct buffer* buffer, int64_t bytes, int to) {
  MUST(MPI_Send(buffer_place(buffer, bytes), (int)bytes, MPI_BYTE, to, DATA, MPI_COMM_WORLD));
}

static void receive(struct buffer* buffer, int64_t bytes, int from) {
  MUST(MPI_Recv(buffer_place(buffer, bytes), (int)bytes, MPI_BYTE, from, DATA, MPI_COMM_WORLD,
                MPI_STATUS_IGNORE));
}

static double passed(int64_t start, int64_t end) {
  return (double)(end - start) - exchange_clock_ns;
}

size_t exchange_values(const struct exchange* what) {
  return (size_t)(what->pattern == SENDS ? what->messages : 1);
}

static void lead_ping(const struct exchange* what, int other, struct buffer* buffer,
                      double* value) {
  const int64_t start = now_ns();
  send(buffer, what->bytes, other);
  receive(buffer, what->bytes, other);
  *value = passed(start, now_ns()) / 2;
}

static void lead_stream(const struct exchange* what, int other, struct buffer* buffer,
                        double* value) {
  const int64_t start = now_ns();
  for (int64_t i = 0; i < what->messages; ++i) send(buffer, what->bytes, other);
  receive(buffer, what->bytes, other);
  *value = passed(start, now_ns());
}

static void lead_sends(const struct exchange* what, int other, struct buffer* buffer,
                       double* values) {
  const int64_t start = now_ns();
  double pauses = 0;
  send(buffer, what->bytes, other);
  for (int64_t i = 0; i + 1 < what->messages; ++i) {
    const int64_t left = now_ns();
    const int64_t again = wait_until(left + what->pause_ns);
    send(buffer, what->bytes, other);
    values[i] = passed(again, now_ns());
    pauses += (double)(again - left) + 2 * exchange_clock_ns;  // with both readings after it
  }
  pauses -= exchange_clock_ns;  // the last reading took place while the message was on its way
  receive(buffer, what->bytes, other);
  values[what->messages - 1] = passed(start, now_ns()) - pauses;
}

static void lead_recvs(const struct exchange* what, int other, struct buffer* buffer,
                       double* value) {
  send(buffer, 1, other);
  const int64_t start = wait_until(now_ns() + what->pause_ns);
  receive(buffer, what->bytes, other);
  *value = passed(start, now_ns());
}

static void lead_held(const struct exchange* what, int other, struct buffer* buffer,
                      double* value) {
  const int64_t start = now_ns();
  send(buffer, what->bytes, other);
  *value = passed(start, now_ns());
  receive(buffer, what->bytes, other);
}

static void lead_late(const struct exchange* what, int other, struct buffer* buffer,
                      double* value) {
  receive(buffer, 1, other);
  const int64_t start = now_ns();
  send(buffer, what->bytes, other);
  *value = passed(start, now_ns());
}

static void lead_late_isend(const struct exchange* what, int other, struct buffer* buffer,
                            double* value) {
  MPI_Request request;
  receive(buffer, 1, other);
  const int64_t start = now_ns();
  MUST(MPI_Isend(buffer_place(buffer, what->bytes), (int)what->bytes, MPI_BYTE, other, DATA,
                 MPI_COMM_WORLD, &request));
  MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
  *value = passed(start, now_ns());
}

static void lead_late_start(const struct exchange* what, int other, struct buffer* buffer,
                            double* value) {
  MPI_Request request;
  MUST(MPI_Send_init(buffer_place(buffer, what->bytes), (int)what->bytes, MPI_BYTE, other, DATA,
                     MPI_COMM_WORLD, &request));
  receive(buffer, 1, other);
  const int64_t start = now_ns();
  MUST(MPI_Start(&request));
  MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
  *value = passed(start, now_ns());
  MUST(MPI_Request_free(&request));
}

void exchange_lead(const struct exchange* what, int other, struct buffer* buffer, double* values) {
  static void (*const patterns[])(const struct exchange*, int, struct buffer*, double*) = {
      lead_ping, lead_stream, lead_sends,      lead_recvs,
      lead_held, lead_late,   lead_late_isend, lead_late_start,
  };
  MUST(MPI_Send(what, sizeof *what / sizeof(int64_t), MPI_INT64_T, other, TELL, MPI_COMM_WORLD));
  if (what->pattern == STOP) return;
  const size_t each = exchange_values(what);
  for (int64_t i = 0; i < what->times; ++i) {
    patterns[what->pattern](what, other, buffer, values + (size_t)i * each);
  }
}

/// Pauses with polls for messages of the other rank, so that messages that need no posted receive
/// make progress.
static void pause_awake(int64_t pause_ns, int leader) {
  const int64_t end = now_ns() + pause_ns;
  int found = 0;
  while (now_ns() < end) {
    MUST(MPI_Iprobe(leader, NEVER, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE));
  }
}

static void follow(const struct exchange* what, int leader, struct buffer* buffer) {
  switch (what->pattern) {
    case PING:
    case STREAM:
    case SENDS:
    case HELD:
      for (int64_t i = 0; i < what->messages; ++i) receive(buffer, what->bytes, leader);
      send(buffer, what->bytes, leader);
      break;
    case RECVS:
      receive(buffer, 1, leader);
      send(buffer, what->bytes, leader);
      break;
    case LATE:
    case LATE_ISEND:
    case LATE_START:
      send(buffer, 1, leader);
      pause_awake(what->pause_ns, leader);
      receive(buffer, what->bytes, leader);
      break;
    default:
      bench_fail("pattern %lld is unknown", (long long)what->pattern);
  }
}

void exchange_follow(int leader, struct buffer* buffer) {
  for (;;) {
    struct exchange what;
    MUST(MPI_Recv(&what, sizeof what / sizeof(int64_t), MPI_INT64_T, leader, TELL, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE));
    if (what.pattern == STOP) return;
    for (int64_t i = 0; i < what.times; ++i) follow(&what, leader, buffer);
  }
}
