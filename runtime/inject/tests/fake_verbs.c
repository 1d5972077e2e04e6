// A libibverbs with one device whose queue pairs count posts: the shared library that posting.c
// links with, in place of the real one. Built with -DMLX5 it is a libmlx5.
#include <infiniband/verbs.h>
#include <stdlib.h>

struct ibv_context* fake_open(struct ibv_device* device);

#ifdef MLX5

struct ibv_context* mlx5dv_open_device(struct ibv_device* device, void* attributes) {
  (void)attributes;
  return fake_open(device);
}

#else

int fake_posted, fake_batches, fake_requests;

static int post(struct ibv_qp* qp, struct ibv_send_wr* request, struct ibv_send_wr** bad) {
  (void)qp;
  (void)bad;
  for (; request; request = request->next) ++fake_posted;
  return 0;
}

static void start(struct ibv_qp_ex* qp) {
  (void)qp;
  ++fake_batches;
}

/// A provider leaves out functions that it does not support: here all but sending and reading.
static void send(struct ibv_qp_ex* qp) {
  (void)qp;
  ++fake_requests;
}

static void rdma_read(struct ibv_qp_ex* qp, uint32_t key, uint64_t remote) {
  (void)qp;
  if (key == 7 && remote == 1ull << 40) ++fake_requests;
}

struct ibv_context* fake_open(struct ibv_device* device) {
  struct ibv_context* context = calloc(1, sizeof *context);
  context->device = device;
  context->ops.post_send = post;
  return context;
}

#undef ibv_open_device
struct ibv_context* ibv_open_device(struct ibv_device* device) { return fake_open(device); }

struct ibv_context* ibv_import_device(int file) { return file == 3 ? fake_open(NULL) : NULL; }

struct ibv_qp_ex* ibv_qp_to_qp_ex(struct ibv_qp* qp) {
  struct ibv_qp_ex* extended = (struct ibv_qp_ex*)qp;
  if (!extended->wr_start) {
    extended->wr_start = start;
    extended->wr_send = send;
    extended->wr_rdma_read = rdma_read;
  }
  return extended;
}

#endif
