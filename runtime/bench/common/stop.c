#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "../../clock/clock.h"

static const uint64_t GREETING_NS = 5000000000;

static volatile sig_atomic_t signalled;
static bool listening;

static void remember(int number) {
  (void)number;
  signalled = 1;
}

void bench_stop_listen(bool reads_input) {
  struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  char byte;
  listening =
      reads_input && lat_poll(&input, 1, GREETING_NS) > 0 && read(STDIN_FILENO, &byte, 1) == 1;
}

bool bench_stop_asked(void) {
  if (signalled) return true;
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  if (!listening || lat_poll(&input, 1, 0) <= 0) return false;
  char byte;
  return read(STDIN_FILENO, &byte, 1) <= 0;
}
