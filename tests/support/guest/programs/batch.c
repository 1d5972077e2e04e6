// Sends batches from one queue pair to another of the same RDMA device; prints the ns that the post
// of a batch takes, the least of many. Each has arrived before the next is posted; how long that
// takes is not told, as it depends on when the device's kernel threads get a processor.
//
//     batch DEVICE ROUNDS REQUESTS_A_BATCH post|wr
//
// post: a list by ibv_post_send. wr: ibv_wr_start, ibv_wr_send …, ibv_wr_complete.
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 8, BYTES = 8, PORT = 1 };
static const uint64_t NEVER_NS = 10000000000;

static struct ibv_context* context;
static struct ibv_cq* completions;
static struct ibv_mr* memory;
static char buffer[BYTES];

static void must(int works, const char* what) {
  if (works) return;
  fprintf(stderr, "%s does not work\n", what);
  exit(1);
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct ibv_context* opened(const char* name) {
  struct ibv_device** devices = ibv_get_device_list(NULL);
  for (; devices && *devices; ++devices) {
    if (strcmp(ibv_get_device_name(*devices), name) == 0) return ibv_open_device(*devices);
  }
  return NULL;
}

static struct ibv_qp* made(struct ibv_pd* domain) {
  struct ibv_qp_init_attr_ex wanted = {
      .send_cq = completions,
      .recv_cq = completions,
      .cap = {.max_send_wr = MOST, .max_recv_wr = MOST, .max_send_sge = 1, .max_recv_sge = 1},
      .qp_type = IBV_QPT_RC,
      .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
      .pd = domain,
      .send_ops_flags = IBV_QP_EX_WITH_SEND,
  };
  struct ibv_qp* qp = ibv_create_qp_ex(context, &wanted);
  must(qp != NULL, "ibv_create_qp_ex");
  return qp;
}

/// The last GID of the port: that of an IPv4 address where there is one.
static uint8_t gid_index(void) {
  union ibv_gid gid;
  uint8_t found = 0;
  for (uint8_t i = 0; i < 8; ++i) {
    if (ibv_query_gid(context, PORT, i, &gid) == 0 && gid.global.interface_id) found = i;
  }
  return found;
}

static void connect_to(struct ibv_qp* qp, uint32_t other) {
  const uint8_t index = gid_index();
  struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_INIT, .port_num = PORT};
  must(!ibv_modify_qp(qp, &attributes,
                      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
       "INIT");
  attributes = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
                                    .path_mtu = IBV_MTU_1024,
                                    .dest_qp_num = other,
                                    .max_dest_rd_atomic = 1,
                                    .min_rnr_timer = 12,
                                    .ah_attr = {.is_global = 1, .port_num = PORT}};
  attributes.ah_attr.grh.sgid_index = index;
  attributes.ah_attr.grh.hop_limit = 1;
  must(!ibv_query_gid(context, PORT, index, &attributes.ah_attr.grh.dgid), "ibv_query_gid");
  must(!ibv_modify_qp(qp, &attributes,
                      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
       "RTR");
  attributes = (struct ibv_qp_attr){
      .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
  must(!ibv_modify_qp(qp, &attributes,
                      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                          IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
       "RTS");
}

static struct ibv_sge piece(void) {
  return (struct ibv_sge){.addr = (uintptr_t)buffer, .length = BYTES, .lkey = memory->lkey};
}

static void receive(struct ibv_qp* qp) {
  struct ibv_sge sge = piece();
  struct ibv_recv_wr request = {.sg_list = &sge, .num_sge = 1}, *bad;
  must(!ibv_post_recv(qp, &request, &bad), "ibv_post_recv");
}

static void post_list(struct ibv_qp* qp, int requests) {
  struct ibv_sge sge = piece();
  struct ibv_send_wr list[MOST] = {0}, *bad;
  for (int i = 0; i < requests; ++i) {
    list[i] = (struct ibv_send_wr){.next = i + 1 < requests ? &list[i + 1] : NULL,
                                   .sg_list = &sge,
                                   .num_sge = 1,
                                   .opcode = IBV_WR_SEND,
                                   .send_flags = IBV_SEND_SIGNALED};
  }
  must(!ibv_post_send(qp, list, &bad), "ibv_post_send");
}

static void post_batch(struct ibv_qp* qp, int requests) {
  struct ibv_qp_ex* extended = ibv_qp_to_qp_ex(qp);
  ibv_wr_start(extended);
  for (int i = 0; i < requests; ++i) {
    extended->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_send(extended);
    ibv_wr_set_sge(extended, memory->lkey, (uintptr_t)buffer, BYTES);
  }
  must(!ibv_wr_complete(extended), "ibv_wr_complete");
}

static void wait_for(int wanted) {
  const uint64_t begin = now();
  while (wanted) {
    struct ibv_wc done;
    const int found = ibv_poll_cq(completions, 1, &done);
    must(found >= 0 && (found == 0 || done.status == IBV_WC_SUCCESS), "a request");
    must(found || now() - begin < NEVER_NS, "arriving within ten seconds");
    wanted -= found;
  }
}

int main(int count, char** words) {
  must(count == 5, "a call without four arguments");
  const int rounds = atoi(words[2]), requests = atoi(words[3]);
  const int batch = strcmp(words[4], "wr") == 0;
  must(requests > 0 && requests <= MOST, "so large a batch");
  context = opened(words[1]);
  must(context != NULL, words[1]);
  struct ibv_pd* domain = ibv_alloc_pd(context);
  completions = ibv_create_cq(context, 4 * MOST, NULL, NULL, 0);
  must(domain && completions, "ibv_alloc_pd or ibv_create_cq");
  memory = ibv_reg_mr(domain, buffer, BYTES, IBV_ACCESS_LOCAL_WRITE);
  must(memory != NULL, "ibv_reg_mr");
  struct ibv_qp *from = made(domain), *to = made(domain);
  connect_to(from, to->qp_num);
  connect_to(to, from->qp_num);
  uint64_t least = UINT64_MAX;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < requests; ++i) receive(to);
    const uint64_t begin = now();
    if (batch) {
      post_batch(from, requests);
    } else {
      post_list(from, requests);
    }
    const uint64_t took = now() - begin;
    wait_for(2 * requests);
    if (took < least) least = took;
  }
  printf("%lu\n", (unsigned long)least);
  return 0;
}
