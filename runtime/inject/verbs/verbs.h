#ifndef LATITUDE_INJECT_VERBS_H
#define LATITUDE_INJECT_VERBS_H

#include <stdbool.h>

#include "ibv.h"

/// Providers are few: their functions are stored by kind, with one wrapper for each kind.
enum { LAT_KINDS = 16 };
#define LAT_EACH_KIND(X) \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

/// Whether every work request waits, not only every post.
extern bool lat_verbs_per_wr;

/// Algorithm 2 of Underwood et al. 2018, with the processor's counter instead of a counting loop.
void lat_verbs_wait(void);

/// Warns once that there are more kinds than LAT_KINDS.
void lat_verbs_full(void);

/// Replaces the posting functions: ibv_post_send of a device, ibv_wr_* of a queue pair.
void lat_verbs_hook_context(struct ibv_context* context);
void lat_verbs_hook_queue_pair(struct ibv_qp_ex* qp);

#endif
