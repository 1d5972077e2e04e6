// Compares the part of UCT that preload/uct.h declares with the installed UCX: compiles only if
// they agree.
#include <uct/api/uct.h>
#define uct_iface_ops our_iface_ops
#define uct_iface our_iface
#define uct_ep our_ep
#define uct_iov our_iov
#define uct_completion our_completion
#define uct_iface_params our_params
#define uct_ep_params our_ep_params
#define UCT_PROGRESS_FAST OUR_PROGRESS_FAST
#include "../../preload/uct.h"
#undef uct_iface_ops
#undef uct_iface
#undef uct_ep
#undef uct_iov
#undef uct_completion
#undef uct_iface_params
#undef uct_ep_params

#define SAME(theirs, field, ours, other) \
  _Static_assert(offsetof(theirs, field) == offsetof(struct ours, other), #field)

SAME(uct_iface_ops_t, ep_am_short, our_iface_ops, am_short);
SAME(uct_iface_ops_t, ep_am_short_iov, our_iface_ops, am_short_iov);
SAME(uct_iface_ops_t, ep_am_bcopy, our_iface_ops, am_bcopy);
SAME(uct_iface_ops_t, ep_am_zcopy, our_iface_ops, am_zcopy);
SAME(uct_iface_ops_t, ep_put_zcopy, our_iface_ops, put_zcopy);
SAME(uct_iface_ops_t, ep_get_zcopy, our_iface_ops, get_zcopy);
SAME(uct_iface_ops_t, ep_flush, our_iface_ops, ep_flush);
SAME(uct_iface_ops_t, iface_flush, our_iface_ops, iface_flush);
SAME(uct_iface_ops_t, iface_event_arm, our_iface_ops, event_arm);
SAME(uct_iface_ops_t, iface_query, our_iface_ops, query);
SAME(uct_iface_params_t, open_mode, our_params, open_mode);
SAME(uct_iface_params_t, mode.device.tl_name, our_params, transport);
SAME(uct_iface_attr_t, cap.am.max_short, uct_attributes, am.max_short);
SAME(uct_iface_attr_t, cap.am.max_hdr, uct_attributes, am.max_hdr);
SAME(uct_iface_attr_t, cap.flags, uct_attributes, flags);
SAME(uct_iface_attr_t, device_addr_len, uct_attributes, device_address_length);
SAME(uct_iface_attr_t, iface_addr_len, uct_attributes, address_length);
SAME(uct_iface_attr_t, ep_addr_len, uct_attributes, ep_address_length);
SAME(uct_ep_params_t, field_mask, our_ep_params, field_mask);
SAME(uct_ep_params_t, iface, our_ep_params, iface);
SAME(uct_ep_params_t, dev_addr, our_ep_params, device_address);
SAME(uct_ep_params_t, iface_addr, our_ep_params, address);
SAME(uct_iov_t, buffer, our_iov, buffer);
SAME(uct_iov_t, length, our_iov, length);
SAME(uct_iov_t, stride, our_iov, stride);
SAME(uct_iov_t, count, our_iov, count);
SAME(uct_completion_t, func, our_completion, function);
SAME(uct_completion_t, count, our_completion, count);
SAME(uct_completion_t, status, our_completion, status);
_Static_assert(offsetof(uct_ep_t, iface) == 0 && offsetof(uct_iface_t, ops) == 0, "first");
_Static_assert(sizeof(uct_worker_cb_id_t) == sizeof(int), "a callback's id");
_Static_assert(sizeof(ucs_status_t) == sizeof(uct_status), "a status");
_Static_assert(UCS_ERR_BUSY == (int)UCT_ERR_BUSY && UCS_OK == (int)UCT_OK, "statuses");
_Static_assert(UCS_INPROGRESS == (int)UCT_INPROGRESS, "in progress");
_Static_assert(UCT_FLUSH_FLAG_CANCEL == (int)UCT_FLUSH_CANCEL, "flush flags");
_Static_assert(sizeof(uct_rkey_t) == sizeof(uintptr_t), "a key");
_Static_assert(UCT_IFACE_OPEN_MODE_DEVICE == (int)UCT_OPEN_MODE_DEVICE, "open mode");
_Static_assert(UCT_EP_PARAM_FIELD_IFACE == (int)UCT_EP_OF_IFACE, "an endpoint of an interface");
_Static_assert((UCT_EP_PARAM_FIELD_IFACE | UCT_EP_PARAM_FIELD_DEV_ADDR |
                UCT_EP_PARAM_FIELD_IFACE_ADDR) == (int)UCT_EP_TO_IFACE,
               "an endpoint to an interface");
_Static_assert(UCT_CB_FLAG_ASYNC == (int)UCT_CALLBACK_ASYNC, "handler flags");
_Static_assert(UCS_CALLBACKQ_ID_NULL == -1, "no callback");
_Static_assert(UCT_IFACE_FLAG_AM_SHORT == (int)UCT_CAN_AM_SHORT, "short");
_Static_assert(UCT_IFACE_FLAG_AM_ZCOPY == (int)UCT_CAN_AM_ZCOPY, "zcopy");
