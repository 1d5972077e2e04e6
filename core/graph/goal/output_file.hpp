#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace latitude::graph::goal {

/// Writes to a temporary file next to the destination, and replaces the destination in commit().
/// Without commit() no file remains. Every failure is an InputError that names the destination.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Buffered text to append to; written out by flush_if_large() and commit().
  std::string& buffer() { return buffer_; }
  void flush_if_large() {
    if (buffer_.size() >= kFlushBytes) flush();
  }
  /// Overwrites bytes that were appended earlier.
  void overwrite(std::uint64_t offset, std::string_view bytes);
  void commit();

 private:
  static constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

  void flush();
  void write_all(std::string_view bytes, std::uint64_t offset);
  [[noreturn]] void fail() const;

  std::string path_;    // in the user's spelling, for messages
  std::string target_;  // symbolic links followed, so that the link survives
  std::string temporary_;
  std::string buffer_;
  std::uint64_t written_ = 0;
  int descriptor_ = -1;
};

}  // namespace latitude::graph::goal
