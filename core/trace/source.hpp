#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace latitude::trace {

using Bytes = std::span<const std::uint8_t>;

/// One rank's file: on disk, or in memory if it comes from an archive.
class Source {
 public:
  explicit Source(std::string name) : name_(std::move(name)) {}
  virtual ~Source() = default;

  const std::string& name() const noexcept { return name_; }  ///< for messages
  virtual std::uint64_t size() const = 0;
  /// `count` bytes from `offset` on, all within size(); valid until the next call.
  virtual Bytes read(std::uint64_t offset, std::size_t count) = 0;

  [[noreturn]] void fail(std::uint64_t offset, const std::string& text) const;

 private:
  std::string name_;
};

/// Keeps the file open during its lifetime. InputError if it cannot be read.
class FileSource : public Source {
 public:
  explicit FileSource(const std::string& path);
  std::uint64_t size() const override { return size_; }
  Bytes read(std::uint64_t offset, std::size_t count) override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t size_ = 0;
  std::vector<std::uint8_t> buffer_;
};

class MemorySource : public Source {
 public:
  MemorySource(std::string name, Bytes bytes) : Source(std::move(name)), bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Bytes read(std::uint64_t offset, std::size_t count) override {
    return bytes_.subspan(static_cast<std::size_t>(offset), count);
  }

 private:
  Bytes bytes_;
};

}  // namespace latitude::trace
