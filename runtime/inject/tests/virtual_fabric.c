// The shared library libfabric.so of virtual_fabric.h.
#include "virtual_fabric.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../clock/tests/virtual_clock.h"
#include "../../preload/fabric.h"

enum { NS_PER_MS = 1000000 };

struct message {
  struct message* next;
  uint64_t arrival, tag, data;
  size_t length;
  int from;
  bool with_data;
  char content[];
};

struct posted {
  struct posted* next;
  uint64_t tag;
  void *context, *buffer;
  size_t length;
};

/// A query for a message without an answer: no message had arrived.
struct absent {
  struct absent* next;
  uint64_t tag;
  void* context;
};

struct node {
  struct ofi_domain domain;
  struct ofi_fabric fabric;
  struct ofi_cq cq;
  struct ofi_ep ep;
  struct message* coming;  // in the order of sending
  struct posted* receives;
  struct posted* asked;  // by FI_PEEK
  struct absent* failures;
};

struct virtual_wire virtual_wire;
static struct node nodes[VIRTUAL_MOST_RANKS];

static struct node* self(void) { return &nodes[virtual_rank()]; }

static int closed(struct ofi_fid* fid) {
  (void)fid;
  return 0;
}

static int controlled(struct ofi_fid* fid, int command, void* argument) {
  (void)fid;
  (void)command;
  (void)argument;
  return 0;
}

static struct ofi_fid_ops fid_ops = {
    .size = sizeof fid_ops, .close = closed, .control = controlled};

// Sending.

static void deliver(const void* buffer, size_t length, bool with_data, uint64_t data, uint64_t to,
                    uint64_t tag) {
  struct message* message = calloc(1, sizeof *message + length);
  virtual_pass(virtual_wire.overhead_ns);
  message->arrival = virtual_now() + virtual_wire.latency_ns;
  message->tag = tag;
  message->data = data;
  message->with_data = with_data;
  message->length = length;
  message->from = virtual_rank();
  memcpy(message->content, buffer, length);
  struct message** link = &nodes[to].coming;
  while (*link) link = &(*link)->next;
  *link = message;
  virtual_wake((int)to, message->arrival);
}

static ssize_t inject(struct ofi_ep* ep, const void* buffer, size_t length, uint64_t to,
                      uint64_t tag) {
  (void)ep;
  deliver(buffer, length, false, 0, to, tag);
  return 0;
}

static ssize_t injectdata(struct ofi_ep* ep, const void* buffer, size_t length, uint64_t data,
                          uint64_t to, uint64_t tag) {
  (void)ep;
  deliver(buffer, length, true, data, to, tag);
  return 0;
}

// Receiving.

static void append(struct posted** link, void* buffer, size_t length, uint64_t tag, void* context) {
  while (*link) link = &(*link)->next;
  *link = calloc(1, sizeof **link);
  **link = (struct posted){.tag = tag, .context = context, .buffer = buffer, .length = length};
}

static ssize_t receive(struct ofi_ep* ep, void* buffer, size_t length, void* desc, uint64_t from,
                       uint64_t tag, uint64_t ignore, void* context) {
  (void)ep;
  (void)desc;
  (void)from;
  (void)ignore;
  append(&self()->receives, buffer, length, tag, context);
  return 0;
}

static ssize_t receive_message(struct ofi_ep* ep, const struct ofi_msg_tagged* msg,
                               uint64_t flags) {
  (void)ep;
  if (!(flags & OFI_PEEK)) exit(4);
  append(&self()->asked, NULL, 0, msg->tag, msg->context);
  return 0;
}

static struct message** come(uint64_t tag) {
  struct message** link = &self()->coming;
  while (*link && ((*link)->tag != tag || (*link)->arrival > virtual_now())) {
    link = &(*link)->next;
  }
  return link;
}

static void complete(const struct message* message, void* context, struct ofi_entry* entry,
                     uint64_t* source) {
  *entry = (struct ofi_entry){.context = context,
                              .flags = OFI_RECV | (message->with_data ? OFI_REMOTE_CQ_DATA : 0),
                              .length = message->length,
                              .data = message->data,
                              .tag = message->tag};
  if (source) *source = (uint64_t)message->from;
}

/// Answers the first query, or completes the first receive that has a message.
static bool next(struct ofi_entry* entry, uint64_t* source) {
  struct node* node = self();
  struct posted* question = node->asked;
  if (question) {
    node->asked = question->next;
    const struct message* message = *come(question->tag);
    if (message) {
      complete(message, question->context, entry, source);
      free(question);
      return true;
    }
    struct absent* absent = calloc(1, sizeof *absent);
    *absent = (struct absent){node->failures, question->tag, question->context};
    node->failures = absent;
    free(question);
  }
  for (struct posted** link = &node->receives; *link; link = &(*link)->next) {
    struct posted* posted = *link;
    struct message** found = come(posted->tag);
    struct message* message = *found;
    if (!message) continue;
    *found = message->next;
    *link = posted->next;
    memcpy(posted->buffer, message->content, message->length);
    complete(message, posted->context, entry, source);
    free(message);
    free(posted);
    return true;
  }
  return false;
}

static ssize_t readfrom(struct ofi_cq* cq, void* entries, size_t count, uint64_t* sources) {
  (void)cq;
  virtual_pass(virtual_wire.look_ns);
  size_t found = 0;
  while (found < count && next((struct ofi_entry*)entries + found, sources + found)) ++found;
  if (found) return (ssize_t)found;
  return self()->failures ? -OFI_ERROR_AVAILABLE : -OFI_AGAIN;
}

static ssize_t readerr(struct ofi_cq* cq, struct ofi_error* error, uint64_t flags) {
  (void)cq;
  (void)flags;
  struct absent* first = self()->failures;
  if (!first) return -OFI_AGAIN;
  *error =
      (struct ofi_error){.context = first->context, .tag = first->tag, .error = OFI_NO_MESSAGE};
  self()->failures = first->next;
  free(first);
  return 1;
}

/// Sleeps until there is something.
static ssize_t sreadfrom(struct ofi_cq* cq, void* entries, size_t count, uint64_t* sources,
                         const void* condition, int timeout_ms) {
  (void)cq;
  (void)count;
  (void)condition;
  const uint64_t end =
      timeout_ms < 0 ? UINT64_MAX : virtual_now() + (uint64_t)timeout_ms * NS_PER_MS;
  while (!next(entries, sources)) {
    if (virtual_now() >= end) return -OFI_AGAIN;
    uint64_t moment = end;
    for (struct message* message = self()->coming; message; message = message->next) {
      if (message->arrival > virtual_now() && message->arrival < moment) moment = message->arrival;
    }
    virtual_wait(moment);
  }
  return 1;
}

// What is opened.

static struct ofi_tagged_ops tagged_ops = {
    .size = sizeof tagged_ops,
    .recv = receive,
    .recvmsg = receive_message,
    .inject = inject,
    .injectdata = injectdata,
};
static struct ofi_ep_ops ep_ops = {.size = sizeof ep_ops};
static struct ofi_cq_ops cq_ops = {
    .size = sizeof cq_ops, .readfrom = readfrom, .readerr = readerr, .sreadfrom = sreadfrom};

static int cq_open(struct ofi_domain* domain, struct ofi_cq_attr* attributes, struct ofi_cq** cq,
                   void* context) {
  (void)domain;
  (void)context;
  if (attributes->format != OFI_CQ_TAGGED) return -1;
  self()->cq = (struct ofi_cq){{.ops = &fid_ops}, &cq_ops};
  *cq = &self()->cq;
  return 0;
}

static int endpoint(struct ofi_domain* domain, struct ofi_info* info, struct ofi_ep** ep,
                    void* context) {
  (void)domain;
  (void)info;
  (void)context;
  self()->ep = (struct ofi_ep){.fid = {.ops = &fid_ops}, .ops = &ep_ops, .tagged = &tagged_ops};
  *ep = &self()->ep;
  return 0;
}

static struct ofi_domain_ops domain_ops = {
    .size = sizeof domain_ops, .cq_open = cq_open, .endpoint = endpoint};

static int domain_open(struct ofi_fabric* fabric, struct ofi_info* info, struct ofi_domain** domain,
                       void* context) {
  (void)fabric;
  (void)info;
  (void)context;
  self()->domain = (struct ofi_domain){{.ops = &fid_ops}, &domain_ops};
  *domain = &self()->domain;
  return 0;
}

static struct ofi_fabric_ops fabric_ops = {.size = sizeof fabric_ops, .domain = domain_open};

int fi_fabric(struct ofi_fabric_attr* attributes, struct ofi_fabric** fabric, void* context) {
  (void)attributes;
  (void)context;
  self()->fabric = (struct ofi_fabric){{.ops = &fid_ops}, &fabric_ops};
  *fabric = &self()->fabric;
  return 0;
}
