#include <stdlib.h>
#include <unwind.h>

#include "python.h"
#include "tracer.h"

// If stacks are recorded, a site is a node of a tree: a return address, and the node of its caller.
// Unwinding takes a microsecond or more, so a thread remembers the stacks that it has seen, by the
// wrapper's return address and its place on the stack. If the same return addresses are at the same
// places again, the stack is the same. Above the first function of a Python interpreter are the
// functions of Python that it runs: their places are compared, too.

enum {
  FIRST_SIZE = 256,
  LAYERS = 8,  // functions of MPI itself that may be below the call site
  MOST = LAT_DEEPEST + 1 + LAYERS,
};

struct node {
  uintptr_t address;
  uint32_t caller;  // 0: the outermost one that was examined
  uint32_t number;
};
static struct node* nodes;  // open addressing, linear probing
static size_t size, filled;
static uint32_t numbers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int lat_stack_depth;
enum { OF_PYTHON = 8 };  // callers that are recorded for a program in Python by default

void lat_stacks_start(void) {
  const char* asked = getenv("LATITUDE_STACKS");
  const long depth = asked ? strtol(asked, NULL, 10) : lat_python_here() ? OF_PYTHON : 0;
  lat_stack_depth = depth < 0 ? 0 : depth > LAT_DEEPEST ? LAT_DEEPEST : (int)depth;
}

static size_t home(uintptr_t address, uint32_t caller) {
  const uint64_t key = (uint64_t)address ^ (uint64_t)caller << 40;
  return (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) & (size - 1);
}

static struct node* slot_of(uintptr_t address, uint32_t caller) {
  size_t i = home(address, caller);
  while (nodes[i].address && (nodes[i].address != address || nodes[i].caller != caller)) {
    i = (i + 1) & (size - 1);
  }
  return &nodes[i];
}

static void grow(void) {
  struct node* old = nodes;
  const size_t old_size = size;
  size = size ? 2 * size : FIRST_SIZE;
  nodes = lat_allocate(NULL, size * sizeof *nodes);
  memset(nodes, 0, size * sizeof *nodes);
  for (size_t i = 0; i < old_size; ++i) {
    if (old[i].address) *slot_of(old[i].address, old[i].caller) = old[i];
  }
  free(old);
}

static uint32_t number_of(uintptr_t address, uint32_t caller) {
  if (2 * filled >= size) grow();
  struct node* node = slot_of(address, caller);
  if (node->address) return node->number;
  lat_module_found(address);  // a site belongs to the modules that precede it in the file
  *node = (struct node){address, caller, ++numbers};
  ++filled;
  struct lat_bytes* b = lat_define_begin(LAT_SITES);
  lat_room(b, 2 * LAT_VARINT);
  lat_put(b, address);
  lat_put(b, caller);
  lat_define_end(LAT_SITES, 1);
  return node->number;
}

struct walk {
  uintptr_t address;  // the wrapper's return address
  bool begun;
  int count, most;
  uintptr_t addresses[MOST];
  const uint8_t* frames[MOST];  // the address is directly before it
};

static _Unwind_Reason_Code step(struct _Unwind_Context* context, void* data) {
  struct walk* w = data;
  const uintptr_t address = _Unwind_GetIP(context);
  if (!address) return _URC_END_OF_STACK;
  w->begun = w->begun || address == w->address;
  if (!w->begun) return _URC_NO_REASON;
  w->addresses[w->count] = address;
  w->frames[w->count] = (const uint8_t*)_Unwind_GetCFA(context);
  return ++w->count < w->most ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

/// The places of a thread's innermost functions of Python.
struct python {
  int count;
  struct lat_python_place places[LAT_DEEPEST + 1];
};

/// The number of the innermost return address outside of MPI's layers; *used: the number of
/// examined addresses; *through: whether it includes an interpreter's place in Python.
static uint32_t number_of_walk(const struct walk* w, const struct python* python, int* used,
                               bool* through) {
  pthread_mutex_lock(&lock);
  int first = 0;
  while (first < w->count && first < LAYERS &&
         lat_module_found(w->addresses[first]) == LAT_MPI_LAYER) {
    ++first;
  }
  const int wanted = first + 1 + lat_stack_depth;
  int end = wanted < w->count ? wanted : w->count;
  uint32_t number = 0;
  *through = false;
  for (int i = first + 1; python->count && i < end;
       ++i) {  // the interpreter does not call MPI itself
    if (!lat_python_itself(w->addresses[i])) continue;
    *through = true;
    end = i;
  }
  if (*through) {
    const int most = wanted - end;
    for (int i = (most < python->count ? most : python->count) - 1; i >= 0; --i) {
      number = number_of(lat_python_address(&python->places[i]), number);
    }
  }
  for (int i = end - 1; i >= first; --i) number = number_of(w->addresses[i], number);
  pthread_mutex_unlock(&lock);
  *used = end;
  return number;
}

#ifdef __x86_64__

static struct lat_python_place* places_of(struct lat_stack* s) {
  return (struct lat_python_place*)(void*)&s->above[lat_stack_depth + LAYERS];
}

static struct lat_stack* remembered(struct thread* t, uintptr_t address, const uint8_t* frame,
                                    const struct python* python) {
  const size_t size_each =
      sizeof(struct lat_stack) +
      (size_t)(lat_stack_depth + LAYERS) * sizeof(((struct lat_stack*)NULL)->above[0]) +
      (size_t)(lat_stack_depth + 1) * sizeof(struct lat_python_place);
  if (LAT_UNLIKELY(!t->stacks)) {
    t->stacks = lat_allocate(NULL, LAT_SITE_CACHE * size_each);
    memset(t->stacks, 0, LAT_SITE_CACHE * size_each);
  }
  uint64_t key = (uint64_t)address ^ (uint64_t)(uintptr_t)frame << 20;
  for (int p = 0; p < python->count; ++p) {
    const struct lat_python_place* place = &python->places[p];
    key = 31 * key + (uint64_t)(uintptr_t)place->code + ((uint64_t)place->at << 32);
  }
  const size_t i = (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) % LAT_SITE_CACHE;
  return (struct lat_stack*)(t->stacks + i * size_each);
}

static bool same(struct lat_stack* s, uintptr_t address, const uint8_t* frame,
                 const struct python* python) {
  if (s->address != address || s->frame != frame) return false;
  if (s->places) {
    const size_t size = (size_t)s->places * sizeof python->places[0];
    if (s->places != python->count || memcmp(places_of(s), python->places, size) != 0) return false;
  }
  for (uint32_t i = 0; i < s->count; ++i) {
    if (*s->above[i].at != s->above[i].address) return false;
  }
  return true;
}

static void remember(struct lat_stack* s, const struct walk* w, const uint8_t* frame, int used,
                     uint32_t number, const struct python* python) {
  s->frame = NULL;
  s->places = python->count;
  memcpy(places_of(s), python->places, (size_t)python->count * sizeof python->places[0]);
  for (int i = 1; i < used; ++i) {
    const uintptr_t* at = (const uintptr_t*)(const void*)(w->frames[i] - sizeof(uintptr_t));
    if (*at != w->addresses[i]) return;  // not at a call: a signal's frame, for example
    s->above[i - 1].at = at;
    s->above[i - 1].address = w->addresses[i];
  }
  s->address = w->address;
  s->frame = frame;
  s->number = number;
  s->count = used > 0 ? (uint32_t)used - 1 : 0;
}

#else  // return addresses may be anywhere in a frame: every call is unwound

static struct lat_stack* remembered(struct thread* t, uintptr_t address, const uint8_t* frame,
                                    const struct python* python) {
  (void)t, (void)address, (void)frame, (void)python;
  return NULL;
}
static bool same(struct lat_stack* s, uintptr_t address, const uint8_t* frame,
                 const struct python* python) {
  (void)s, (void)address, (void)frame, (void)python;
  return false;
}
static void remember(struct lat_stack* s, const struct walk* w, const uint8_t* frame, int used,
                     uint32_t number, const struct python* python) {
  (void)s, (void)w, (void)frame, (void)used, (void)number, (void)python;
}

#endif

uint32_t lat_stack(struct event* e) {
  struct python python;
  python.count = lat_python_places(python.places, lat_stack_depth + 1);
  struct lat_stack* known = remembered(e->thread, e->return_address, e->frame, &python);
  if (LAT_LIKELY(known && same(known, e->return_address, e->frame, &python))) return known->number;
  struct walk w = {.address = e->return_address, .most = lat_stack_depth + 1 + LAYERS};
  _Unwind_Backtrace(step, &w);
  int used = 0;
  bool through = false;
  const uint32_t number = number_of_walk(&w, &python, &used, &through);
  if (!through) python.count = 0;
  if (known) remember(known, &w, e->frame, used, number, &python);
  return number;
}
