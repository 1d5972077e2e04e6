#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/goal/graph_builder.hpp"
#include "core/graph/goal/labels.hpp"
#include "core/graph/goal/lexer.hpp"

namespace latitude::graph::goal {

/// The grammar of GOAL text (docs/reference/goal.md). Takes the file block by block and builds its
/// graph.
class TextReader {
 public:
  explicit TextReader(const std::string& name) : lexer_(name), builder_(name) {}

  /// Reads the next whole lines; `block` must end with '\n'.
  void read(std::string_view block);
  /// Reserves memory: all blocks together are about `times` as long as the part read so far.
  void expect(double times) { builder_.expect(times); }
  /// Call after the last block.
  Graph finish();
  /// InputError: the next line is too long.
  [[noreturn]] void fail_long_line(std::size_t limit) const;

 private:
  /// A dependency whose labels are not both defined yet.
  struct Forward {
    std::size_t dependency;
    std::uint64_t line;
    std::string vertex;
    std::string on;
  };

  void header();
  void open_rank();
  void close_rank();
  void statement();
  void operation(std::string_view keyword, std::string_view label);
  void message(Operation& operation);
  void options(Operation& operation);
  void dependency(std::string_view vertex, DepKind kind);
  void end_statement();
  void resolve_forward();

  Lexer lexer_;
  GraphBuilder builder_;
  Labels labels_;
  std::vector<Forward> forward_;
  std::unordered_map<std::uint32_t, std::uint64_t> rank_lines_;  // line that defines each rank
  std::uint32_t ranks_ = 0;                                      // 0 before num_ranks
  std::uint32_t rank_ = 0;
  std::uint64_t rank_line_ = 0;
  bool in_rank_ = false;
};

}  // namespace latitude::graph::goal
