#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp, which <cstdlib> need not declare
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>

namespace latitude {

/// A folder that one test uses and removes at its end: several test runs may be under way at the
/// same time.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    // Thousands of small files: on a disk they would take most of the time.
    const std::filesystem::path memory = "/dev/shm";
    const bool has_memory = ::access(memory.c_str(), W_OK) == 0;
    const auto parent = has_memory ? memory : std::filesystem::temp_directory_path();
    std::string name = (parent / "latitude-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "mkdtemp";
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::string path() const { return path_.string(); }
  std::string operator/(const std::string& file) const { return (path_ / file).string(); }
  std::size_t files() const {
    const std::filesystem::directory_iterator entries(path_);
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace latitude
