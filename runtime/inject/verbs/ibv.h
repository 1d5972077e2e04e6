#ifndef LATITUDE_INJECT_IBV_H
#define LATITUDE_INJECT_IBV_H

/// The part of libibverbs' stable binary interface that is used, so that none of its headers is
/// needed; tests/ibv_layout.c compares it with installed ones.

#include <stddef.h>

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

struct ibv_qp_ex {  // the beginning
  struct ibv_qp base;
  void* others[39];
  void (*wr_start)(struct ibv_qp_ex*);
};

#endif
