// ibv_post_send is inline and calls through a pointer in the device's context.
#include <pthread.h>

#include "../report.h"
#include "verbs.h"

static ibv_post_function* posts[LAT_KINDS];
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

static void wait_before(const struct ibv_send_wr* request) {
  lat_verbs_wait();
  if (!lat_verbs_per_wr || !request) return;
  for (request = request->next; request; request = request->next) lat_verbs_wait();
}

#define WRAPPER(n)                                                                                \
  static int post_##n(struct ibv_qp* qp, struct ibv_send_wr* request, struct ibv_send_wr** bad) { \
    wait_before(request);                                                                         \
    return posts[n](qp, request, bad);                                                            \
  }
LAT_EACH_KIND(WRAPPER)
#define NAME(n) post_##n,
static ibv_post_function* const own[LAT_KINDS] = {LAT_EACH_KIND(NAME)};

static void swap(struct ibv_context* context) {
  for (int i = 0; i < LAT_KINDS; ++i) {
    if (context->post_send == own[i]) return;
    if (posts[i] && posts[i] != context->post_send) continue;
    posts[i] = context->post_send;
    context->post_send = own[i];
    lat_count_up(&lat_report->hooked);
    lat_report_transport("post_send", 1);
    return;
  }
  lat_verbs_full();
}

void lat_verbs_hook_context(struct ibv_context* context) {
  pthread_mutex_lock(&changing);
  swap(context);
  pthread_mutex_unlock(&changing);
}
