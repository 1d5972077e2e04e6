#include <vector>

#include "core/graph/goal/binary_reader.hpp"
#include "core/graph/goal/goal.hpp"
#include "core/graph/goal/input_file.hpp"

namespace latitude::graph {

Graph read_goal_binary(const std::string& path) {
  const goal::InputFile file(path);
  std::vector<std::byte> buffer;
  return goal::BinaryReader(path, file.size(),
                            [&](std::uint64_t offset, std::uint64_t length) {
                              buffer.resize(length);
                              file.read_at(buffer.data(), buffer.size(), offset);
                              return std::span<const std::byte>(buffer);
                            })
      .read();
}

Graph parse_goal_binary(std::span<const std::byte> bytes, const std::string& name) {
  return goal::BinaryReader(name, bytes.size(),
                            [&](std::uint64_t offset, std::uint64_t length) {
                              return bytes.subspan(offset, length);
                            })
      .read();
}

}  // namespace latitude::graph
