// Compares the part of libfabric that preload/fabric.h declares with the installed one: compiles
// only if they agree.
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include "../../preload/fabric.h"

#define SAME(theirs, field, ours, other) \
  _Static_assert(offsetof(struct theirs, field) == offsetof(struct ours, other), #field)
#define FIRST(theirs, ours) \
  _Static_assert(offsetof(struct theirs, fid) == 0 && offsetof(struct ours, fid) == 0, "first")

SAME(fid, ops, ofi_fid, ops);
SAME(fi_ops, close, ofi_fid_ops, close);
SAME(fi_ops, control, ofi_fid_ops, control);
FIRST(fid_fabric, ofi_fabric);
FIRST(fid_domain, ofi_domain);
FIRST(fid_ep, ofi_ep);
FIRST(fid_cq, ofi_cq);
FIRST(fid_wait, ofi_wait);
SAME(fid_fabric, ops, ofi_fabric, ops);
SAME(fid_domain, ops, ofi_domain, ops);
SAME(fid_wait, ops, ofi_wait, ops);
SAME(fid_cq, ops, ofi_cq, ops);
SAME(fid_ep, ops, ofi_ep, ops);
SAME(fid_ep, msg, ofi_ep, msg);
SAME(fid_ep, tagged, ofi_ep, tagged);
SAME(fi_info, caps, ofi_info, caps);
SAME(fi_info, tx_attr, ofi_info, tx_attr);
SAME(fi_info, rx_attr, ofi_info, rx_attr);
SAME(fi_info, domain_attr, ofi_info, domain_attr);
SAME(fi_info, fabric_attr, ofi_info, fabric_attr);
SAME(fi_tx_attr, op_flags, ofi_tx_attr, op_flags);
SAME(fi_rx_attr, caps, ofi_rx_attr, caps);
SAME(fi_domain_attr, cq_data_size, ofi_domain_attr, cq_data_size);
SAME(fi_fabric_attr, prov_name, ofi_fabric_attr, provider);
SAME(fi_cq_attr, format, ofi_cq_attr, format);
SAME(fi_ops_fabric, domain, ofi_fabric_ops, domain);
SAME(fi_ops_fabric, wait_open, ofi_fabric_ops, wait_open);
SAME(fi_ops_fabric, trywait, ofi_fabric_ops, trywait);
SAME(fi_ops_fabric, domain2, ofi_fabric_ops, domain2);
SAME(fi_ops_domain, cq_open, ofi_domain_ops, cq_open);
SAME(fi_ops_domain, endpoint, ofi_domain_ops, endpoint);
SAME(fi_ops_domain, scalable_ep, ofi_domain_ops, scalable_ep);
SAME(fi_ops_domain, srx_ctx, ofi_domain_ops, srx_ctx);
SAME(fi_ops_domain, endpoint2, ofi_domain_ops, endpoint2);
SAME(fi_ops_wait, wait, ofi_wait_ops, wait);
SAME(fi_ops_ep, tx_ctx, ofi_ep_ops, tx_ctx);
SAME(fi_ops_ep, rx_ctx, ofi_ep_ops, rx_ctx);
SAME(fi_msg, addr, ofi_msg, address);
SAME(fi_msg, context, ofi_msg, context);
SAME(fi_msg, data, ofi_msg, data);
SAME(fi_msg_tagged, tag, ofi_msg_tagged, tag);
SAME(fi_msg_tagged, context, ofi_msg_tagged, context);
SAME(fi_msg_tagged, data, ofi_msg_tagged, data);
SAME(fi_ops_msg, recv, ofi_msg_ops, recv);
SAME(fi_ops_msg, sendmsg, ofi_msg_ops, sendmsg);
SAME(fi_ops_msg, injectdata, ofi_msg_ops, injectdata);
SAME(fi_ops_tagged, recv, ofi_tagged_ops, recv);
SAME(fi_ops_tagged, sendmsg, ofi_tagged_ops, sendmsg);
SAME(fi_ops_tagged, injectdata, ofi_tagged_ops, injectdata);
SAME(fi_ops_cq, read, ofi_cq_ops, read);
SAME(fi_ops_cq, readerr, ofi_cq_ops, readerr);
SAME(fi_ops_cq, sreadfrom, ofi_cq_ops, sreadfrom);
SAME(fi_cq_tagged_entry, len, ofi_entry, length);
SAME(fi_cq_tagged_entry, data, ofi_entry, data);
SAME(fi_cq_tagged_entry, tag, ofi_entry, tag);
SAME(fi_cq_err_entry, tag, ofi_error, tag);
SAME(fi_cq_err_entry, err, ofi_error, error);
SAME(fi_cq_err_entry, err_data_size, ofi_error, details_size);
_Static_assert(sizeof(struct fi_ops_msg) == sizeof(struct ofi_msg_ops), "all of it");
_Static_assert(sizeof(struct fi_ops_tagged) == sizeof(struct ofi_tagged_ops), "all of it");
_Static_assert(sizeof(struct fi_msg) == sizeof(struct ofi_msg), "all of it");
_Static_assert(sizeof(struct fi_msg_tagged) == sizeof(struct ofi_msg_tagged), "all of it");
_Static_assert(sizeof(struct fi_cq_tagged_entry) == sizeof(struct ofi_entry), "all of it");
_Static_assert(sizeof(struct fi_cq_data_entry) == offsetof(struct ofi_entry, tag), "data");
_Static_assert(sizeof(struct fi_cq_msg_entry) == offsetof(struct ofi_entry, buffer), "message");
_Static_assert(sizeof(struct fi_cq_entry) == offsetof(struct ofi_entry, flags), "context");
_Static_assert(FI_CQ_FORMAT_CONTEXT == (int)OFI_CQ_CONTEXT, "format");
_Static_assert(FI_CQ_FORMAT_TAGGED == (int)OFI_CQ_TAGGED, "format");
_Static_assert(FI_EAGAIN == (int)OFI_AGAIN && FI_ENOMSG == (int)OFI_NO_MESSAGE, "errors");
_Static_assert(FI_EAVAIL == (int)OFI_ERROR_AVAILABLE, "errors");
_Static_assert(FI_RMA == OFI_RMA && FI_ATOMIC == OFI_ATOMIC, "flags");
_Static_assert(FI_RECV == OFI_RECV && FI_SEND == OFI_SEND, "flags");
_Static_assert(FI_MULTI_RECV == OFI_MULTI_RECV && FI_PEEK == OFI_PEEK, "flags");
_Static_assert(FI_REMOTE_CQ_DATA == OFI_REMOTE_CQ_DATA && FI_SOURCE == OFI_SOURCE, "flags");
_Static_assert(FI_CLAIM == OFI_CLAIM && FI_DISCARD == OFI_DISCARD, "flags");
_Static_assert(FI_ADDR_NOTAVAIL == OFI_ADDRESS_UNKNOWN, "an address");
