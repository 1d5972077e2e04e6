#define _GNU_SOURCE
#include "virtual_ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../clock/tests/virtual_clock.h"

enum { LONGEST_PATH = 4096, LONGEST_NAME = 16 };

struct actions {
  char** words;
  int count;
};

struct host {
  uint64_t ahead_ns, fast_ns_per_s;
  bool own;
};

static struct actions actions[VIRTUAL_MOST_RANKS];
static struct host hosts[VIRTUAL_MOST_RANKS];
static int rank_count;
static const char* injector = "none";
static void (*connect_rank)(void);
static void (*act_rank)(const char* action);

int virtual_ranks(void) { return rank_count; }
const char* virtual_injector(void) { return injector; }

void* virtual_function(const char* name) {
  char path[LONGEST_PATH];
  snprintf(path, sizeof path, "%s.%d", injector, virtual_rank());
  void* library = injector[0] == '/' ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : RTLD_DEFAULT;
  void* found = library || injector[0] != '/' ? dlsym(library, name) : NULL;
  if (found) return found;
  fprintf(stderr, "%s\n", dlerror());
  exit(2);
}

void virtual_tell(const char* what, int peer, int number) {
  printf("%d %s %llu %d %d\n", virtual_rank(), what, (unsigned long long)virtual_now(), peer,
         number);
}

/// The number after `name=`; false if the word is another one.
static bool read_number(const char* word, const char* name, uint64_t* value) {
  const size_t length = strlen(name);
  if (strncmp(word, name, length) != 0 || word[length] != '=') return false;
  *value = (uint64_t)strtoll(word + length + 1, NULL, 10);
  return true;
}

static bool read_host(const char* word) {
  char name[LONGEST_NAME];
  for (int rank = 0; rank < VIRTUAL_MOST_RANKS; ++rank) {
    snprintf(name, sizeof name, "ahead.%d", rank);
    const bool ahead = read_number(word, name, &hosts[rank].ahead_ns);
    snprintf(name, sizeof name, "fast.%d", rank);
    const bool fast = read_number(word, name, &hosts[rank].fast_ns_per_s);
    hosts[rank].own |= ahead || fast;
    if (ahead || fast) return true;
  }
  return false;
}

static void read_word(const char* word, const struct virtual_option* options) {
  if (strncmp(word, "injector=", 9) == 0) {
    injector = word + 9;
    return;
  }
  if (read_number(word, "clock", &virtual_look_ns) ||
      read_number(word, "oversleep", &virtual_oversleep_ns) || read_host(word)) {
    return;
  }
  for (; options->name; ++options) {
    if (read_number(word, options->name, options->value)) return;
  }
  fprintf(stderr, "no option: %s\n", word);
  exit(2);
}

static void body(int rank) {
  connect_rank();
  for (int i = 0; i < actions[rank].count; ++i) act_rank(actions[rank].words[i]);
}

/// Sets the launcher's variable with the rank, which injectors read when they are set up, and at
/// their first draw.
static void switched(int rank) {
  char text[LONGEST_NAME];
  snprintf(text, sizeof text, "%d", rank);
  setenv("OMPI_COMM_WORLD_RANK", text, 1);
}

void virtual_ranks_run(int count, char** words, const struct virtual_option* options,
                       void (*connect)(void), void (*act)(const char* action)) {
  int at = 1;
  for (; at < count && strcmp(words[at], "--") != 0; ++at) read_word(words[at], options);
  while (at++ < count) {
    struct actions* own = &actions[rank_count++];
    own->words = words + at;
    for (; at < count && strcmp(words[at], "--") != 0; ++at) ++own->count;
  }
  for (int rank = 0; rank < rank_count; ++rank) {
    char name[LONGEST_NAME] = "together";
    if (hosts[rank].own) snprintf(name, sizeof name, "host %d", rank);
    virtual_place(rank, name, (int64_t)hosts[rank].ahead_ns, (double)hosts[rank].fast_ns_per_s);
  }
  connect_rank = connect;
  act_rank = act;
  virtual_switched = switched;
  virtual_run(rank_count, body);
}
