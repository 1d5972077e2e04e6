// MPI_X and PMPI_X of every call, in one function with two names. Open MPI's Fortran layer calls
// PMPI_X, MPICH's mostly MPI_X, and some of MPICH's calls go through both. lat_outermost ensures
// that only the outermost call counts.

#include "fields.h"

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define EXPORT __attribute__((visibility("default")))

// Functions that this mpi.h does not declare are left out: a program that looks for them at run
// time must find those of its MPI. `-include` gives a header that defines LAT_DECLARED_Send for
// MPI_Send and so on (src/latitude/launch/declared.py). The standard binary interface has all
// functions.
#ifdef LATITUDE_STANDARD_ABI
#define IF_DECLARED(name, yes) yes
#elif defined LAT_DECLARED
#define THIRD(a, b, c, ...) c
#define CHOOSE(...) THIRD(__VA_ARGS__)
#define IF_DECLARED(name, yes) CHOOSE(JOIN(LAT_DECLARED_, name, SUFFIX), yes, LEAVE_OUT, ~)
#define LEAVE_OUT(...)
#else
#error "which functions mpi.h declares is not said; `latitude env --mpicc FILE` builds the tracer"
#endif

// The parameters are those of MPI 4.1. An older mpi.h may lack a `const`. The wrappers have C names
// of their own (lat_MPI_…), so that they do not conflict with the declarations of mpi.h; the binary
// interface is the same. In tests the compiler compares the parameters with mpi.h.
#ifdef LAT_COMPARE_TYPES
#define COMPARE(name, arguments) (void)sizeof(JOIN(PMPI_, name, SUFFIX) arguments);
#else
#define COMPARE(name, arguments)
#endif

/// BEGIN and END enclose the code of a wrapper, which defines `result`; `original` is the MPI
/// library's function.
#define BEGIN(name, parameters, arguments)                                               \
  EXPORT int JOIN(lat_MPI_, name, SUFFIX)                                                \
  parameters __asm__(TEXT(JOIN(MPI_, name, SUFFIX)));                                    \
  EXPORT int JOIN(lat_MPI_, name, SUFFIX) parameters {                                   \
    static int(*_Atomic found) parameters;                                               \
    int(*original) parameters = atomic_load_explicit(&found, memory_order_relaxed);      \
    COMPARE(name, arguments)                                                             \
    if (LAT_UNLIKELY(!original)) {                                                       \
      *(void**)&original = lat_original("PMPI_" #name TEXT(SUFFIX));                     \
      atomic_store_explicit(&found, original, memory_order_relaxed);                     \
    }                                                                                    \
    struct event e;                                                                      \
    if (!lat_count(&e, CALL_##name, __builtin_return_address(0), __builtin_dwarf_cfa())) \
      return original arguments;
#define END(name, parameters)                         \
  lat_leave();                                        \
  return result;                                      \
  }                                                   \
  EXPORT int JOIN(lat_PMPI_, name, SUFFIX)            \
  parameters __asm__(TEXT(JOIN(PMPI_, name, SUFFIX))) \
      __attribute__((alias(TEXT(JOIN(MPI_, name, SUFFIX)))));

// Waitall and similar calls fail with MPI_ERR_IN_STATUS if one request failed: the other requests
// completed.
#define SUCCEEDED(result) LAT_LIKELY((result) == MPI_SUCCESS || (result) == MPI_ERR_IN_STATUS)

#define CALL(name, ...) IF_DECLARED(name, WRAP_CALL)(name, __VA_ARGS__)
#define WRAP_CALL(name, parameters, arguments, before, after) \
  BEGIN(name, parameters, arguments)                          \
  lat_stamp(&e);                                              \
  before;                                                     \
  const int result = original arguments;                      \
  if (SUCCEEDED(result)) {                                    \
    lat_open(&e);                                             \
    after;                                                    \
    lat_close(&e);                                            \
  }                                                           \
  END(name, parameters)

// Programs poll: a test that finds nothing costs one count, and a clock is read only for a few
// polls.
#define POLL(name, ...) IF_DECLARED(name, WRAP_POLL)(name, __VA_ARGS__)
#define WRAP_POLL(name, parameters, arguments, found) \
  BEGIN(name, parameters, arguments)                  \
  const uint64_t begun = lat_poll_begins(&e);         \
  const int result = original arguments;              \
  if (result == MPI_SUCCESS) {                        \
    if (found) {                                      \
      lat_poll_found(&e);                             \
    } else {                                          \
      lat_poll_failed(&e, begun);                     \
    }                                                 \
  }                                                   \
  END(name, parameters)

#define TEST(name, ...) IF_DECLARED(name, WRAP_TEST)(name, __VA_ARGS__)
#define WRAP_TEST(name, parameters, arguments, before, failed, done, after) \
  BEGIN(name, parameters, arguments)                                        \
  before;                                                                   \
  const uint64_t begun = lat_poll_begins(&e);                               \
  const int result = original arguments;                                    \
  if (SUCCEEDED(result) && (failed)) lat_poll_failed(&e, begun);            \
  if (SUCCEEDED(result) && !(failed) && (done)) {                           \
    lat_stamp(&e);                                                          \
    lat_open(&e);                                                           \
    if (after) {                                                            \
      lat_close(&e);                                                        \
    } else {                                                                \
      lat_discard(&e);                                                      \
    }                                                                       \
  }                                                                         \
  END(name, parameters)

#define COUNTED_ONLY(name, ...) IF_DECLARED(name, WRAP_COUNTED_ONLY)(name, __VA_ARGS__)
#define WRAP_COUNTED_ONLY(name, parameters, arguments, before, after) \
  BEGIN(name, parameters, arguments)                                  \
  before;                                                             \
  const int result = original arguments;                              \
  if (result == MPI_SUCCESS) {                                        \
    after;                                                            \
  }                                                                   \
  END(name, parameters)

#define SUFFIX
#define COUNT int
#define DISPLACEMENT int
#define OPERATION MPI_User_function
#include "all_calls.def"
#undef SUFFIX
#undef COUNT
#undef DISPLACEMENT
#undef OPERATION

#define SUFFIX _c
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define OPERATION MPI_User_function_c
#include "counted.def"
