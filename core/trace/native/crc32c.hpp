#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace latitude::trace::native {

/// CRC-32C (Castagnoli, RFC 3720 B.4) of bytes; `crc` is that of the bytes before them. The tracer
/// has its own (runtime/tracer/crc32c.c): it is C11 that lives in other people's programs, where no
/// C++ library may be. By the processor's instruction (SSE 4.2, ARMv8) where it has one.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t crc = 0) noexcept;

/// The same on every processor.
std::uint32_t crc32c_by_tables(std::span<const std::uint8_t> bytes, std::uint32_t crc = 0) noexcept;

}  // namespace latitude::trace::native
