// Posts to the device of virtual_ibverbs.c under the verbs injector.
//
//     virtual_verbs INJECTOR POSTS REQUESTS POST_NS GAP_NS TICKS_PER_NS CLOCK_NS
//
// POSTS times: a post of so many requests by ibv_post_send, work of GAP_NS, a batch of as many by
// ibv_wr_*, work. A line an event: 0 begun|posted|started|requested|returned TIME 0 NUMBER
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../clock/clock.h"
#include "../../clock/tests/virtual_clock.h"
#include "../verbs/ibv.h"

typedef struct ibv_context* open_function(void* device);
typedef struct ibv_qp_ex* extend_function(struct ibv_qp* qp);

enum { MOST_REQUESTS = 8 };

extern uint64_t virtual_post_ns;
static const char* injector;
static int posts, requests;
static uint64_t gap_ns;

static void tell(const char* what, int number) {
  printf("%d %s %llu 0 %d\n", virtual_rank(), what, (unsigned long long)virtual_now(), number);
}

static void* function(const char* name) {
  void* library = dlopen(injector, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  return dlsym(library, name);
}

static void body(int rank) {
  (void)rank;
  open_function* open = NULL;
  extend_function* extend = NULL;
  *(void**)&open = function("ibv_open_device");
  *(void**)&extend = function("ibv_qp_to_qp_ex");
  struct ibv_qp_ex queue_pair = {.base = {.context = open(NULL)}};
  struct ibv_qp_ex* extended = extend(&queue_pair.base);
  struct ibv_send_wr list[MOST_REQUESTS] = {0};
  for (int i = 0; i + 1 < requests; ++i) list[i].next = &list[i + 1];
  for (int i = 0; i < posts; ++i) {
    struct ibv_send_wr* bad;
    tell("begun", 2 * i);
    queue_pair.base.context->post_send(&queue_pair.base, list, &bad);
    tell("returned", 2 * i);
    virtual_pass(gap_ns);
    tell("begun", 2 * i + 1);
    extended->wr_start(extended);
    for (int sent = 0; sent < requests; ++sent) extended->requests.wr_send(extended);
    tell("returned", 2 * i + 1);
    virtual_pass(gap_ns);
  }
}

int main(int count, char** words) {
  if (count != 8) return 2;
  injector = words[1];
  posts = atoi(words[2]);
  requests = atoi(words[3]);
  virtual_post_ns = strtoull(words[4], NULL, 10);
  gap_ns = strtoull(words[5], NULL, 10);
  lat_ticks_per_ns = atof(words[6]);
  virtual_look_ns = strtoull(words[7], NULL, 10);
  setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  virtual_run(1, body);
  return 0;
}
