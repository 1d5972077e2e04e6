#include "core/trace/source.hpp"

#include <filesystem>

#include "core/error.hpp"

namespace latitude::trace {

void Source::fail(std::uint64_t offset, const std::string& text) const {
  throw InputError(name_ + ": byte " + std::to_string(offset) + ": " + text);
}

FileSource::FileSource(const std::string& path) : Source(path) {
  std::error_code error;
  size_ = std::filesystem::file_size(path, error);
  if (error) throw InputError(path + ": cannot be read (" + error.message() + ")");
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (!file_) throw InputError(path + ": cannot be opened; is it readable?");
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
}

Bytes FileSource::read(std::uint64_t offset, std::size_t count) {
  buffer_.resize(count);
  if (fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0 ||
      std::fread(buffer_.data(), 1, count, file_.get()) != count) {
    fail(offset, "reading failed; is the file being written, or the disk at fault?");
  }
  return buffer_;
}

}  // namespace latitude::trace
