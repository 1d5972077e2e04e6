#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crc32c.h"
#include "tracer.h"

enum {
  HEADER = 32,
  VERSION = 1,
  VERSION_WITH_CALLERS = 2,
  CPU_TIME = 1,
  SEVERAL_CLOCKS = 2,
  FIRST_KIND = LAT_CALLS,
  LAST_KIND = LAT_COMMUNICATORS,
  MOST_RAISED = 1024,  // select() takes numbers below it
  ROOM = 32            // descriptors above the raised ones
};

static char path[PATH_MAX];  // absolute, because the program may change its directory
static int file = -1;
static dev_t device;  // with the inode, the identity of the trace's file
static ino_t inode;
static pid_t owner;
static off_t whole;  // bytes up to the last whole chunk
static uint32_t sequence;

static struct {
  struct lat_bytes bytes;
  uint32_t records;
} defined[LAST_KIND + 1];

// Signals wait while the lock is held: a handler may call exit(), which writes the remaining data.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t held_back;

static void take(void) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_mutex_lock(&lock);
  held_back = before;
}

static void release(void) {
  const sigset_t before = held_back;
  pthread_mutex_unlock(&lock);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/// Whether the descriptor still belongs to the trace's file: programs close descriptors that are
/// not theirs, and the next file that they open gets the number.
static bool ours(int descriptor) {
  struct stat now;
  return descriptor >= 0 && fstat(descriptor, &now) == 0 && now.st_dev == device &&
         now.st_ino == inode;
}

/// Moves a descriptor to a high number, because a file that the program opens gets the lowest free
/// one.
static int raised(int low) {
  struct rlimit limit;
  if (low < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return low;
  const rlim_t most = limit.rlim_cur < MOST_RAISED ? limit.rlim_cur : MOST_RAISED;
  const int high = most > ROOM ? fcntl(low, F_DUPFD_CLOEXEC, (int)(most - ROOM)) : -1;
  if (high < 0) return low;
  close(low);
  return high;
}

/// Opens the file again if the program has closed its descriptor. False if that is impossible.
static bool regain(void) {
  if (ours(file)) return true;
  file = raised(open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (ours(file) && lseek(file, whole, SEEK_SET) == whole) return true;
  if (file >= 0) close(file);
  file = -1;
  return false;
}

static void let_go(void) {
  if (ours(file)) close(file);
  file = -1;
}

static void fail(int error) {
  lat_say("cannot write %s: %s; its trace ends here, the program continues", path, strerror(error));
  if (ours(file) && ftruncate(file, whole) != 0) { /* readers ignore a torn end */
  }
  let_go();
}

/// Writes all bytes, or none. The file size limit is checked first, because exceeding it kills the
/// process.
static void write_whole(const uint8_t* bytes, size_t size) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && (rlim_t)whole + size > limit.rlim_cur) {
    fail(EFBIG);
    return;
  }
  if (!regain()) {
    fail(EBADF);
    return;
  }
  for (size_t done = 0; done < size;) {
    const ssize_t n = write(file, bytes + done, size - done);
    if (n > 0) {
      done += (size_t)n;
    } else if (n == 0 || errno != EINTR) {
      fail(n == 0 ? ENOSPC : errno);
      return;
    }
  }
  whole += (off_t)size;
}

static uint8_t* little(uint8_t* at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) *at++ = (uint8_t)(value >> (8 * i));
  return at;
}

bool lat_file_open(const char* directory, int rank, int size, uint64_t run) {
  owner = getpid();
  if (mkdir(directory, 0777) == 0) { /* another rank may have been first */
  }
  char* whole_path = realpath(directory, NULL);
  snprintf(path, sizeof path, "%s/rank-%07d.lat", whole_path ? whole_path : directory, rank);
  free(whole_path);
  const char* force = getenv("LATITUDE_TRACE_FORCE");
  const bool replace = force && strcmp(force, "1") == 0;
  file = raised(open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL), 0666));
  struct stat made;
  if (file >= 0 && fstat(file, &made) == 0) {
    device = made.st_dev;
    inode = made.st_ino;
  } else {
    if (errno == EEXIST && size == 1 && lat_launched() > 1) {
      // Each process is rank 0 of 1; `latitude trace` reports that.
    } else if (errno == EEXIST) {
      lat_say("%s exists and is kept: nothing is traced (LATITUDE_TRACE_FORCE=1 replaces it)",
              path);
    } else {
      lat_say("cannot write %s: %s; nothing is traced, the program continues", path,
              strerror(errno));
    }
    return false;
  }
  uint8_t header[HEADER];
  uint8_t* at = header;
  memcpy(at, "LATITUDE", 8);
  at = little(at + 8, lat_stack_depth ? VERSION_WITH_CALLERS : VERSION, 2);
  at = little(at, HEADER, 2);
  at = little(at, (uint64_t)rank, 4);
  at = little(at, (uint64_t)size, 4);
  at = little(at, (lat_cpu_clock ? CPU_TIME : 0) | (lat_hosts > 1 ? SEVERAL_CLOCKS : 0), 4);
  little(at, run, 8);
  write_whole(header, HEADER);
  return true;
}

static void write_chunk(int kind, uint16_t thread, uint32_t records, uint64_t time,
                        struct lat_bytes* chunk) {
  if (file < 0) return;
  uint8_t* at = chunk->data;
  memcpy(at, "LTCK", 4);
  at = little(at + 4, (uint64_t)kind, 2);
  at = little(at, thread, 2);
  at = little(at, chunk->used - LAT_CHUNK_HEADER, 4);
  at = little(at, records, 4);
  at = little(at, time, 8);
  at = little(at, sequence++, 4);
  uint32_t crc = lat_crc32c(0, chunk->data, LAT_CHUNK_HEADER - 4);
  crc = lat_crc32c(crc, chunk->data + LAT_CHUNK_HEADER, chunk->used - LAT_CHUNK_HEADER);
  little(at, crc, 4);
  write_whole(chunk->data, chunk->used);
}

void lat_file_write(int kind, uint16_t thread, uint32_t records, uint64_t time,
                    struct lat_bytes* chunk) {
  take();
  if (getpid() == owner) {
    for (int k = FIRST_KIND; k <= LAST_KIND; ++k) {
      if (defined[k].records) write_chunk(k, 0, defined[k].records, 0, &defined[k].bytes);
      defined[k].records = 0;
    }
    write_chunk(kind, thread, records, time, chunk);
  }
  release();
}

struct lat_bytes* lat_define_begin(int kind) {
  take();
  struct lat_bytes* bytes = &defined[kind].bytes;
  if (!defined[kind].records) {
    lat_room(bytes, LAT_CHUNK_HEADER);
    bytes->used = LAT_CHUNK_HEADER;
  }
  return bytes;
}

struct lat_bytes* lat_define_anew(int kind) {
  take();
  struct lat_bytes* bytes = &defined[kind].bytes;
  lat_room(bytes, LAT_CHUNK_HEADER);
  bytes->used = LAT_CHUNK_HEADER;
  defined[kind].records = 0;
  return bytes;
}

void lat_define_end(int kind, uint32_t records) {
  defined[kind].records += records;
  release();
}

void lat_file_close(void) {
  take();
  const int last = ours(file) ? file : -1;
  file = -1;
  if (last >= 0 && close(last) != 0) fail(errno);
  release();
}

void lat_file_forget(void) { let_go(); }
