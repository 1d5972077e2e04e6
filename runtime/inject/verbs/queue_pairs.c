// ibv_wr_* are inline and call through pointers in the queue pair. The call that starts a batch
// waits, as a post does. With a delay per work request, each call that begins a work request also
// waits, except the first.
#include <pthread.h>
#include <string.h>

#include "../report.h"
#include "verbs.h"

/// A provider's functions; they also depend on the type of the queue pair.
struct kind {
  void (*start)(struct ibv_qp_ex*);
  struct lat_requests requests;
};

static struct kind kinds[LAT_KINDS];
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local const struct ibv_qp_ex*
    started;  // the queue pair whose first request has waited

static void start(const struct ibv_qp_ex* qp) {
  lat_verbs_wait();
  started = qp;
}

static void request(const struct ibv_qp_ex* qp) {
  if (started != qp) lat_verbs_wait();
  started = NULL;
}

#define REQUEST(n, name, parameters, arguments) \
  static void name##_##n parameters {           \
    request(qp);                                \
    kinds[n].requests.name arguments;           \
  }
#define WRAPPERS(n)                             \
  static void start_##n(struct ibv_qp_ex* qp) { \
    start(qp);                                  \
    kinds[n].start(qp);                         \
  }                                             \
  LAT_REQUESTS(REQUEST, n)
LAT_EACH_KIND(WRAPPERS)

#define NAME(n, name, parameters, arguments) name##_##n,
#define NAMES(n) {start_##n, {LAT_REQUESTS(NAME, n)}},
static const struct kind own[LAT_KINDS] = {LAT_EACH_KIND(NAMES)};

/// A provider leaves out functions that it does not support.
#define SWAP_REQUEST(n, name, parameters, arguments) \
  if (qp->requests.name) qp->requests.name = own[n].requests.name;

static void swap(struct ibv_qp_ex* qp) {
  const struct kind found = {qp->wr_start, qp->requests};
  for (int i = 0; i < LAT_KINDS; ++i) {
    if (found.start == own[i].start) return;
    if (kinds[i].start && memcmp(&kinds[i], &found, sizeof found) != 0) continue;
    kinds[i] = found;
    qp->wr_start = own[i].start;
    if (lat_verbs_per_wr) {
      LAT_REQUESTS(SWAP_REQUEST, i)
    }
    lat_count_up(&lat_report->hooked);
    lat_report_transport("wr_start", 1);
    return;
  }
  lat_verbs_full();
}

void lat_verbs_hook_queue_pair(struct ibv_qp_ex* qp) {
  pthread_mutex_lock(&changing);
  swap(qp);
  pthread_mutex_unlock(&changing);
}
