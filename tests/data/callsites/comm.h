void call(int id);

static inline __attribute__((always_inline)) void send(int id) {
  call(id); /* 1 */
  __asm__ volatile("");
}

static inline __attribute__((always_inline)) void exchange(int id) {
  __asm__ volatile("");
  send(id); /* 1 in exchange */
}
