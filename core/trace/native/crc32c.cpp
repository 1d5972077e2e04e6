#include "core/trace/native/crc32c.hpp"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#define LATITUDE_CRC __attribute__((target("sse4.2")))
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#define LATITUDE_CRC __attribute__((target("+crc")))
#endif

namespace latitude::trace::native {
namespace {

using ByteTables = std::array<std::array<std::uint32_t, 256>, 8>;

/// [k][b]: the contribution of byte b if k more bytes follow it ("slicing by 8").
constexpr ByteTables make_tables() {
  constexpr std::uint32_t kReflected = 0x82f63b78;
  ByteTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kReflected : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 255];
    }
  }
  return tables;
}

constexpr ByteTables kTables = make_tables();

#if defined(LATITUDE_CRC)

#if defined(__x86_64__)
bool has_instruction() noexcept { return __builtin_cpu_supports("sse4.2"); }

LATITUDE_CRC std::uint32_t of_word(std::uint32_t crc, std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(_mm_crc32_u64(crc, word));
}
LATITUDE_CRC std::uint32_t of_byte(std::uint32_t crc, std::uint8_t byte) noexcept {
  return _mm_crc32_u8(crc, byte);
}
#else
bool has_instruction() noexcept { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }

LATITUDE_CRC std::uint32_t of_word(std::uint32_t crc, std::uint64_t word) noexcept {
  return __crc32cd(crc, word);
}
LATITUDE_CRC std::uint32_t of_byte(std::uint32_t crc, std::uint8_t byte) noexcept {
  return __crc32cb(crc, byte);
}
#endif

LATITUDE_CRC std::uint32_t by_instruction(std::span<const std::uint8_t> bytes,
                                          std::uint32_t crc) noexcept {
  const std::uint8_t* p = bytes.data();
  std::size_t left = bytes.size();
  crc = ~crc;
  for (; left >= 8; left -= 8, p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    crc = of_word(crc, word);
  }
  for (; left > 0; --left, ++p) crc = of_byte(crc, *p);
  return ~crc;
}

#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t crc) noexcept {
#if defined(LATITUDE_CRC)
  static const bool instruction = has_instruction();
  if (instruction) return by_instruction(bytes, crc);
#endif
  return crc32c_by_tables(bytes, crc);
}

std::uint32_t crc32c_by_tables(std::span<const std::uint8_t> bytes, std::uint32_t crc) noexcept {
  static_assert(std::endian::native == std::endian::little);
  const std::uint8_t* p = bytes.data();
  std::size_t left = bytes.size();
  crc = ~crc;
  for (; left >= 8; left -= 8, p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    word ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][word >> (8 * k) & 255];
  }
  for (; left > 0; --left, ++p) crc = crc >> 8 ^ kTables[0][(crc ^ *p) & 255];
  return ~crc;
}

}  // namespace latitude::trace::native
