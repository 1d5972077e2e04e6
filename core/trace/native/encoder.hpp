#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/trace/native/crc32c.hpp"
#include "core/trace/native/layout.hpp"

namespace latitude::trace::native {

/// Makes bytes in the format of docs/internals/trace-format.md.
class Encoder {
 public:
  Encoder& varint(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) bytes_.push_back(static_cast<char>(n | 0x80));
    bytes_.push_back(static_cast<char>(n));
    return *this;
  }
  Encoder& zigzag(std::int64_t n) {
    return varint(static_cast<std::uint64_t>(n) << 1 ^ static_cast<std::uint64_t>(n >> 63));
  }
  Encoder& string(std::string_view text) {
    varint(text.size());
    bytes_ += text;
    return *this;
  }
  template <class T>
  Encoder& fixed(T value) {
    for (std::size_t i = 0; i < sizeof value; ++i) {
      bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
    return *this;
  }
  Encoder& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// The header of a rank's file.
inline std::string file_header(const Header& header) {
  return Encoder()
      .raw("LATITUDE")
      .fixed(header.version)
      .fixed(static_cast<std::uint16_t>(kHeaderSize))
      .fixed(header.rank)
      .fixed(header.size)
      .fixed(header.flags)
      .fixed(header.run)
      .bytes();
}

/// A chunk with its header and checksum.
inline std::string chunk_of(ChunkKind kind, std::uint32_t records, std::string_view payload,
                            std::uint32_t sequence, std::uint16_t thread = 0,
                            std::uint64_t time = 0) {
  Encoder head;
  head.raw("LTCK")
      .fixed(static_cast<std::uint16_t>(kind))
      .fixed(thread)
      .fixed(static_cast<std::uint32_t>(payload.size()));
  head.fixed(records).fixed(time).fixed(sequence);
  const auto bytes = [](std::string_view text) {
    return std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  };
  head.fixed(crc32c(bytes(payload), crc32c(bytes(head.bytes()))));
  return head.raw(payload).bytes();
}

}  // namespace latitude::trace::native
