#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/graph/goal/binary_layout.hpp"
#include "core/graph/goal/graph_builder.hpp"

namespace latitude::graph::goal {

/// Reads GOAL binary (binary_layout.hpp). Memory for a count is allocated only after a check that
/// the file is large enough for that count.
class BinaryReader {
 public:
  /// `length` bytes at `offset`, inside the file; valid until the next call.
  using Slice =
      std::function<std::span<const std::byte>(std::uint64_t offset, std::uint64_t length)>;

  BinaryReader(const std::string& name, std::uint64_t file_size, Slice slice)
      : name_(name), file_size_(file_size), slice_(std::move(slice)), builder_(name) {}

  Graph read();

 private:
  /// One rank's part of the file.
  struct Part {
    std::uint32_t rank;
    std::uint64_t offset;  // offset in the file
    std::span<const std::byte> bytes;
    std::uint32_t nodes;
    std::uint32_t roots;
    std::uint64_t entries;  // number of entries of the appendix

    std::size_t node_at(std::uint32_t node) const {
      return kRankHeaderBytes + roots * kEntryBytes + node * kNodeBytes;
    }
    std::size_t entry_at(std::uint64_t entry) const { return node_at(nodes) + entry * kEntryBytes; }
  };

  std::uint32_t header();
  void rank(std::uint32_t rank, std::uint64_t offset, std::uint64_t length);
  void nodes(const Part& part);
  void operation(const Part& part, std::uint32_t index, const Node& node);
  void successors(const Part& part, std::uint32_t index, std::uint32_t first, std::uint32_t count,
                  DepKind kind);
  void check_predecessors(const Part& part);
  void check_order(const Part& part);

  [[noreturn]] void fail(std::uint64_t offset, const std::string& message) const;
  [[noreturn]] void fail_node(const Part& part, std::uint32_t node,
                              const std::string& message) const;

  const std::string& name_;
  std::uint64_t file_size_;
  Slice slice_;
  GraphBuilder builder_;
  std::vector<std::uint32_t> predecessors_;  // number per node of the current rank, as counted
  std::uint32_t ranks_ = 0;
};

}  // namespace latitude::graph::goal
