#define _GNU_SOURCE
#include "original.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
  const char* name;
  const char* library;
  void* found;
};

static int look(struct dl_phdr_info* info, size_t size, void* argument) {
  (void)size;
  struct search* search = argument;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* base = slash ? slash + 1 : info->dlpi_name;
  if (strncmp(base, search->library, strlen(search->library)) != 0) return 0;
  void* handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return 0;
  search->found = dlsym(handle, search->name);
  dlclose(handle);
  return search->found != NULL;
}

void* lat_original(const char* name, const char* library) {
  void* next = dlsym(RTLD_NEXT, name);
  if (next) return next;
  struct search search = {name, library, NULL};
  dl_iterate_phdr(look, &search);
  return search.found;
}

void lat_find(void** function, const char* name, const char* library) {
  if (__atomic_load_n(function, __ATOMIC_RELAXED)) return;
  void* found = lat_original(name, library);
  if (!found) {
    fprintf(stderr, "latitude: %s of %s is not found behind our own\n", name, library);
    abort();
  }
  __atomic_store_n(function, found, __ATOMIC_RELAXED);
}
