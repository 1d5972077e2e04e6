#include "crc32c.h"

#include <stdbool.h>
#include <string.h>

static uint32_t table[256];

/// The polynomial 0x1EDC6F41, reflected (RFC 3720, appendix B.4).
static void make_table(void) {
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0x82F63B78u : 0);
    table[i] = value;
  }
}

static uint32_t by_table(uint32_t crc, const unsigned char* at, size_t size) {
  if (!table[1]) make_table();
  while (size--) crc = (crc >> 8) ^ table[(crc ^ *at++) & 0xff];
  return crc;
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc,
                                                                 const unsigned char* at,
                                                                 size_t size) {
  uint64_t wide = crc;
  for (; size >= 8; size -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = (uint32_t)wide;
  while (size--) crc = __builtin_ia32_crc32qi(crc, *at++);
  return crc;
}
static bool has_instruction(void) { return __builtin_cpu_supports("sse4.2"); }
#else
#define by_instruction by_table
static bool has_instruction(void) { return false; }
#endif

uint32_t lat_crc32c(uint32_t before, const void* bytes, size_t size) {
  const uint32_t crc = ~before;
  return ~(has_instruction() ? by_instruction(crc, bytes, size) : by_table(crc, bytes, size));
}
