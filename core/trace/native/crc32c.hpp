#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace latitude::trace::native {

/// CRC-32C (Castagnoli, RFC 3720 B.4) of bytes; `crc` is the CRC of the bytes before them. This
/// function uses the processor's instruction (SSE 4.2, ARMv8) if available. The tracer has its own
/// implementation (runtime/tracer/crc32c.c) in C11, because it runs inside other programs, which
/// may have no C++ library.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t crc = 0) noexcept;

/// The same CRC by tables, which work on every processor.
std::uint32_t crc32c_by_tables(std::span<const std::uint8_t> bytes, std::uint32_t crc = 0) noexcept;

}  // namespace latitude::trace::native
