// libfabric's objects that the injector tracks until they are closed.
#include <stdlib.h>
#include <string.h>

#include "ofi.h"

static int close_object(struct ofi_fid* fid) {
  struct lat_object* object = LAT_AROUND(fid->ops, struct lat_object, ops);
  fid->ops = object->original;
  const int status = object->original->close(fid);
  if (status == 0) {
    object->end(object);
  } else {
    fid->ops = &object->ops;
  }
  return status;
}

void lat_object_begin(struct lat_object* object, struct ofi_fid* fid,
                      void (*end)(struct lat_object*)) {
  object->original = fid->ops;
  object->end = end;
  lat_table_copy(&object->ops, sizeof object->ops, fid->ops);
  object->ops.close = close_object;
  fid->ops = &object->ops;
}

struct lat_object* lat_object_of(const struct ofi_fid* fid) {
  return fid->ops->close == close_object ? LAT_AROUND(fid->ops, struct lat_object, ops) : NULL;
}

void lat_table_copy(void* ours, size_t size, const void* theirs) {
  size_t length;
  memcpy(&length, theirs, sizeof length);
  if (length > size) length = size;
  memset(ours, 0, size);
  memcpy(ours, theirs, length);
  memcpy(ours, &length, sizeof length);
}
