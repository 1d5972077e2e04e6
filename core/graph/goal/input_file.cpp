#include "core/graph/goal/input_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.hpp"

namespace latitude::graph::goal {
namespace {

[[noreturn]] void fail(const std::string& path) {
  throw InputError(path + ": cannot read: " + std::generic_category().message(errno));
}

}  // namespace

InputFile::InputFile(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(path_);
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read(void* to, std::size_t count) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, to, count);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(path_);
  }
}

void InputFile::read_at(void* to, std::size_t count, std::uint64_t offset) const {
  auto* out = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_, out, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_);
    if (got == 0) throw InputError(path_ + ": the file became shorter while it was read");
    out += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

std::uint64_t InputFile::expected() const {
  const struct stat status = this->status();
  return S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::uint64_t InputFile::size() const {
  const struct stat status = this->status();
  if (!S_ISREG(status.st_mode)) throw InputError(path_ + ": not a regular file");
  return static_cast<std::uint64_t>(status.st_size);
}

struct stat InputFile::status() const {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0) fail(path_);
  return status;
}

}  // namespace latitude::graph::goal
