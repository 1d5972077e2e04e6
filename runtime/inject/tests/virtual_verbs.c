// Posts to the device of virtual_ibverbs.c under the verbs injector. The command line is that of
// virtual_ranks.h, and also:
//
//     post=NS             the device's time for a post, and for each request of a batch
//     ticks=N             of the processor's counter, in 1,000 ns
//
//     post:REQUESTS:COUNT:GAP    by ibv_post_send, each followed by work of GAP ns
//     batch:REQUESTS:COUNT:GAP   by ibv_wr_*
//
// What happens: begun, returned; posted, started, requested at the device; which in order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../clock/clock.h"
#include "../../clock/tests/virtual_clock.h"
#include "../verbs/ibv.h"
#include "virtual_ranks.h"

typedef struct ibv_context* open_function(void* device);
typedef struct ibv_qp_ex* extend_function(struct ibv_qp* qp);

enum { MOST_REQUESTS = 8 };

extern uint64_t virtual_post_ns;
static uint64_t ticks = 1000;
static struct ibv_qp_ex queue_pair;
static struct ibv_qp_ex* extended;
static int begun;

static void connect_all(void) {
  open_function* open = NULL;
  extend_function* extend = NULL;
  *(void**)&open = virtual_function("ibv_open_device");
  *(void**)&extend = virtual_function("ibv_qp_to_qp_ex");
  lat_ticks_per_ns = (double)ticks / 1000;
  queue_pair.base.context = open(NULL);
  extended = extend(&queue_pair.base);
}

static void post(int requests) {
  struct ibv_send_wr list[MOST_REQUESTS] = {0};
  struct ibv_send_wr* bad;
  for (int i = 0; i + 1 < requests; ++i) list[i].next = &list[i + 1];
  queue_pair.base.context->post_send(&queue_pair.base, list, &bad);
}

static void batch(int requests) {
  extended->wr_start(extended);
  for (int i = 0; i < requests; ++i) extended->requests.wr_send(extended);
}

static void act(const char* action) {
  char what[16] = "";
  int requests = 1, count = 1;
  unsigned long long gap = 0;
  sscanf(action, "%15[^:]:%d:%d:%llu", what, &requests, &count, &gap);
  for (int i = 0; i < count; ++i) {
    virtual_tell("begun", 0, begun);
    (strcmp(what, "post") == 0 ? post : batch)(requests);
    virtual_tell("returned", 0, begun++);
    virtual_pass(gap);
  }
}

int main(int count, char** words) {
  const struct virtual_option options[] = {{"post", &virtual_post_ns}, {"ticks", &ticks}, {0}};
  virtual_ranks_run(count, words, options, connect_all, act);
  return 0;
}
