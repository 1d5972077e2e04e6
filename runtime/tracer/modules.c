#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracer.h"

// A loaded file, and whether it is MPI's Fortran or C layer, which is between the application and
// the C calls.
struct module {
  uintptr_t first, end;
  bool layer;
};
static struct module* modules;
static size_t count, capacity;
// The trace's text for files without a path, and for an interpreter's functions, which are not
// files.
static struct lat_bytes loaded, added;
static uint32_t loaded_records, added_records;

// A library with one of these is a layer.
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

static void put_range(struct lat_bytes* b, uintptr_t first, uintptr_t end, uintptr_t bias) {
  lat_room(b, 3 * LAT_VARINT);
  lat_put(b, first);
  lat_put(b, end);
  lat_put(b, bias);
}

static int read_module(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size, (void)data;
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
  put_range(&loaded, first, end, info->dlpi_addr);
  lat_put_string(&loaded, path);
  put_build_id(&loaded, info);
  ++loaded_records;
  return 0;
}

static struct module* module_of(uintptr_t address) {
  for (size_t i = 0; i < count; ++i) {
    if (modules[i].first <= address && address < modules[i].end) return &modules[i];
  }
  return NULL;
}

static void append(struct lat_bytes* b, const struct lat_bytes* more) {
  lat_room(b, more->used);
  if (more->used) memcpy(b->data + b->used, more->data, more->used);
  b->used += more->used;
}

static void define(void) {
  struct lat_bytes* b = lat_define_anew(LAT_MODULES);
  append(b, &loaded);
  append(b, &added);
  lat_define_end(LAT_MODULES, loaded_records + added_records);
}

void lat_modules_read(void) {
  count = 0;
  loaded.used = 0;
  loaded_records = 0;
  dl_iterate_phdr(read_module, NULL);
  define();
  for (size_t i = 0; i < LAYER_SYMBOLS; ++i) {
    struct module* m = module_of((uintptr_t)lat_original_or_null(layer_symbols[i]));
    if (m && m != module_of((uintptr_t)&lat_modules_read) && m != &modules[0]) m->layer = true;
  }
}

void lat_module_add(uintptr_t first, uintptr_t end, const char* path, const char* build_id) {
  put_range(&added, first, end, first);
  lat_put_string(&added, path);
  lat_put_string(&added, build_id);
  ++added_records;
  define();
}

void lat_module_range(uintptr_t address, uintptr_t* first, uintptr_t* end) {
  const struct module* m = module_of(address);
  *first = m ? m->first : 0;
  *end = m ? m->end : 0;
}

enum lat_where lat_module_of(uintptr_t address) {
  if (address >= LAT_NO_MEMORY) return LAT_APPLICATION;
  const struct module* m = module_of(address);
  return !m ? LAT_NOWHERE : m->layer ? LAT_MPI_LAYER : LAT_APPLICATION;
}

enum lat_where lat_module_found(uintptr_t address) {
  const enum lat_where where = lat_module_of(address);
  if (where != LAT_NOWHERE) return where;
  lat_modules_read();  // a library that was loaded since
  return lat_module_of(address);
}
