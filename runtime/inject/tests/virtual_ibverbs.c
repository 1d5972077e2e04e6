// The shared library libibverbs.so: one device in virtual time, whose posts take `virtual_post_ns`.
#include "../../clock/tests/virtual_clock.h"
#include "../verbs/ibv.h"
#include "virtual_ranks.h"

uint64_t virtual_post_ns;
static int posts, batches, requests;

static int post(struct ibv_qp* qp, struct ibv_send_wr* request, struct ibv_send_wr** bad) {
  (void)qp;
  (void)request;
  (void)bad;
  virtual_tell("posted", 0, posts++);
  virtual_pass(virtual_post_ns);
  return 0;
}

static void start(struct ibv_qp_ex* qp) {
  (void)qp;
  virtual_tell("started", 0, batches++);
}

static void send(struct ibv_qp_ex* qp) {
  (void)qp;
  virtual_tell("requested", 0, requests++);
  virtual_pass(virtual_post_ns);
}

struct ibv_context* ibv_open_device(void* device) {
  static struct ibv_context context;
  context.device = device;
  context.post_send = post;
  return &context;
}

struct ibv_qp_ex* ibv_qp_to_qp_ex(struct ibv_qp* qp) {
  struct ibv_qp_ex* extended = (struct ibv_qp_ex*)qp;
  extended->requests.wr_send = send;
  extended->wr_start = start;
  return extended;
}
