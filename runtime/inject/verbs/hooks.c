// The verbs injector: a wait before each post to a send queue, [U] §3.1. ibv_post_send and ibv_wr_*
// are inline and call through pointers in the context and the queue pair: those are swapped when
// the program gets hold of them.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "../clock.h"
#include "../delay.h"
#include "../export.h"
#include "../original.h"
#include "../report.h"
#include "../settings.h"
#include "ibv.h"

typedef struct ibv_context* open_function(void* device);
typedef struct ibv_context* import_function(int file);
typedef struct ibv_qp_ex* extend_function(struct ibv_qp*);
typedef void start_function(struct ibv_qp_ex*);

static const char library[] = "libibverbs";

// Providers are few: what they set is remembered by provider function, one wrapper for each.
enum { MOST = 16 };
static ibv_post_function* posts[MOST];
static start_function* starts[MOST];
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static bool per_wr;

/// [U] Algorithm 2, with the processor's counter instead of a counting loop.
static void wait_before_post(void) {
  if (!lat_delay_on()) {
    lat_count_up(&lat_report->passed);
    return;
  }
  const uint64_t begin = lat_ticks();
  const uint64_t asked_ns = lat_delay_next();
  const uint64_t passed = lat_busy_wait(begin, lat_ticks_of_ns(asked_ns));
  lat_report_delay(asked_ns, lat_ns_of_ticks(passed));
}

static void wait_before(const struct ibv_send_wr* request) {
  wait_before_post();
  if (!per_wr || !request) return;
  for (request = request->next; request; request = request->next) wait_before_post();
}

#define EACH(X) \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

#define WRAPPERS(n)                                                                               \
  static int post_##n(struct ibv_qp* qp, struct ibv_send_wr* request, struct ibv_send_wr** bad) { \
    wait_before(request);                                                                         \
    return posts[n](qp, request, bad);                                                            \
  }                                                                                               \
  static void start_##n(struct ibv_qp_ex* qp) {                                                   \
    wait_before_post();                                                                           \
    starts[n](qp);                                                                                \
  }
EACH(WRAPPERS)
#define POST(n) post_##n,
#define START(n) start_##n,
static ibv_post_function* const own_posts[MOST] = {EACH(POST)};
static start_function* const own_starts[MOST] = {EACH(START)};

static void full(void) {
  static bool said;
  if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED)) {
    fprintf(stderr, "latitude: warning: more than %d kinds of queue pairs: some are not delayed\n",
            MOST);
  }
}

static void hook_context(struct ibv_context* context) {
  if (!context || lat_layer_asked() != LAT_VERBS) return;
  lat_delay_setup();
  per_wr = lat_per_wr();
  pthread_mutex_lock(&changing);
  for (int i = 0; i < MOST; ++i) {
    if (context->post_send == own_posts[i]) break;
    if (posts[i] && posts[i] != context->post_send) {
      if (i == MOST - 1) full();
      continue;
    }
    posts[i] = context->post_send;
    context->post_send = own_posts[i];
    lat_count_up(&lat_report->hooked);
    lat_report_transport("post_send", 1);
    break;
  }
  pthread_mutex_unlock(&changing);
}

static void hook_queue_pair(struct ibv_qp_ex* qp) {
  if (!qp || lat_layer_asked() != LAT_VERBS) return;
  lat_delay_setup();
  pthread_mutex_lock(&changing);
  for (int i = 0; i < MOST; ++i) {
    if (qp->wr_start == own_starts[i]) break;
    if (starts[i] && starts[i] != qp->wr_start) {
      if (i == MOST - 1) full();
      continue;
    }
    starts[i] = qp->wr_start;
    qp->wr_start = own_starts[i];
    lat_count_up(&lat_report->hooked);
    lat_report_transport("wr_start", 1);
    break;
  }
  pthread_mutex_unlock(&changing);
}

LAT_EXPORT struct ibv_context* ibv_open_device(void* device) {
  static open_function* original;
  lat_find((void**)&original, __func__, library);
  struct ibv_context* context = original(device);
  hook_context(context);
  return context;
}

LAT_EXPORT struct ibv_context* ibv_import_device(int file) {
  static import_function* original;
  lat_find((void**)&original, __func__, library);
  struct ibv_context* context = original(file);
  hook_context(context);
  return context;
}

LAT_EXPORT struct ibv_qp_ex* ibv_qp_to_qp_ex(struct ibv_qp* queue_pair) {
  static extend_function* original;
  lat_find((void**)&original, __func__, library);
  struct ibv_qp_ex* qp = original(queue_pair);
  hook_queue_pair(qp);
  return qp;
}
