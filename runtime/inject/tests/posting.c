// Posts through a device of fake_verbs.c by both interfaces; prints the ns per post, the least of
// many, and the arrivals: requests posted, batches, requests in batches.
//
//     posting POSTS REQUESTS_A_POST [open|import|mlx5]
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern int fake_posted, fake_batches, fake_requests;
struct ibv_context* mlx5dv_open_device(struct ibv_device* device, void* attributes);

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void keep_least(uint64_t* least, uint64_t begin) {
  const uint64_t took = now() - begin;
  if (took < *least) *least = took;
}

static struct ibv_context* opened(const char* how) {
  if (strcmp(how, "import") == 0) return ibv_import_device(3);
  if (strcmp(how, "mlx5") == 0) return mlx5dv_open_device(NULL, NULL);
  return ibv_open_device(NULL);
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const int posts = atoi(words[1]), requests = atoi(words[2]);
  struct ibv_context* context = opened(count > 3 ? words[3] : "open");
  struct ibv_qp_ex queue_pair = {.qp_base.context = context};
  struct ibv_send_wr list[8] = {0};
  for (int i = 0; i + 1 < requests; ++i) list[i].next = &list[i + 1];
  uint64_t post = UINT64_MAX, batch = UINT64_MAX;
  struct ibv_qp_ex* extended = ibv_qp_to_qp_ex(&queue_pair.qp_base);
  for (int i = 0; i < posts; ++i) {
    struct ibv_send_wr* bad;
    uint64_t begin = now();
    ibv_post_send(&queue_pair.qp_base, list, &bad);
    keep_least(&post, begin);
    begin = now();
    ibv_wr_start(extended);
    for (int sent = 0; sent < requests; ++sent) {
      if (sent % 2) {
        ibv_wr_rdma_read(extended, 7, 1ull << 40);
      } else {
        ibv_wr_send(extended);
      }
    }
    keep_least(&batch, begin);
  }
  printf("%lu %lu %d %d %d\n", (unsigned long)post, (unsigned long)batch, fake_posted, fake_batches,
         fake_requests);
  fflush(stdout);
  return 0;
}
