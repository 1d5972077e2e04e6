// Sending: the stamp uses the upper half of the 64-bit completion data, of which MPI libraries use
// the lower half for the sender's rank.
#include <stdio.h>
#include <stdlib.h>

#include "../../clock/clock.h"
#include "../delay.h"
#include "ofi.h"

enum { HALF = 32 };

/// Whether this thread is in the provider: some providers call their own functions through the
/// tables that now hold the injector's functions.
static _Thread_local bool inside;

static bool stamping(void) { return lat_delay_on() && !inside; }

/// Sends by the provider's function; `call` contains no `stamped`, so stamping does not nest.
#define SENT(call)                 \
  ({                               \
    const bool outer = inside;     \
    inside = true;                 \
    const ssize_t status = (call); \
    inside = outer;                \
    status;                        \
  })

/// The stamp's part of a message's completion data; `own`: MPI has data of its own in `data`.
static uint64_t stamped(uint64_t data, bool own) {
  if (!stamping()) return data;
  if (data >> HALF) {
    fprintf(stderr,
            "latitude: this MPI uses all 64 bits of libfabric's completion data: its "
            "messages cannot be delayed\n");
    abort();
  }
  const uint64_t range = (1ull << LAT_STAMP_BITS) - 1;
  const uint64_t time = (lat_now_ns() / LAT_STAMP_NS) & range;
  const uint64_t stamp = (time ? time : 1) << 1 | own;
  return stamp << HALF | data;
}

static struct lat_ep* by_msg(const struct ofi_ep* ep) {
  return LAT_AROUND(ep->msg, struct lat_ep, msg);
}

static struct lat_ep* by_tagged(const struct ofi_ep* ep) {
  return LAT_AROUND(ep->tagged, struct lat_ep, tagged);
}

static ssize_t msg_send(struct ofi_ep* ep, const void* buffer, size_t length, void* desc,
                        uint64_t to, void* context) {
  const struct ofi_msg_ops* original = by_msg(ep)->original_msg;
  if (!stamping()) return original->send(ep, buffer, length, desc, to, context);
  const uint64_t with = stamped(0, false);
  return SENT(original->senddata(ep, buffer, length, desc, with, to, context));
}

static ssize_t msg_sendmsg(struct ofi_ep* ep, const struct ofi_msg* msg, uint64_t flags) {
  const struct ofi_msg_ops* original = by_msg(ep)->original_msg;
  if (!stamping()) return original->sendmsg(ep, msg, flags);
  struct ofi_msg ours = *msg;
  const bool own = flags & OFI_REMOTE_CQ_DATA;
  ours.data = stamped(own ? msg->data : 0, own);
  return SENT(original->sendmsg(ep, &ours, flags | OFI_REMOTE_CQ_DATA));
}

static ssize_t msg_sendv(struct ofi_ep* ep, const struct iovec* iov, void** desc, size_t count,
                         uint64_t to, void* context) {
  const struct ofi_msg msg = {iov, desc, count, to, context, 0};
  return msg_sendmsg(ep, &msg, by_msg(ep)->op_flags);
}

static ssize_t msg_inject(struct ofi_ep* ep, const void* buffer, size_t length, uint64_t to) {
  const struct ofi_msg_ops* original = by_msg(ep)->original_msg;
  if (!stamping()) return original->inject(ep, buffer, length, to);
  const uint64_t with = stamped(0, false);
  return SENT(original->injectdata(ep, buffer, length, with, to));
}

static ssize_t msg_senddata(struct ofi_ep* ep, const void* buffer, size_t length, void* desc,
                            uint64_t data, uint64_t to, void* context) {
  const uint64_t with = stamped(data, true);
  return SENT(by_msg(ep)->original_msg->senddata(ep, buffer, length, desc, with, to, context));
}

static ssize_t msg_injectdata(struct ofi_ep* ep, const void* buffer, size_t length, uint64_t data,
                              uint64_t to) {
  const uint64_t with = stamped(data, true);
  return SENT(by_msg(ep)->original_msg->injectdata(ep, buffer, length, with, to));
}

static ssize_t msg_recv(struct ofi_ep* ep, void* buffer, size_t length, void* desc, uint64_t from,
                        void* context) {
  lat_posted(context, 0);
  return by_msg(ep)->original_msg->recv(ep, buffer, length, desc, from, context);
}

static ssize_t msg_recvv(struct ofi_ep* ep, const struct iovec* iov, void** desc, size_t count,
                         uint64_t from, void* context) {
  lat_posted(context, 0);
  return by_msg(ep)->original_msg->recvv(ep, iov, desc, count, from, context);
}

static ssize_t msg_recvmsg(struct ofi_ep* ep, const struct ofi_msg* msg, uint64_t flags) {
  lat_posted(msg->context, flags);
  const ssize_t status = by_msg(ep)->original_msg->recvmsg(ep, msg, flags);
  if (status != 0 && (flags & OFI_PEEK)) lat_peek_ended(msg->context);
  return status;
}

static ssize_t tagged_send(struct ofi_ep* ep, const void* buffer, size_t length, void* desc,
                           uint64_t to, uint64_t tag, void* context) {
  const struct ofi_tagged_ops* original = by_tagged(ep)->original_tagged;
  if (!stamping()) return original->send(ep, buffer, length, desc, to, tag, context);
  const uint64_t with = stamped(0, false);
  return SENT(original->senddata(ep, buffer, length, desc, with, to, tag, context));
}

static ssize_t tagged_sendmsg(struct ofi_ep* ep, const struct ofi_msg_tagged* msg, uint64_t flags) {
  const struct ofi_tagged_ops* original = by_tagged(ep)->original_tagged;
  if (!stamping()) return original->sendmsg(ep, msg, flags);
  struct ofi_msg_tagged ours = *msg;
  const bool own = flags & OFI_REMOTE_CQ_DATA;
  ours.data = stamped(own ? msg->data : 0, own);
  return SENT(original->sendmsg(ep, &ours, flags | OFI_REMOTE_CQ_DATA));
}

static ssize_t tagged_sendv(struct ofi_ep* ep, const struct iovec* iov, void** desc, size_t count,
                            uint64_t to, uint64_t tag, void* context) {
  const struct ofi_msg_tagged msg = {iov, desc, count, to, tag, 0, context, 0};
  return tagged_sendmsg(ep, &msg, by_tagged(ep)->op_flags);
}

static ssize_t tagged_inject(struct ofi_ep* ep, const void* buffer, size_t length, uint64_t to,
                             uint64_t tag) {
  const struct ofi_tagged_ops* original = by_tagged(ep)->original_tagged;
  if (!stamping()) return original->inject(ep, buffer, length, to, tag);
  const uint64_t with = stamped(0, false);
  return SENT(original->injectdata(ep, buffer, length, with, to, tag));
}

static ssize_t tagged_senddata(struct ofi_ep* ep, const void* buffer, size_t length, void* desc,
                               uint64_t data, uint64_t to, uint64_t tag, void* context) {
  const uint64_t with = stamped(data, true);
  return SENT(
      by_tagged(ep)->original_tagged->senddata(ep, buffer, length, desc, with, to, tag, context));
}

static ssize_t tagged_injectdata(struct ofi_ep* ep, const void* buffer, size_t length,
                                 uint64_t data, uint64_t to, uint64_t tag) {
  const uint64_t with = stamped(data, true);
  return SENT(by_tagged(ep)->original_tagged->injectdata(ep, buffer, length, with, to, tag));
}

static ssize_t tagged_recv(struct ofi_ep* ep, void* buffer, size_t length, void* desc,
                           uint64_t from, uint64_t tag, uint64_t ignore, void* context) {
  lat_posted(context, 0);
  return by_tagged(ep)->original_tagged->recv(ep, buffer, length, desc, from, tag, ignore, context);
}

static ssize_t tagged_recvv(struct ofi_ep* ep, const struct iovec* iov, void** desc, size_t count,
                            uint64_t from, uint64_t tag, uint64_t ignore, void* context) {
  lat_posted(context, 0);
  return by_tagged(ep)->original_tagged->recvv(ep, iov, desc, count, from, tag, ignore, context);
}

static ssize_t tagged_recvmsg(struct ofi_ep* ep, const struct ofi_msg_tagged* msg, uint64_t flags) {
  lat_posted(msg->context, flags);
  const ssize_t status = by_tagged(ep)->original_tagged->recvmsg(ep, msg, flags);
  if (status != 0 && (flags & OFI_PEEK)) lat_peek_ended(msg->context);
  return status;
}

void lat_ep_hook(struct lat_ep* ours) {
  struct ofi_ep* ep = ours->ep;
  if (ep->msg && ep->msg != &ours->msg) {
    ours->original_msg = ep->msg;
    ours->msg = (struct ofi_msg_ops){
        .size = sizeof ours->msg,
        .recv = msg_recv,
        .recvv = msg_recvv,
        .recvmsg = msg_recvmsg,
        .send = msg_send,
        .sendv = msg_sendv,
        .sendmsg = msg_sendmsg,
        .inject = msg_inject,
        .senddata = msg_senddata,
        .injectdata = msg_injectdata,
    };
    ep->msg = &ours->msg;
  }
  if (ep->tagged && ep->tagged != &ours->tagged) {
    ours->original_tagged = ep->tagged;
    ours->tagged = (struct ofi_tagged_ops){
        .size = sizeof ours->tagged,
        .recv = tagged_recv,
        .recvv = tagged_recvv,
        .recvmsg = tagged_recvmsg,
        .send = tagged_send,
        .sendv = tagged_sendv,
        .sendmsg = tagged_sendmsg,
        .inject = tagged_inject,
        .senddata = tagged_senddata,
        .injectdata = tagged_injectdata,
    };
    ep->tagged = &ours->tagged;
  }
}
