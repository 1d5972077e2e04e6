#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "../preload/run.h"
#include "python.h"
#include "tracer.h"

#define EXPORT __attribute__((visibility("default")))

_Atomic int lat_state = LAT_OFF;
_Thread_local struct outermost lat_outermost;
int lat_rank, lat_size = 1;

void lat_say(const char* format, ...) {
  char text[5000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "latitude: rank %d: %s\n", lat_rank, text);
}

// The way in which a rank's part of the run ended.
enum { FINALISED = 0, EXITED = 1, ABORTED = 2 };

// --- meta
// -----------------------------------------------------------------------------------------

static void put_json_string(FILE* out, const char* text, size_t length) {
  fputc('"', out);
  for (size_t i = 0; i < length; ++i) {
    const unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\') fputc('\\', out);
    if (c < ' ') {
      fprintf(out, "\\u%04x", c);
    } else {
      fputc(c, out);
    }
  }
  fputc('"', out);
}

static void put_field(FILE* out, const char* name, const char* text) {
  fprintf(out, "\"%s\":", name);
  put_json_string(out, text, strlen(text));
  fputc(',', out);
}

/// The program and its arguments, as a list.
static void put_command(FILE* out) {
  char text[8192];
  FILE* in = fopen("/proc/self/cmdline", "r");
  const size_t size = in ? fread(text, 1, sizeof text - 1, in) : 0;
  if (in) fclose(in);
  text[size] = '\0';
  fputs("\"command\":[", out);
  for (size_t i = 0; i < size; i += strlen(text + i) + 1) {
    if (i) fputc(',', out);
    put_json_string(out, text + i, strlen(text + i));
  }
  fputs("],", out);
}

static const char* level_name(void) {
  int level = MPI_THREAD_SINGLE;
  lat_mpi.Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE     ? "multiple"
         : level == MPI_THREAD_SERIALIZED ? "serialized"
         : level == MPI_THREAD_FUNNELED   ? "funneled"
                                          : "single";
}

int lat_launched(void) {
  static const char* const told_by[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
  for (size_t i = 0; i < sizeof told_by / sizeof *told_by; ++i) {
    const char* told = getenv(told_by[i]);
    if (told && atoi(told) > 0) return atoi(told);
  }
  return 0;
}

static void write_meta(struct lat_host host, const char* started) {
  uint64_t null_gap = 0;
  uint64_t null_cpu_gap = 0;
  uint64_t null_call = 0;
  lat_calibrate(&null_gap, &null_cpu_gap, &null_call);
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  lat_mpi.Get_library_version(mpi, &length);
  mpi[strcspn(mpi, "\n")] = '\0';
  char name[256] = "";
  gethostname(name, sizeof name - 1);

  char* json = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&json, &size);
  if (!out) return;
  fputc('{', out);
  put_field(out, "mpi", mpi);
  put_field(out, "tracer", LAT_VERSION);
  put_field(out, "clock", lat_cpu_clock ? "cpu" : "wall");
  put_field(out, "host", name);
  put_field(out, "started", started);
  put_field(out, "thread_level", level_name());
  put_command(out);
  fprintf(out, "\"pid\":%ld,\"null_gap_ns\":%llu,\"null_cpu_gap_ns\":%llu,", (long)getpid(),
          (unsigned long long)null_gap, (unsigned long long)null_cpu_gap);
  fprintf(out, "\"null_call_ns\":%llu,", (unsigned long long)null_call);
  fprintf(out, "\"ranks_on_host\":%d,\"cores\":%d,\"stacks\":%d,\"launched\":%d}", host.ranks,
          host.cores, lat_stack_depth, lat_launched());
  fclose(out);

  struct lat_bytes b = {0};
  lat_room(&b, LAT_CHUNK_HEADER);
  b.used = LAT_CHUNK_HEADER;
  lat_put_string(&b, json);
  lat_file_write(LAT_META, 0, 1, 0, &b);
  free(b.data);
  free(json);
}

// --- start and end
// ----------------------------------------------------------------------------------

static void forked(void) {
  atomic_store(&lat_state, LAT_OFF);
  lat_file_forget();
  lat_last_forget();
}

/// Starts the trace after MPI_Init has returned. The tracer's work here belongs to MPI_Init: the
/// rank's time starts after it.
static void start(struct event* e, enum call call, void* return_address, void* frame) {
  const char* directory = getenv("LATITUDE_TRACE_DIR");
  if (!directory || !directory[0]) return;
  char started[32];
  struct tm utc;
  const time_t now = lat_date().tv_sec;
  strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));

  lat_begin_own_work();
  lat_originals_find();
  lat_mpi.Comm_rank(lat_mpi.world, &lat_rank);
  lat_mpi.Comm_size(lat_mpi.world, &lat_size);
  MPI_Comm parent = lat_mpi.no_comm;
  lat_mpi.Comm_get_parent(&parent);
  if (parent != lat_mpi.no_comm) {  // this process would use the names of its parent's files
    if (lat_rank == 0) lat_say("was started by MPI_Comm_spawn; such processes are not traced");
    lat_leave();
    return;
  }
  uint64_t run = 0;
  if (getrandom(&run, sizeof run, 0) != (ssize_t)sizeof run) run = lat_now_ns();
  lat_mpi.Bcast(&run, 1, lat_mpi.uint64, 0, lat_mpi.world);
  lat_hosts_start();
  const struct lat_host host = lat_choose_clock();
  lat_stacks_start();
  if (lat_file_open(directory, lat_rank, lat_size, run)) lat_last_open(directory, lat_rank);
  lat_communicators_start();
  lat_modules_read();
  if (lat_stack_depth) lat_python_start();
  pthread_atfork(NULL, NULL, forked);

  lat_leave();
  atomic_store(&lat_state, LAT_ON);
  lat_thread_attach();
  write_meta(host, started);
  lat_begin_own_work();
  lat_hosts_meet();
  lat_leave();
  const uint64_t enter = e->enter;
  lat_self->left = lat_self->chunk_time = enter;
  lat_count(e, call, return_address, frame);
  e->cpu_gap = 0;
  e->enter = enter;
  lat_usage_write(lat_now_ns());
  lat_open(e);
  lat_close(e);
  lat_leave();
  if (latitude_run_begins) latitude_run_begins();
}

static void finish(int how) {
  int on = LAT_ON;
  if (!atomic_compare_exchange_strong(&lat_state, &on, LAT_OFF)) return;
  lat_threads_write();
  lat_polls_write();
  struct lat_bytes b = {0};
  lat_room(&b, LAT_CHUNK_HEADER + LAT_VARINT);
  b.used = LAT_CHUNK_HEADER;
  lat_put(&b, (uint64_t)how);
  lat_threads_counts(&b);
  lat_file_write(LAT_END, 0, 1, 0, &b);
  lat_file_close();
  lat_last_close();
  free(b.data);
}

__attribute__((destructor)) static void exited(void) { finish(EXITED); }

// --- the calls
// ----------------------------------------------------------------------------------------

#define ORIGINAL(name) __typeof__(PMPI_##name)* const original = lat_original("PMPI_" #name)
#define HERE __builtin_return_address(0), __builtin_dwarf_cfa()

EXPORT int MPI_Init(int* argc, char*** argv) {
  lat_originals_check();
  ORIGINAL(Init);
  if (lat_outermost.frame) return original(argc, argv);
  struct event e = {.enter = lat_now_ns()};
  lat_begin_own_work();
  const int result = original(argc, argv);
  lat_leave();
  if (result == MPI_SUCCESS) start(&e, CALL_Init, HERE);
  return result;
}
EXPORT int PMPI_Init(int* argc, char*** argv) __attribute__((alias("MPI_Init")));

EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  lat_originals_check();
  ORIGINAL(Init_thread);
  if (lat_outermost.frame) return original(argc, argv, required, provided);
  struct event e = {.enter = lat_now_ns()};
  lat_begin_own_work();
  const int result = original(argc, argv, required, provided);
  lat_leave();
  if (result == MPI_SUCCESS) start(&e, CALL_Init_thread, HERE);
  return result;
}
EXPORT int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided)
    __attribute__((alias("MPI_Init_thread")));

EXPORT int MPI_Finalize(void) {
  ORIGINAL(Finalize);
  struct event e;
  if (!lat_count(&e, CALL_Finalize, HERE)) return original();
  lat_stamp(&e);
  if (latitude_run_ends) latitude_run_ends();
  lat_usage_write(e.enter);
  lat_threads_write();  // a job may be killed as soon as its ranks are here
  lat_hosts_meet();
  lat_hosts_end();
  const int result = original();
  lat_open(&e);
  lat_close(&e);
  finish(FINALISED);
  lat_leave();
  return result;
}
EXPORT int PMPI_Finalize(void) __attribute__((alias("MPI_Finalize")));

EXPORT int MPI_Abort(MPI_Comm comm, int code) {
  ORIGINAL(Abort);
  struct event e;
  if (!lat_count(&e, CALL_Abort, HERE)) return original(comm, code);
  finish(ABORTED);
  return original(comm, code);
}
EXPORT int PMPI_Abort(MPI_Comm comm, int code) __attribute__((alias("MPI_Abort")));
