#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace/source.hpp"

namespace latitude::trace::native {

inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::uint16_t kVersionWithCallers = 2;  ///< each call site has its caller
inline constexpr std::size_t kHeaderSize = 32;
inline constexpr std::size_t kChunkHeaderSize = 32;
// Flags in the file's header.
inline constexpr std::uint32_t kCarriesCpu = 1;
inline constexpr std::uint32_t kSeveralClocks = 2;  ///< chunks of kind `clocks` may come

inline constexpr std::uint64_t kMostTime = std::uint64_t{1} << 60;  ///< ns: 36 years

enum class ChunkKind : std::uint16_t {
  meta = 1,
  calls,
  modules,
  sites,
  communicators,
  events,
  end,
  clocks,
  usage,
  polls,
};

struct Header {
  std::uint16_t version = kVersion;
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  std::uint32_t flags = 0;
  std::uint64_t run = 0;
};

struct Chunk {
  std::uint64_t offset = 0;  ///< place of the chunk's header
  std::uint64_t time_ns = 0;
  std::uint32_t bytes = 0;  ///< bytes of the payload
  std::uint32_t records = 0;
  std::uint32_t crc = 0;       ///< as recorded
  std::uint32_t head_crc = 0;  ///< CRC of the header's first 28 bytes
  std::uint16_t thread = 0;
  ChunkKind kind = ChunkKind::meta;
};

/// The parts of a file, before any payload is read.
struct Layout {
  std::optional<Header> header;  ///< empty: the file ends within it
  std::vector<Chunk> chunks;     ///< only whole chunks
  /// The place where the file breaks off inside a header or chunk.
  std::optional<std::uint64_t> torn;
};

/// Throws InputError for damage that no interrupted write explains: wrong magic, version, kind,
/// order.
Layout read_layout(Source& source);

/// The chunk's payload; std::nullopt if its checksum is wrong.
std::optional<Bytes> payload_of(Source& source, const Chunk& chunk);

}  // namespace latitude::trace::native
