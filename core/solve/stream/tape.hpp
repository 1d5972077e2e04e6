#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::solve {

/// The data on a node, whose value is in a slot (HeldNode), that a backward pass over a DAG needs.
struct TapeStep {
  std::uint32_t to = 0;
  std::uint32_t from[2] = {};
  double weight[2] = {};  ///< weights of the node's edges, ns
  // For a hop, whose edge 1 has the latencies of a message:
  graph::VertexId receive = graph::kNoVertex;  ///< the place of its receive, while that exists
  std::uint32_t kind = 0;                      ///< kind of the message, a number of the caller's
  double arrival = 0;                          ///< length of the longest path to the end of edge 1,
                                               ///< ns
  std::uint8_t latencies = 0;
  bool first = false;  ///< whether this is the first hop of the message

  bool hops() const noexcept { return receive != graph::kNoVertex; }
};

/// Steps on disk, some 10 bytes each (20 for a hop), which are read from the last to the first. The
/// file has no name, and disappears with the tape. InputError if the file cannot be written or
/// read.
class Tape {
 public:
  explicit Tape(const std::string& folder);
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// Adds a step; `last()` is valid until the next step.
  void add(const TapeStep& step) {
    if (steps_.size() == kBlock) flush();
    steps_.push_back(step);
  }
  TapeStep& last() { return steps_.back(); }

  /// Visits all steps, the last first, and removes them. After each block, calls tells(finished
  /// share).
  template <class Visit, class Tell>
  void backwards(Visit visit, Tell tell) {
    const double blocks = static_cast<double>(blocks_.size() + 1);
    for (;;) {
      while (!steps_.empty()) {
        visit(steps_.back());
        steps_.pop_back();
      }
      tell(1 - static_cast<double>(blocks_.size()) / blocks);
      if (blocks_.empty()) return;
      read_last();
    }
  }

  /// Number of bytes in the file.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 14;

  struct Block {
    std::uint64_t offset;
    std::uint32_t bytes;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void flush();
  void read_last();
  [[noreturn]] void fail(const char* what) const;

  std::string folder_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<TapeStep> steps_;
  std::vector<std::uint8_t> coded_;
  std::vector<Block> blocks_;
  std::uint64_t bytes_ = 0;
};

}  // namespace latitude::solve
