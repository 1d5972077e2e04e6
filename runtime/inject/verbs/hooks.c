// The verbs injector: a wait before each post to a send queue (Underwood et al. 2018, §3.1). The
// posting functions are replaced when the program opens a device or gets a queue pair's extended
// interface.
#define _GNU_SOURCE
#include "../../preload/export.h"
#include "../../preload/original.h"
#include "../delay.h"
#include "../settings.h"
#include "verbs.h"

typedef struct ibv_context* open_function(void* device);
typedef struct ibv_context* open_mlx5_function(void* device, void* attributes);
typedef struct ibv_context* import_function(int file);
typedef struct ibv_qp_ex* extend_function(struct ibv_qp*);

static const char library[] = "libibverbs";

static bool asked(void) {
  if (lat_layer_asked() != LAT_VERBS) return false;
  lat_delay_setup();
  lat_verbs_per_wr = lat_per_wr();
  return true;
}

static struct ibv_context* opened(struct ibv_context* context) {
  if (context && asked()) lat_verbs_hook_context(context);
  return context;
}

LAT_EXPORT struct ibv_context* ibv_open_device(void* device) {
  static open_function* original;
  lat_find((void**)&original, __func__, library);
  return opened(original(device));
}

LAT_EXPORT struct ibv_context* mlx5dv_open_device(void* device, void* attributes) {
  static open_mlx5_function* original;
  lat_find((void**)&original, __func__, "libmlx5");
  return opened(original(device, attributes));
}

LAT_EXPORT struct ibv_context* ibv_import_device(int file) {
  static import_function* original;
  lat_find((void**)&original, __func__, library);
  return opened(original(file));
}

LAT_EXPORT struct ibv_qp_ex* ibv_qp_to_qp_ex(struct ibv_qp* queue_pair) {
  static extend_function* original;
  lat_find((void**)&original, __func__, library);
  struct ibv_qp_ex* qp = original(queue_pair);
  if (qp && asked()) lat_verbs_hook_queue_pair(qp);
  return qp;
}
