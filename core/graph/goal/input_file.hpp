#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace latitude::graph::goal {

/// A file open for reading; every failure is an InputError that names the file.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Up to `count` bytes from the end of the last call on; 0 at the end of the file.
  std::size_t read(void* to, std::size_t count);
  /// Exactly `count` bytes at `offset`.
  void read_at(void* to, std::size_t count, std::uint64_t offset) const;
  /// Size of the file in bytes, if known; 0 for anything but a regular file.
  std::uint64_t expected() const;
  /// InputError if the file is not regular.
  std::uint64_t size() const;

 private:
  struct stat status() const;

  std::string path_;
  int descriptor_;
};

}  // namespace latitude::graph::goal
