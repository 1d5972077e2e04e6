#include "comm.h"

__attribute__((noinline)) void step(void) {
  call(2); /* 2 */
  __asm__ volatile("");
}

static __attribute__((noinline)) void reduce(int id) {
  __asm__ volatile("");
  call(
      id); /* 3 */
  __asm__ volatile("");
}

int main(void) {
  exchange(1); /* 1 in main */
  step();
  reduce(3);
  return 0;
}
