#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/trace/source.hpp"

namespace latitude::trace::native {

/// Reads the payload of a chunk in order, and never beyond its end.
class Cursor {
 public:
  Cursor(const Source& source, Bytes bytes, std::uint64_t offset)
      : source_(source),
        begin_(bytes.data()),
        at_(begin_),
        end_(begin_ + bytes.size()),
        offset_(offset) {}

  bool done() const noexcept { return at_ == end_; }
  /// Place of the next byte in the file.
  std::uint64_t offset() const noexcept {
    return offset_ + static_cast<std::uint64_t>(at_ - begin_);
  }
  std::uint64_t left() const noexcept { return static_cast<std::uint64_t>(end_ - at_); }

  std::uint64_t varint() {
    if (at_ != end_ && *at_ < 0x80) return *at_++;
    return long_varint();
  }
  std::int64_t zigzag() {
    const std::uint64_t n = varint();
    return static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
  }
  std::string_view string() {
    const std::uint64_t size = varint();
    if (size > left()) fail("a string reaches past the end of its chunk");
    const auto* const text = reinterpret_cast<const char*>(at_);
    at_ += size;
    return {text, static_cast<std::size_t>(size)};
  }

  /// InputError unless all records of the chunk have been read.
  void check_done() const {
    if (!done()) fail("a chunk is longer than its records");
  }

  /// Throws InputError because the file is damaged here; `text` describes the damage.
  [[noreturn]] void fail(const std::string& text) const {
    source_.fail(offset(), text + "; the file is damaged, copy it or trace the program again");
  }

 private:
  std::uint64_t long_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ != end_; shift += 7) {
      const std::uint64_t byte = *at_;
      if (shift > 63 || (shift == 63 && byte > 1)) fail("a number does not fit into 64 bits");
      ++at_;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number reaches past the end of its chunk");
  }

  const Source& source_;
  const std::uint8_t* begin_;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::uint64_t offset_;
};

}  // namespace latitude::trace::native
