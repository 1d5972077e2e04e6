// MPI_X and PMPI_X of every call, in one function with two names: Open MPI's Fortran layer calls
// PMPI_X, MPICH's mostly MPI_X, and some of MPICH's calls go through both. lat_depth sees to it
// that only the outermost counts.

#include "fields.h"

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define EXPORT __attribute__((visibility("default")))

/// Between the two stands what leaves `result`; `original` is the MPI library's function.
#define BEGIN(name, parameters, arguments)                                               \
  EXPORT int JOIN(MPI_, name, SUFFIX) parameters {                                       \
    static __typeof__(JOIN(PMPI_, name, SUFFIX))* _Atomic found;                         \
    __typeof__(JOIN(PMPI_, name, SUFFIX))* original =                                    \
        atomic_load_explicit(&found, memory_order_relaxed);                              \
    if (LAT_UNLIKELY(!original)) {                                                       \
      *(void**)&original = lat_original("PMPI_" #name TEXT(SUFFIX));                     \
      atomic_store_explicit(&found, original, memory_order_relaxed);                     \
    }                                                                                    \
    struct event e;                                                                      \
    if (!lat_count(&e, CALL_##name, __builtin_return_address(0), __builtin_dwarf_cfa())) \
      return original arguments;
#define END(name, parameters)          \
  lat_leave();                         \
  return result;                       \
  }                                    \
  EXPORT int JOIN(PMPI_, name, SUFFIX) \
  parameters __attribute__((alias(TEXT(JOIN(MPI_, name, SUFFIX)))));

// Waitall and the like fail with MPI_ERR_IN_STATUS when one request did: the others completed.
#define SUCCEEDED(result) LAT_LIKELY((result) == MPI_SUCCESS || (result) == MPI_ERR_IN_STATUS)

#define CALL(name, shape, parameters, arguments, before, after) \
  BEGIN(name, parameters, arguments)                            \
  lat_stamp(&e);                                                \
  before;                                                       \
  const int result = original arguments;                        \
  if (SUCCEEDED(result)) {                                      \
    lat_open(&e);                                               \
    after;                                                      \
    lat_close(&e);                                              \
  }                                                             \
  END(name, parameters)

// Programs poll: a test that finds nothing costs a count, and no clock is read.
#define TEST(name, shape, parameters, arguments, before, done, after) \
  BEGIN(name, parameters, arguments)                                  \
  before;                                                             \
  const int result = original arguments;                              \
  if (SUCCEEDED(result) && (done)) {                                  \
    lat_stamp(&e);                                                    \
    lat_open(&e);                                                     \
    if (after) {                                                      \
      lat_close(&e);                                                  \
    } else {                                                          \
      lat_discard(&e);                                                \
    }                                                                 \
  }                                                                   \
  END(name, parameters)

#define COUNTED_ONLY(name, parameters, arguments, before, after) \
  BEGIN(name, parameters, arguments)                             \
  before;                                                        \
  const int result = original arguments;                         \
  if (result == MPI_SUCCESS) {                                   \
    after;                                                       \
  }                                                              \
  END(name, parameters)

#define SUFFIX
#define COUNT int
#define DISPLACEMENT int
#include "all_calls.def"
#undef SUFFIX
#undef COUNT
#undef DISPLACEMENT

#if MPI_VERSION >= 4
#define SUFFIX _c
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#include "counted.def"
#endif
