// Ranks that talk through the network of virtual_fabric.c, as an MPI over libfabric would. The
// command line is that of virtual_ranks.h, and also:
//
//     overhead=NS latency=NS look=NS    the network's
//
//     post:TAG:COUNT           receives
//     send:PEER:TAG:COUNT:GAP  messages, each followed by work of GAP ns
//     pass:NS  until:NS        works for this time, until then
//     look:COUNT               reads the queue, this number of times
//     receive:N                reads the queue until this number of messages in all have come
//     sleep:MS                 waits at the queue for this time (−1: for ever), or for a message
//     ask:TAG                  whether a message is there
//
// What happens: sent, received, nothing, there, absent; of a peer, and the message's tag.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../clock/tests/virtual_clock.h"
#include "../../preload/fabric.h"
#include "virtual_fabric.h"
#include "virtual_ranks.h"

typedef int fabric_function(struct ofi_fabric_attr* attributes, struct ofi_fabric** fabric,
                            void* context);

enum { MOST_POSTED = 1 << 16 };

struct rank {
  int received, posted;
  struct ofi_cq* cq;
  struct ofi_ep* ep;
  uint64_t* buffers;
};

static struct rank ranks[VIRTUAL_MOST_RANKS];

static struct rank* self(void) { return &ranks[virtual_rank()]; }

static void connect_all(void) {
  fabric_function* open = NULL;
  *(void**)&open = virtual_function("fi_fabric");
  char provider[] = "virtual";
  struct ofi_fabric_attr of_fabric = {.provider = provider};
  struct ofi_domain_attr of_domain = {.cq_data_size = 8};
  struct ofi_info info = {.domain_attr = &of_domain, .fabric_attr = &of_fabric};
  struct ofi_cq_attr of_queue = {.format = OFI_CQ_TAGGED};
  struct ofi_fabric* fabric;
  struct ofi_domain* domain;
  struct rank* rank = self();
  open(&of_fabric, &fabric, NULL);
  fabric->ops->domain(fabric, &info, &domain, NULL);
  domain->ops->cq_open(domain, &of_queue, &rank->cq, NULL);
  domain->ops->endpoint(domain, &info, &rank->ep, NULL);
  rank->buffers = calloc(MOST_POSTED, sizeof *rank->buffers);
}

static void take(const struct ofi_entry* entry, uint64_t source) {
  if (entry->context == &ranks) {
    virtual_tell("there", (int)source, (int)entry->tag);
    return;
  }
  if (*(uint64_t*)entry->context != entry->tag || entry->data != 0 ||
      (entry->flags & OFI_REMOTE_CQ_DATA)) {
    exit(5);
  }
  ++self()->received;
  virtual_tell("received", (int)source, (int)entry->tag);
}

static bool look(void) {
  struct ofi_entry entry;
  uint64_t source;
  const ssize_t got = self()->cq->ops->readfrom(self()->cq, &entry, 1, &source);
  if (got == 1) take(&entry, source);
  if (got == -OFI_ERROR_AVAILABLE) {
    struct ofi_error error;
    if (self()->cq->ops->readerr(self()->cq, &error, 0) != 1) exit(6);
    if (error.error != OFI_NO_MESSAGE || error.context != &ranks) exit(7);
    virtual_tell("absent", 0, (int)error.tag);
  }
  return got != -OFI_AGAIN;
}

static void act(const char* action) {
  char what[16] = "";
  long long words[4] = {0, 0, 1, 0};
  const int given = sscanf(action, "%15[^:]:%lld:%lld:%lld:%lld", what, &words[0], &words[1],
                           &words[2], &words[3]);
  struct rank* rank = self();
  struct ofi_tagged_ops* ops = rank->ep->tagged;
  if (strcmp(what, "pass") == 0) virtual_pass((uint64_t)words[0]);
  if (strcmp(what, "until") == 0) virtual_pass_until((uint64_t)words[0]);
  if (strcmp(what, "look") == 0) {
    for (long long i = 0; i == 0 || i < words[0]; ++i) look();
  }
  if (strcmp(what, "receive") == 0) {
    while (rank->received < words[0]) look();
  }
  if (strcmp(what, "post") == 0) {
    for (long long i = 0; i < (given > 2 ? words[1] : 1); ++i) {
      uint64_t* buffer = &rank->buffers[rank->posted++];
      ops->recv(rank->ep, buffer, sizeof *buffer, NULL, OFI_ADDRESS_UNKNOWN, (uint64_t)words[0], 0,
                buffer);
    }
  }
  if (strcmp(what, "send") == 0) {
    const uint64_t tag = (uint64_t)words[1];
    for (long long i = 0; i < words[2]; ++i) {
      ops->inject(rank->ep, &tag, sizeof tag, (uint64_t)words[0], tag);
      virtual_tell("sent", (int)words[0], (int)tag);
      virtual_pass((uint64_t)words[3]);
    }
  }
  if (strcmp(what, "sleep") == 0) {
    struct ofi_entry entry;
    uint64_t source;
    const ssize_t got = rank->cq->ops->sreadfrom(rank->cq, &entry, 1, &source, NULL, (int)words[0]);
    if (got == 1) {
      take(&entry, source);
    } else {
      virtual_tell("nothing", 0, 0);
    }
  }
  if (strcmp(what, "ask") == 0) {
    const struct ofi_msg_tagged question = {
        .address = OFI_ADDRESS_UNKNOWN, .tag = (uint64_t)words[0], .context = &ranks};
    ops->recvmsg(rank->ep, &question, OFI_PEEK);
    while (!look()) continue;
  }
}

int main(int count, char** words) {
  const struct virtual_option options[] = {{"overhead", &virtual_wire.overhead_ns},
                                           {"latency", &virtual_wire.latency_ns},
                                           {"look", &virtual_wire.look_ns},
                                           {0}};
  virtual_ranks_run(count, words, options, connect_all, act);
  return 0;
}
