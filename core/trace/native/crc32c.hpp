#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace latitude::trace::native {

/// CRC-32C (Castagnoli, RFC 3720 B.4) of bytes; `crc` is that of the bytes before them. It uses the
/// processor's instruction (SSE 4.2, ARMv8) if available. The tracer has its own implementation
/// (runtime/tracer/crc32c.c) in C11, because it lives in other people's programs, which may have no
/// C++ library.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t crc = 0) noexcept;

/// The same on every processor.
std::uint32_t crc32c_by_tables(std::span<const std::uint8_t> bytes, std::uint32_t crc = 0) noexcept;

}  // namespace latitude::trace::native
