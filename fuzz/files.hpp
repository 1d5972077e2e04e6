#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace latitude::trace {

/// Up to 3 files, each after its length in 2 bytes.
inline std::vector<std::vector<std::uint8_t>> files_in(const std::uint8_t* data, std::size_t size) {
  std::vector<std::vector<std::uint8_t>> files;
  while (size >= 2 && files.size() < 3) {
    const std::size_t length = std::min<std::size_t>(data[0] | data[1] << 8, size - 2);
    files.emplace_back(data + 2, data + 2 + length);
    data += 2 + length;
    size -= 2 + length;
  }
  return files;
}

}  // namespace latitude::trace
