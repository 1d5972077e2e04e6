// Posts through a device of fake_verbs.c by both interfaces; prints the ns that each post took, the
// least of many, and what arrived.
//
//     posting POSTS REQUESTS_A_POST
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern int fake_posted, fake_started;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int count, char** words) {
  if (count != 3) return 2;
  const int posts = atoi(words[1]), requests = atoi(words[2]);
  struct ibv_context* context = ibv_open_device(NULL);
  struct ibv_qp_ex queue_pair = {.qp_base.context = context};
  struct ibv_send_wr list[8] = {0};
  for (int i = 0; i + 1 < requests; ++i) list[i].next = &list[i + 1];
  uint64_t post = UINT64_MAX, start = UINT64_MAX;
  struct ibv_qp_ex* extended = ibv_qp_to_qp_ex(&queue_pair.qp_base);
  for (int i = 0; i < posts; ++i) {
    struct ibv_send_wr* bad;
    uint64_t begin = now();
    ibv_post_send(&queue_pair.qp_base, list, &bad);
    uint64_t took = now() - begin;
    if (took < post) post = took;
    begin = now();
    ibv_wr_start(extended);
    took = now() - begin;
    if (took < start) start = took;
  }
  printf("%lu %lu %d %d\n", (unsigned long)post, (unsigned long)start, fake_posted, fake_started);
  return 0;
}
