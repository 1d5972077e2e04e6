// Ranks that talk through the network of virtual_uct.c, as UCX would. The command line is that of
// virtual_ranks.h, and also:
//
//     injector=A|B|C   variants of Shen et al. 2024, Fig. 8, which delay by delta=NS
//     overhead=NS latency=NS kilobyte=NS look=NS leaving=NS    the network's
//     look_first=0|1 full=0|1
//
//     send:PEER:BYTES:COUNT:GAP   (bcopy, zcopy, wireup) messages, each followed by work of GAP ns
//     put:PEER:BYTES  get:PEER:BYTES  flush:PEER
//     pass:NS  until:NS           works for this time, until then
//     look:COUNT                  rounds of progress
//     leave:PEER:BYTES            a message from the program's memory, over when it has left that
//     receive:N  complete:N       progress until this number of messages, operations in all
//
// What happens: sent, received, done; of a peer, and which in order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../clock/tests/virtual_clock.h"
#include "../../preload/uct.h"
#include "virtual_ranks.h"
#include "virtual_uct.h"

typedef uct_status open_function(void* domain, void* worker, const struct uct_iface_params* params,
                                 const void* config, struct uct_iface** iface);
typedef uct_status set_function(struct uct_iface* iface, uint8_t id, uct_handler* handler,
                                void* argument, uint32_t flags);
typedef uct_status create_function(const struct uct_ep_params* params, struct uct_ep** ep);

enum { ID = 5, AGAIN_NS = 50, LONGEST = 1 << 20, PEER_BITS = 8 };

struct operation {
  struct uct_completion completion;
  int peer, number;
};

struct rank {
  struct uct_iface* iface;
  struct uct_ep* to[VIRTUAL_MOST_RANKS];
  int sent, received, begun, done;
  uint64_t helper_free;  // when the helper of variant B is free
};

static struct rank ranks[VIRTUAL_MOST_RANKS];
static uint64_t delta;
static char content[LONGEST];

static struct rank* self(void) { return &ranks[virtual_rank()]; }

static bool variant(char which) { return virtual_injector()[0] == which && !virtual_injector()[1]; }

static uct_status handle(void* argument, void* data, size_t length, unsigned flags) {
  (void)argument;
  (void)flags;
  uint64_t header;
  memcpy(&header, data, sizeof header);
  if (variant('C')) virtual_pass(delta);
  for (size_t i = sizeof header; i < length; ++i) {
    if (((char*)data)[i] != content[i - sizeof header]) exit(3);
  }
  ++self()->received;
  virtual_tell("received", (int)(header & ((1 << PEER_BITS) - 1)), (int)(header >> PEER_BITS));
  return UCT_OK;
}

static void connect_all(void) {
  open_function* open = NULL;
  set_function* set = NULL;
  create_function* create = NULL;
  *(void**)&open = virtual_function("uct_iface_open");
  *(void**)&set = virtual_function("uct_iface_set_am_handler");
  *(void**)&create = virtual_function("uct_ep_create");
  struct rank* rank = self();
  const struct uct_iface_params params = {.open_mode = UCT_OPEN_MODE_DEVICE, .transport = "tcp"};
  open(NULL, virtual_uct_worker(virtual_rank()), &params, NULL, &rank->iface);
  struct uct_attributes attributes;
  rank->iface->ops.query(rank->iface, &attributes);
  set(rank->iface, ID, handle, NULL, 0);
  set(rank->iface, UCT_WIREUP_ID, handle, NULL, 0);
  for (int peer = 0; peer < virtual_ranks(); ++peer) {
    const struct uct_ep_params to = {.field_mask = UCT_EP_TO_IFACE,
                                     .iface = rank->iface,
                                     .device_address = &peer,
                                     .address = &peer};
    create(&to, &rank->to[peer]);
  }
}

struct packed {
  uint64_t header;
  size_t length;
};

static size_t pack(void* destination, void* argument) {
  const struct packed* packed = argument;
  memcpy(destination, &packed->header, sizeof packed->header);
  memcpy((char*)destination + sizeof packed->header, content, packed->length);
  return sizeof packed->header + packed->length;
}

static void send_one(char how, int peer, size_t bytes) {
  struct rank* rank = self();
  const uint64_t header = ((uint64_t)rank->sent << PEER_BITS) | (uint64_t)virtual_rank();
  const size_t length = bytes > sizeof header ? bytes - sizeof header : 0;
  struct packed packed = {header, length};
  const struct uct_iov iov = {.buffer = content, .length = length, .count = 1};
  struct uct_iface_ops* ops = &rank->iface->ops;
  struct uct_ep* ep = rank->to[peer];
  if (variant('A')) virtual_pass(delta);
  if (variant('B')) {
    const uint64_t begin = rank->helper_free > virtual_now() ? rank->helper_free : virtual_now();
    rank->helper_free = begin + delta;
    virtual_pass(virtual_network.overhead_ns);
    virtual_uct_send_at(rank->helper_free + virtual_network.overhead_ns, peer, ID, header);
  } else if (how == 's' || how == 'w') {
    const uint8_t id = how == 's' ? ID : UCT_WIREUP_ID;
    while (ops->am_short(ep, id, header, content, (unsigned)length) < 0) virtual_pass(AGAIN_NS);
  } else if (how == 'b') {
    ptrdiff_t sent = -1;
    while ((sent = ops->am_bcopy(ep, ID, pack, &packed, 0)) < 0) virtual_pass(AGAIN_NS);
    if (sent != (ptrdiff_t)(sizeof header + length)) exit(4);
  } else {
    while (ops->am_zcopy(ep, ID, &header, sizeof header, &iov, 1, 0, NULL) < 0) {
      virtual_pass(AGAIN_NS);
    }
  }
  virtual_tell("sent", peer, rank->sent++);
}

static void over(struct uct_completion* completion) {
  struct operation* operation = (struct operation*)completion;
  ++self()->done;
  virtual_tell("done", operation->peer, operation->number);
  free(operation);
}

static void operate(char what, int peer, size_t bytes) {
  struct rank* rank = self();
  struct operation* operation = calloc(1, sizeof *operation);
  operation->completion = (struct uct_completion){.function = over, .count = 1};
  operation->peer = peer;
  operation->number = rank->begun++;
  const struct uct_iov iov = {.buffer = content, .length = bytes, .count = 1};
  struct uct_iface_ops* ops = &rank->iface->ops;
  struct uct_ep* ep = rank->to[peer];
  uct_status status;
  if (what == 'l') {
    const uint64_t header = ((uint64_t)rank->sent++ << PEER_BITS) | (uint64_t)virtual_rank();
    status = ops->am_zcopy(ep, ID, &header, sizeof header, &iov, 1, 0, &operation->completion);
  } else if (what == 'f') {
    status = ops->ep_flush(ep, 0, &operation->completion);
  } else {
    uct_remote* remote = what == 'p' ? ops->put_zcopy : ops->get_zcopy;
    while ((status = remote(ep, &iov, 1, 0, 0, &operation->completion)) < 0) {
      virtual_pass(AGAIN_NS);
    }
  }
  if (status == UCT_OK) over(&operation->completion);
}

static void act(const char* action) {
  char what[16] = "";
  unsigned long long words[4] = {0, 0, 1, 0};
  sscanf(action, "%15[^:]:%llu:%llu:%llu:%llu", what, &words[0], &words[1], &words[2], &words[3]);
  const int n = (int)words[0];
  if (strcmp(what, "pass") == 0) {
    virtual_pass(words[0]);
  } else if (strcmp(what, "until") == 0) {
    virtual_pass_until(words[0]);
  } else if (strcmp(what, "look") == 0) {
    for (int i = 0; i == 0 || i < n; ++i) virtual_uct_progress(virtual_rank());
  } else if (strcmp(what, "receive") == 0) {
    while (self()->received < n) virtual_uct_progress(virtual_rank());
  } else if (strcmp(what, "complete") == 0) {
    while (self()->done < n) virtual_uct_progress(virtual_rank());
  } else if (strcmp(what, "put") == 0 || strcmp(what, "get") == 0 || strcmp(what, "flush") == 0 ||
             strcmp(what, "leave") == 0) {
    operate(what[0], n, words[1]);
  } else if (strcmp(what, "send") == 0 || strcmp(what, "bcopy") == 0 ||
             strcmp(what, "zcopy") == 0 || strcmp(what, "wireup") == 0) {
    for (unsigned long long i = 0; i < words[2]; ++i) {
      send_one(what[0], n, words[1]);
      virtual_pass(words[3]);
    }
  } else {
    fprintf(stderr, "no action: %s\n", action);
    exit(2);
  }
}

int main(int count, char** words) {
  const struct virtual_option options[] = {{"delta", &delta},
                                           {"overhead", &virtual_network.overhead_ns},
                                           {"latency", &virtual_network.latency_ns},
                                           {"kilobyte", &virtual_network.kilobyte_ns},
                                           {"look", &virtual_network.look_ns},
                                           {"look_first", &virtual_network.look_first},
                                           {"leaving", &virtual_network.leaving_ns},
                                           {"full", &virtual_network.full},
                                           {0}};
  for (int i = 0; i < LONGEST; ++i) content[i] = (char)(i * 7);
  virtual_ranks_run(count, words, options, connect_all, act);
  return 0;
}
