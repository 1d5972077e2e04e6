#define _GNU_SOURCE
#include "python.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

// The interpreter's own stack has no information on the script, but its frames have. The tracer
// reads the frames directly from memory. The documented functions need the interpreter's lock,
// which a thread that calls MPI has released; acquiring the lock could wait for a thread that waits
// for this thread's message. A thread's own frames do not change while it is in a call. The offsets
// of the fields are known for each version, and compared once, under the lock, with the results of
// the documented functions. If the two differ, nothing is read.

/// Offsets in the interpreter's structures. The fields are pointers, except `at` before 3.11, which
/// is an int.
struct layout {
  int minor;            // minor version of Python 3
  uint16_t frame;       // thread → its innermost frame, or → the structure that holds it
  int16_t held;         // that structure → the frame; -1: no structure between them
  uint16_t previous;    // frame → its caller
  uint16_t code;        // frame → its code
  uint16_t at;          // frame → its current instruction
  uint16_t owner;       // frame → its owner, a byte; 0: every frame belongs to a function
  uint16_t first;       // code → its first instruction; 0: `at` is relative to it
  uint16_t unit;        // unit of `at` in bytes, if it is relative
  uint16_t file, name;  // code → strings
};
static const struct layout layouts[] = {
    {9, 24, -1, 24, 32, 104, 0, 0, 1, 104, 112},   {10, 24, -1, 24, 32, 96, 0, 0, 2, 104, 112},
    {11, 56, 8, 48, 32, 56, 69, 184, 0, 112, 128}, {12, 56, 0, 8, 0, 56, 70, 192, 0, 112, 128},
    {13, 72, -1, 8, 0, 56, 70, 200, 0, 112, 128},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts, NO_FUNCTION = 3 };  // an owner, from 3.12 on

static const struct layout* layout;  // null: nothing can be read
static uintptr_t first_of_itself, end_of_itself;

// The interpreter's functions.
static struct {
  const uint8_t* (*this_thread)(void);
  int (*line_at)(const uint8_t* code, int at);
  int64_t (*length)(const uint8_t* text);
  uint32_t (*letter)(const uint8_t* text, int64_t index);
} python;

/// Reads memory that may not exist; false if it does not.
static bool read_safely(const void* from, void* to, size_t size) {
  struct iovec local = {to, size};
  struct iovec remote = {(void*)(uintptr_t)from, size};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static const uint8_t* pointer_at(const uint8_t* from) {
  const uint8_t* value;
  memcpy(&value, from, sizeof value);
  return value;
}

static const uint8_t* innermost(const struct layout* l, const uint8_t* thread) {
  const uint8_t* frame = pointer_at(thread + l->frame);
  return l->held < 0 ? frame : pointer_at(frame + l->held);
}

static bool is_function(const struct layout* l, const uint8_t* frame) {
  return !l->owner || frame[l->owner] != NO_FUNCTION;
}

static struct lat_python_place place_of(const struct layout* l, const uint8_t* frame) {
  const uint8_t* code = pointer_at(frame + l->code);
  if (l->first) return (struct lat_python_place){code, pointer_at(frame + l->at) - code - l->first};
  int32_t at;
  memcpy(&at, frame + l->at, sizeof at);
  return (struct lat_python_place){code, (int64_t)at * l->unit};
}

int lat_python_places(struct lat_python_place* places, int most) {
  if (LAT_LIKELY(!layout)) return 0;
  const uint8_t* thread = python.this_thread();
  if (!thread) return 0;
  int count = 0;
  for (const uint8_t* frame = innermost(layout, thread); frame && count < most;
       frame = pointer_at(frame + layout->previous)) {
    if (is_function(layout, frame)) places[count++] = place_of(layout, frame);
  }
  return count;
}

bool lat_python_itself(uintptr_t address) {
  return first_of_itself <= address && address < end_of_itself;
}

// --- whether it can be read ---------------------------------------------------------------------

enum { LONGEST_FRAME = 128, COMPARED = 16 };

/// Compares the contents of memory with the interpreter's answers, from the thread's innermost
/// function on. Requires the interpreter's lock.
static bool agrees(const struct layout* l, const uint8_t* thread) {
  uint8_t* (*get_frame)(const uint8_t*);
  uint8_t* (*get_code)(uint8_t*);
  uint8_t* (*get_back)(uint8_t*);
  int (*get_line)(uint8_t*);
  void (*release)(uint8_t*);
  *(void**)&get_frame = lat_anywhere_or_null("PyThreadState_GetFrame");
  *(void**)&get_code = lat_anywhere_or_null("PyFrame_GetCode");
  *(void**)&get_back = lat_anywhere_or_null("PyFrame_GetBack");
  *(void**)&get_line = lat_anywhere_or_null("PyFrame_GetLineNumber");
  *(void**)&release = lat_anywhere_or_null("Py_DecRef");
  if (!get_frame || !get_code || !get_back || !get_line || !release) return false;

  const uint8_t* raw;
  if (!read_safely(thread + l->frame, &raw, sizeof raw)) return false;
  if (l->held >= 0 && !read_safely(raw + l->held, &raw, sizeof raw)) return false;
  uint8_t* told = get_frame(thread);
  bool same = told != NULL;
  for (int i = 0; same && told && i < COMPARED;) {
    uint8_t frame[LONGEST_FRAME];
    const size_t needed = l->owner ? l->owner + 1u : l->at + sizeof(int32_t);
    if (!raw || !read_safely(raw, frame, needed)) {
      same = false;
      break;
    }
    if (is_function(l, frame)) {
      const struct lat_python_place place = place_of(l, frame);
      uint8_t* const code = get_code(told);
      same = code == place.code && python.line_at(code, (int)place.at) == get_line(told);
      release(code);
      uint8_t* const back = get_back(told);
      release(told);
      told = back;
      ++i;
    }
    raw = pointer_at(frame + l->previous);
  }
  if (told) release(told);
  return same;
}

bool lat_python_here(void) {
  const uint8_t* (*this_thread)(void);
  *(void**)&this_thread = lat_anywhere_or_null("PyGILState_GetThisThreadState");
  return this_thread && this_thread();
}

void lat_python_start(void) {
  const char* (*version)(void);
  int (*holds_lock)(void);
  int (*take_lock)(void);
  void (*release_lock)(int);
  *(void**)&python.this_thread = lat_anywhere_or_null("PyGILState_GetThisThreadState");
  if (!python.this_thread) return;
  *(void**)&version = lat_anywhere_or_null("Py_GetVersion");
  *(void**)&holds_lock = lat_anywhere_or_null("PyGILState_Check");
  *(void**)&take_lock = lat_anywhere_or_null("PyGILState_Ensure");
  *(void**)&release_lock = lat_anywhere_or_null("PyGILState_Release");
  *(void**)&python.line_at = lat_anywhere_or_null("PyCode_Addr2Line");
  *(void**)&python.length = lat_anywhere_or_null("PyUnicode_GetLength");
  *(void**)&python.letter = lat_anywhere_or_null("PyUnicode_ReadChar");
  if (!version || !holds_lock || !take_lock || !release_lock || !python.line_at || !python.length ||
      !python.letter) {
    return;
  }
  const uint8_t* thread = python.this_thread();
  if (!thread) return;
  const int minor = strncmp(version(), "3.", 2) == 0 ? atoi(version() + 2) : 0;
  const bool held = holds_lock() != 0;
  const int lock = held ? 0 : take_lock();
  for (int i = 0; i < LAYOUTS; ++i) {
    if (layouts[i].minor == minor && agrees(&layouts[i], thread)) layout = &layouts[i];
  }
  if (!held) release_lock(lock);
  if (layout) {
    lat_module_range((uintptr_t)python.this_thread, &first_of_itself, &end_of_itself);
  } else if (lat_rank == 0) {
    lat_say("the frames of this Python (%.20s) cannot be read: its lines are not recorded",
            version());
  }
}

// --- in the trace -------------------------------------------------------------------------------

// Each function has a range of addresses of its own, in which no memory can be: a line is one byte.
enum { LINES = 1 << 20 };

struct function {
  const uint8_t *code, *file,
      *name;  // `file` and `name` show whether the memory of `code` is reused
};
static struct function* functions;
static size_t count, capacity;

/// Appends a string of Python in UTF-8, as far as it fits.
static void put_text(char* to, size_t room, const uint8_t* text) {
  size_t used = strlen(to);
  const int64_t letters = python.length(text);
  for (int64_t i = 0; i < letters && used + 5 < room; ++i) {
    uint32_t letter = python.letter(text, i);
    if (letter >= 0xD800 && letter < 0xE000) letter = '?';  // from a name that was not UTF-8
    if (letter < 0x80) {
      to[used++] = (char)letter;
      continue;
    }
    const int more = letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;
    to[used++] = (char)((0xFF00 >> (more + 1) & 0xFF) | letter >> (6 * more));
    for (int k = more - 1; k >= 0; --k) to[used++] = (char)(0x80 | (letter >> (6 * k) & 0x3F));
  }
  to[used] = '\0';
}

static size_t number_of(const uint8_t* code) {
  const struct function wanted = {code, pointer_at(code + layout->file),
                                  pointer_at(code + layout->name)};
  for (size_t i = count; i-- > 0;) {
    if (memcmp(&functions[i], &wanted, sizeof wanted) == 0) return i;
  }
  if (count == capacity) {
    capacity = 2 * capacity + 64;
    functions = lat_allocate(functions, capacity * sizeof *functions);
  }
  functions[count] = wanted;
  char path[4096] = "";
  char name[1024] = "python:";
  put_text(path, sizeof path, wanted.file);
  put_text(name, sizeof name, wanted.name);
  char* whole = path[0] == '<' ? NULL : realpath(path, NULL);
  const uintptr_t first = LAT_NO_MEMORY + count * LINES;
  lat_module_add(first, first + LINES, whole ? whole : path, name);
  free(whole);
  return count++;
}

uintptr_t lat_python_address(const struct lat_python_place* place) {
  const int line = python.line_at(place->code, (int)place->at);
  const uintptr_t first = LAT_NO_MEMORY + number_of(place->code) * LINES;
  return first + (line > 0 && line < LINES ? (uintptr_t)line : 0);
}
