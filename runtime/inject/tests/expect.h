#ifndef LATITUDE_INJECT_TESTS_EXPECT_H
#define LATITUDE_INJECT_TESTS_EXPECT_H

#include <stdio.h>

/// The failed expectations so far.
static int faults;

#define EXPECT(truth)                                    \
  do {                                                   \
    if (!(truth)) {                                      \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #truth); \
      ++faults;                                          \
    }                                                    \
  } while (0)

#endif
