#include "core/trace/native/layout.hpp"

#include <cstring>
#include <string>

#include "core/trace/native/crc32c.hpp"

namespace latitude::trace::native {
namespace {

template <class T>
T field(Bytes bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool begins(Bytes bytes, const char* magic) {
  return std::memcmp(bytes.data(), magic, std::strlen(magic)) == 0;
}

Header header_of(const Source& source, Bytes bytes) {
  if (!begins(bytes, "LATITUDE")) {
    source.fail(0, "does not begin with LATITUDE; this is not a file that latitude trace wrote");
  }
  const auto version = field<std::uint16_t>(bytes, 8);
  if (version != kVersion && version != kVersionWithCallers) {
    source.fail(8, "is in version " + std::to_string(version) +
                       " of the trace format; this latitude knows versions " +
                       std::to_string(kVersion) + " and " + std::to_string(kVersionWithCallers) +
                       ", use the one that traced the program");
  }
  const auto size = field<std::uint16_t>(bytes, 10);
  if (size != kHeaderSize) {
    source.fail(10, "gives a header of " + std::to_string(size) + " bytes instead of " +
                        std::to_string(kHeaderSize) + "; the file is damaged, copy it again");
  }
  const Header header{version, field<std::uint32_t>(bytes, 12), field<std::uint32_t>(bytes, 16),
                      field<std::uint32_t>(bytes, 20), field<std::uint64_t>(bytes, 24)};
  if (header.rank >= header.size) {
    source.fail(12, "is rank " + std::to_string(header.rank) + " of " +
                        std::to_string(header.size) + "; the file is damaged, copy it again");
  }
  if ((header.flags & ~(kCarriesCpu | kSeveralClocks)) != 0) {
    source.fail(20, "has flags this latitude does not know (" + std::to_string(header.flags) +
                        "); use the one that traced the program");
  }
  return header;
}

Chunk chunk_of(const Source& source, Bytes bytes, std::uint64_t offset, std::size_t number) {
  if (!begins(bytes, "LTCK")) {
    source.fail(offset,
                "no chunk begins here (LTCK is missing); the file is damaged, copy it or "
                "trace the program again");
  }
  const auto kind = field<std::uint16_t>(bytes, 4);
  const Chunk chunk{.offset = offset,
                    .time_ns = field<std::uint64_t>(bytes, 16),
                    .bytes = field<std::uint32_t>(bytes, 8),
                    .records = field<std::uint32_t>(bytes, 12),
                    .crc = field<std::uint32_t>(bytes, 28),
                    .head_crc = crc32c(bytes.first(28)),
                    .thread = field<std::uint16_t>(bytes, 6),
                    .kind = static_cast<ChunkKind>(kind)};
  if (kind < static_cast<unsigned>(ChunkKind::meta) ||
      kind > static_cast<unsigned>(ChunkKind::polls)) {
    source.fail(offset + 4, "is a chunk of kind " + std::to_string(kind) +
                                ", which this latitude does not know; use the one that traced "
                                "the program");
  }
  if (const auto sequence = field<std::uint32_t>(bytes, 24); sequence != number) {
    source.fail(offset + 24, "is chunk " + std::to_string(sequence) + " where chunk " +
                                 std::to_string(number) +
                                 " should be; the file is damaged, copy it again");
  }
  return chunk;
}

}  // namespace

Layout read_layout(Source& source) {
  Layout layout;
  const std::uint64_t size = source.size();
  if (size < kHeaderSize) {
    layout.torn = 0;
    return layout;
  }
  layout.header = header_of(source, source.read(0, kHeaderSize));
  for (std::uint64_t at = kHeaderSize; at < size;) {
    if (!layout.chunks.empty() && layout.chunks.back().kind == ChunkKind::end) {
      source.fail(at, "goes on after its end chunk; the file is damaged, copy it again");
    }
    if (size - at < kChunkHeaderSize) {
      layout.torn = at;
      break;
    }
    const Chunk chunk =
        chunk_of(source, source.read(at, kChunkHeaderSize), at, layout.chunks.size());
    if (size - at - kChunkHeaderSize < chunk.bytes) {
      layout.torn = at;
      break;
    }
    layout.chunks.push_back(chunk);
    at += kChunkHeaderSize + chunk.bytes;
  }
  return layout;
}

std::optional<Bytes> payload_of(Source& source, const Chunk& chunk) {
  const Bytes payload = source.read(chunk.offset + kChunkHeaderSize, chunk.bytes);
  if (crc32c(payload, chunk.head_crc) != chunk.crc) return std::nullopt;
  return payload;
}

}  // namespace latitude::trace::native
