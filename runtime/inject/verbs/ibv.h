#ifndef LATITUDE_INJECT_IBV_H
#define LATITUDE_INJECT_IBV_H

/// The part of libibverbs' stable binary interface that the injector uses, so that no headers are
/// needed; tests/ibv_layout.c compares it with installed ones.

#include <stddef.h>
#include <stdint.h>

struct ibv_context;
struct ibv_qp;

struct ibv_send_wr {  // the beginning
  unsigned long long id;
  struct ibv_send_wr* next;
};

typedef int ibv_post_function(struct ibv_qp*, struct ibv_send_wr*, struct ibv_send_wr** bad);

struct ibv_context {  // the beginning
  void* device;
  void* others[25];
  ibv_post_function* post_send;
};

struct ibv_qp {  // the beginning
  struct ibv_context* context;
};

struct ibv_qp_ex;
struct ibv_mw;
struct ibv_mw_bind_info;

/// Functions that begin a work request between ibv_wr_start and ibv_wr_complete: n, name,
/// parameters, arguments. ibv_wr_atomic_write and ibv_wr_flush came later, after the functions that
/// every library has.
#define LAT_REQUESTS(X, n)                                                                        \
  X(n, wr_atomic_cmp_swp,                                                                         \
    (struct ibv_qp_ex * qp, uint32_t key, uint64_t remote, uint64_t compare, uint64_t swap),      \
    (qp, key, remote, compare, swap))                                                             \
  X(n, wr_atomic_fetch_add, (struct ibv_qp_ex * qp, uint32_t key, uint64_t remote, uint64_t add), \
    (qp, key, remote, add))                                                                       \
  X(n, wr_bind_mw,                                                                                \
    (struct ibv_qp_ex * qp, struct ibv_mw * window, uint32_t key,                                 \
     const struct ibv_mw_bind_info* bound),                                                       \
    (qp, window, key, bound))                                                                     \
  X(n, wr_local_inv, (struct ibv_qp_ex * qp, uint32_t key), (qp, key))                            \
  X(n, wr_rdma_read, (struct ibv_qp_ex * qp, uint32_t key, uint64_t remote), (qp, key, remote))   \
  X(n, wr_rdma_write, (struct ibv_qp_ex * qp, uint32_t key, uint64_t remote), (qp, key, remote))  \
  X(n, wr_rdma_write_imm,                                                                         \
    (struct ibv_qp_ex * qp, uint32_t key, uint64_t remote, uint32_t immediate),                   \
    (qp, key, remote, immediate))                                                                 \
  X(n, wr_send, (struct ibv_qp_ex * qp), (qp))                                                    \
  X(n, wr_send_imm, (struct ibv_qp_ex * qp, uint32_t immediate), (qp, immediate))                 \
  X(n, wr_send_inv, (struct ibv_qp_ex * qp, uint32_t key), (qp, key))                             \
  X(n, wr_send_tso, (struct ibv_qp_ex * qp, void* header, uint16_t bytes, uint16_t segment),      \
    (qp, header, bytes, segment))

/// In the order of the list, without gaps.
struct lat_requests {
#define LAT_MEMBER(n, name, parameters, arguments) void(*name) parameters;
  LAT_REQUESTS(LAT_MEMBER, 0)
#undef LAT_MEMBER
};

struct ibv_qp_ex {  // the beginning
  struct ibv_qp base;
  void* others[22];
  struct lat_requests requests;
  void* settings[6];
  void (*wr_start)(struct ibv_qp_ex*);
};

#endif
