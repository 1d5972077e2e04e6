#pragma once

// One source for every vector width: the loops below are written for any lane count and the
// compiler makes a version for each instruction set, picked when the library is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LATITUDE_EVERY_VECTOR_UNIT \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LATITUDE_EVERY_VECTOR_UNIT
#endif
#define LATITUDE_INLINE inline __attribute__((always_inline))
