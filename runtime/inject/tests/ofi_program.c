// Features of libfabric that MPI libraries seldom or never use, under the injector: all ways to
// wait at a queue, queries for a message, one buffer for many messages, short completions. One
// process, two endpoints. Prints the errors; the exit status is their number.
//
//     ofi_program PROVIDER DELAY_NS NOISE_NS     NOISE_NS: how much later messages may be
#include <poll.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"

enum { SIZE = 64, MANY = 4096, HANG_MS = 300000 };

#define MUST(call)                                                    \
  do {                                                                \
    const long status_ = (long)(call);                                \
    if (status_ < 0) {                                                \
      printf("%s:%d: %s: %ld\n", __FILE__, __LINE__, #call, status_); \
      exit(99);                                                       \
    }                                                                 \
  } while (0)

struct side {
  struct fid_ep* ep;
  struct fid_cq* cq;
  struct fid_av* av;
  fi_addr_t other;
};

static struct fid_fabric* fabric;
static uint64_t delay, noise;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void open_side(struct fid_domain* domain, struct fi_info* info, struct side* side,
                      enum fi_cq_format format) {
  struct fi_cq_attr queue = {.format = format, .wait_obj = FI_WAIT_FD, .size = 256};
  struct fi_av_attr addresses = {.type = FI_AV_TABLE};
  MUST(fi_endpoint(domain, info, &side->ep, NULL));
  MUST(fi_cq_open(domain, &queue, &side->cq, NULL));
  EXPECT(queue.format == format);
  MUST(fi_av_open(domain, &addresses, &side->av, NULL));
  MUST(fi_ep_bind(side->ep, &side->av->fid, 0));
  MUST(fi_ep_bind(side->ep, &side->cq->fid, FI_SEND | FI_RECV));
  MUST(fi_enable(side->ep));
}

static void introduce(struct side* to, struct side* whom) {
  char name[256];
  size_t length = sizeof name;
  MUST(fi_getname(&whom->ep->fid, name, &length));
  MUST(fi_av_insert(to->av, name, 1, &to->other, 0, NULL));
}

static struct side a, b;

/// From a to b; both make progress, as two processes would.
static void send_small(uint64_t tag, uint64_t* data) {
  static char text[SIZE] = "hello";
  struct fi_cq_tagged_entry entry;
  long status;
  do {
    status = data ? fi_tinjectdata(a.ep, text, SIZE, *data, a.other, tag)
                  : fi_tinject(a.ep, text, SIZE, a.other, tag);
    fi_cq_read(a.cq, &entry, 0);
    fi_cq_read(b.cq, &entry, 0);
  } while (status == -FI_EAGAIN);
  MUST(status);
}

static void progress(uint64_t ns) {
  struct fi_cq_tagged_entry entry;
  for (const uint64_t end = now() + ns; now() < end;) fi_cq_read(a.cq, &entry, 0);
}

static int in_time(uint64_t begun) {
  const uint64_t took = now() - begun;
  const int right = took >= delay && took < delay + noise;
  if (!right) printf("took %lu ns\n", (unsigned long)took);
  return right;
}

static char buffer[MANY];
static struct fi_context2 context;

static void post(uint64_t tag) {
  MUST(fi_trecv(b.ep, buffer, SIZE, NULL, FI_ADDR_UNSPEC, tag, 0, &context));
}

static void polled(void) {
  struct fi_cq_tagged_entry entry;
  uint64_t data = 7;
  post(1);
  const uint64_t begun = now();
  send_small(1, &data);
  while (fi_cq_read(b.cq, &entry, 1) == -FI_EAGAIN) progress(1000);
  EXPECT(in_time(begun));
  EXPECT(entry.op_context == &context && entry.len == SIZE && entry.tag == 1);
  EXPECT(entry.data == 7 && (entry.flags & FI_REMOTE_CQ_DATA));
  EXPECT(strcmp(buffer, "hello") == 0);
  post(2);
  send_small(2, NULL);
  while (fi_cq_read(b.cq, &entry, 1) == -FI_EAGAIN) progress(1000);
  EXPECT(entry.data == 0 && !(entry.flags & FI_REMOTE_CQ_DATA));
}

static void slept_at_the_queue(void) {
  struct fi_cq_tagged_entry entry;
  post(3);
  uint64_t begun = now();
  EXPECT(fi_cq_sread(b.cq, &entry, 1, NULL, 20) == -FI_EAGAIN);
  EXPECT(now() - begun >= 19000000);
  begun = now();
  send_small(3, NULL);
  long status = fi_cq_sread(b.cq, &entry, 1, NULL, 1);
  if (status == -FI_EAGAIN) {
    status = fi_cq_sread(b.cq, &entry, 1, NULL, HANG_MS);
  } else {
    EXPECT(now() - begun >= delay);  // a receiver that does not run for this time finds it at once
  }
  EXPECT(status == 1);
  EXPECT(in_time(begun));
  EXPECT(entry.tag == 3);
}

/// fi_trywait tells when a caller may sleep: not while a message waits for its time.
static void slept_at_its_file(void) {
  struct fi_cq_tagged_entry entry;
  struct fid* fids[] = {&b.cq->fid};
  struct pollfd file = {.events = POLLIN};
  MUST(fi_control(&b.cq->fid, FI_GETWAIT, &file.fd));
  post(4);
  const uint64_t begun = now();
  send_small(4, NULL);
  int slept = 0;
  while (fi_cq_read(b.cq, &entry, 1) == -FI_EAGAIN) {
    if (fi_trywait(fabric, fids, 1) == FI_SUCCESS) {
      EXPECT(poll(&file, 1, HANG_MS) == 1);
      ++slept;
    }
    progress(1000);
  }
  EXPECT(in_time(begun));
  EXPECT(slept < 1000);
}

/// FI_PEEK: 1 if a message with the tag has arrived.
static int there(uint64_t tag) {
  struct fi_msg_tagged question = {.addr = FI_ADDR_UNSPEC, .tag = tag, .context = &context};
  struct fi_cq_tagged_entry entry;
  struct fi_cq_err_entry error = {0};
  MUST(fi_trecvmsg(b.ep, &question, FI_PEEK));
  for (;;) {
    const long status = fi_cq_read(b.cq, &entry, 1);
    if (status == 1) {
      EXPECT(entry.op_context == &context && entry.len == SIZE);
      return 1;
    }
    if (status != -FI_EAGAIN) {
      EXPECT(status == -FI_EAVAIL);
      EXPECT(fi_cq_readerr(b.cq, &error, 0) == 1);
      EXPECT(error.op_context == &context && error.err == FI_ENOMSG);
      return 0;
    }
    progress(1000);
  }
}

static void asked_for(void) {
  struct fi_cq_tagged_entry entry;
  EXPECT(!there(5));
  const uint64_t begun = now();
  send_small(5, NULL);
  while (!there(5)) continue;
  EXPECT(in_time(begun));
  post(5);
  while (fi_cq_read(b.cq, &entry, 1) == -FI_EAGAIN) progress(1000);
  EXPECT(now() - begun < delay + noise);
}

/// Messages of one buffer: the last one to be delivered returns it, no earlier one does.
static void into_one_buffer(void) {
  enum { ROOM = 3 * SIZE };
  const struct iovec room = {buffer, ROOM};
  const struct fi_msg many = {
      .msg_iov = &room, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = &context};
  struct fi_cq_tagged_entry entry;
  size_t least = SIZE;
  MUST(fi_setopt(&b.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, sizeof least));
  MUST(fi_recvmsg(b.ep, &many, FI_MULTI_RECV));
  const uint64_t begun = now();
  for (char m = 0; m < 3; ++m) {
    char text[SIZE] = {m};
    while (fi_inject(a.ep, text, SIZE, a.other) == -FI_EAGAIN) progress(1000);
  }
  int given_back = 0;
  for (int m = 0; m < 3 || !given_back;) {
    if (fi_cq_read(b.cq, &entry, 1) != 1) {
      progress(1000);
      continue;
    }
    EXPECT(!given_back);
    if (entry.flags & FI_RECV) EXPECT(((char*)entry.buf)[0] == m++);
    if (entry.flags & FI_MULTI_RECV) given_back = 1;
  }
  EXPECT(in_time(begun));
}

int main(int count, char** words) {
  if (count != 4) return 2;
  setvbuf(stdout, NULL, _IONBF, 0);
  alarm(2 * HANG_MS / 1000);
  delay = strtoull(words[2], NULL, 10);
  noise = strtoull(words[3], NULL, 10);
  struct fi_info *hints = fi_allocinfo(), *info;
  hints->caps = FI_MSG | FI_TAGGED | FI_MULTI_RECV;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->fabric_attr->prov_name = strdup(words[1]);
  MUST(fi_getinfo(FI_VERSION(1, 9), "127.0.0.1", NULL, 0, hints, &info));
  struct fid_domain* domain;
  MUST(fi_fabric(info->fabric_attr, &fabric, NULL));
  const uint64_t caps = info->caps;
  MUST(fi_domain(fabric, info, &domain, NULL));
  open_side(domain, info, &a, FI_CQ_FORMAT_CONTEXT);
  open_side(domain, info, &b, FI_CQ_FORMAT_TAGGED);
  EXPECT(info->caps == caps);
  introduce(&a, &b);
  introduce(&b, &a);
  polled();
  slept_at_the_queue();
  slept_at_its_file();
  asked_for();
  into_one_buffer();
  struct side* sides[] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    MUST(fi_close(&sides[i]->ep->fid));
    MUST(fi_close(&sides[i]->cq->fid));
    MUST(fi_close(&sides[i]->av->fid));
  }
  MUST(fi_close(&domain->fid));
  MUST(fi_close(&fabric->fid));
  fi_freeinfo(info);
  fi_freeinfo(hints);
  return faults;
}
