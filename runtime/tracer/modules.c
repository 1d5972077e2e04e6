#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracer.h"

// A loaded file, and whether it is MPI's Fortran or C layer, which stands between the
// application and the C calls.
struct module {
  uintptr_t first, end;
  bool layer;
};
static struct module* modules;
static size_t count, capacity;

// One of these in a library makes it a layer.
static const char* const layer_symbols[] = {
    "mpi_send_", "mpi_send__", "mpi_send", "MPI_SEND",  "mpi_send_f08_", "mpi_send_f08ts_",
    "mpi_recv_", "mpi_recv",   "MPI_RECV", "PMPI_Send", "mpi_init_f08_", "ompi_send_f",
};
enum { LAYER_SYMBOLS = sizeof layer_symbols / sizeof *layer_symbols };

static void put_build_id(struct lat_bytes* b, const struct dl_phdr_info* info) {
  char text[2 * 64 + 1] = "";
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    const uint8_t* at = (const uint8_t*)(info->dlpi_addr + segment->p_vaddr);
    const uint8_t* end = at + segment->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr)* note = (const ElfW(Nhdr)*)(const void*)at;
      const uint8_t* name = at + sizeof *note;
      const uint8_t* id = name + ((note->n_namesz + 3) & ~3u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
          note->n_descsz <= 64) {
        for (unsigned k = 0; k < note->n_descsz; ++k) snprintf(text + 2 * k, 3, "%02x", id[k]);
      }
      at = id + ((note->n_descsz + 3) & ~3u);
    }
  }
  lat_put_string(b, text);
}

struct reading {
  struct lat_bytes* bytes;
  uint32_t records;
};

static int read_module(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct reading* reading = data;
  uintptr_t first = UINTPTR_MAX;
  uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) continue;
    const uintptr_t at = info->dlpi_addr + segment->p_vaddr;
    if (at < first) first = at;
    if (at + segment->p_memsz > end) end = at + segment->p_memsz;
  }
  if (first >= end) return 0;

  const bool program = !info->dlpi_name || !info->dlpi_name[0];
  char path[4096] = "";
  if (program) {
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
  } else {
    snprintf(path, sizeof path, "%s", info->dlpi_name);
  }
  if (count == capacity) {
    capacity = 2 * capacity + 64;
    modules = lat_allocate(modules, capacity * sizeof *modules);
  }
  modules[count++] = (struct module){first, end, false};
  lat_room(reading->bytes, 3 * LAT_VARINT);
  lat_put(reading->bytes, first);
  lat_put(reading->bytes, end);
  lat_put(reading->bytes, info->dlpi_addr);
  lat_put_string(reading->bytes, path);
  put_build_id(reading->bytes, info);
  ++reading->records;
  return 0;
}

static struct module* module_of(uintptr_t address) {
  for (size_t i = 0; i < count; ++i) {
    if (modules[i].first <= address && address < modules[i].end) return &modules[i];
  }
  return NULL;
}

void lat_modules_read(void) {
  struct reading reading = {lat_define_anew(LAT_MODULES), 0};
  count = 0;
  dl_iterate_phdr(read_module, &reading);
  lat_define_end(LAT_MODULES, reading.records);
  for (size_t i = 0; i < LAYER_SYMBOLS; ++i) {
    struct module* m = module_of((uintptr_t)lat_original_or_null(layer_symbols[i]));
    if (m && m != module_of((uintptr_t)&lat_modules_read) && m != &modules[0]) m->layer = true;
  }
}

enum lat_where lat_module_of(uintptr_t address) {
  const struct module* m = module_of(address);
  return !m ? LAT_NOWHERE : m->layer ? LAT_MPI_LAYER : LAT_APPLICATION;
}

enum lat_where lat_module_found(uintptr_t address) {
  const enum lat_where where = lat_module_of(address);
  if (where != LAT_NOWHERE) return where;
  lat_modules_read();  // a library loaded since
  return lat_module_of(address);
}
