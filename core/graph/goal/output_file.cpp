#include "core/graph/goal/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"

namespace latitude::graph::goal {

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status)) {
    // A rename would replace a device or a pipe with a file.
    if (!std::filesystem::is_regular_file(status)) {
      throw InputError(path_ + ": cannot write: not a regular file");
    }
    const auto real = std::filesystem::canonical(path, ignored);
    if (!ignored) target_ = real.string();
  }
  const std::string stem = target_ + ".part-" + std::to_string(::getpid());
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = stem + "-" + std::to_string(attempt);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) {
      temporary_.clear();
      fail();
    }
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::overwrite(std::uint64_t offset, std::string_view bytes) {
  flush();
  write_all(bytes, offset);
}

void OutputFile::commit() {
  flush();
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
}

void OutputFile::flush() {
  write_all(buffer_, written_);
  written_ += buffer_.size();
  buffer_.clear();
}

void OutputFile::write_all(std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t put =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail();
    bytes.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

void OutputFile::fail() const {
  throw InputError(path_ + ": cannot write: " + std::generic_category().message(errno));
}

}  // namespace latitude::graph::goal
