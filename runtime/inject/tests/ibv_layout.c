// Compares the declarations of verbs/ibv.h with libibverbs: compiles only if they agree.
#include <infiniband/verbs.h>
#define ibv_context our_context
#define ibv_qp our_qp
#define ibv_qp_ex our_qp_ex
#define ibv_send_wr our_send_wr
#include "../verbs/ibv.h"
#undef ibv_context
#undef ibv_qp
#undef ibv_qp_ex
#undef ibv_send_wr

_Static_assert(offsetof(struct ibv_context, ops.post_send) ==
                   offsetof(struct our_context, post_send),
               "post_send");
_Static_assert(offsetof(struct ibv_qp, context) == offsetof(struct our_qp, context), "context");
_Static_assert(offsetof(struct ibv_qp_ex, wr_start) == offsetof(struct our_qp_ex, wr_start),
               "wr_start");
_Static_assert(offsetof(struct ibv_send_wr, next) == offsetof(struct our_send_wr, next), "next");
#define AT_ITS_PLACE(n, name, parameters, arguments)                                              \
  _Static_assert(offsetof(struct ibv_qp_ex, name) == offsetof(struct our_qp_ex, requests.name) && \
                     __builtin_types_compatible_p(__typeof__(((struct ibv_qp_ex*)0)->name),       \
                                                  void(*) parameters),                            \
                 #name);
LAT_REQUESTS(AT_ITS_PLACE, 0)
