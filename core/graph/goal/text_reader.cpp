#include "core/graph/goal/text_reader.hpp"

#include <limits>

#include "core/trace/event.hpp"

namespace latitude::graph::goal {
namespace {

// Schedgen writes tags that overflowed as 64 bits; the lower 32 count, as in txt2bin.
constexpr std::uint64_t kMaxTag = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxUnit = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kWildcard = "-1";

}  // namespace

void TextReader::read(std::string_view block) {
  lexer_.set_block(block);
  for (;;) {
    lexer_.skip_lines();
    if (lexer_.done()) return;
    if (ranks_ == 0) {
      header();
    } else if (!in_rank_) {
      open_rank();
    } else if (lexer_.accept('}')) {
      close_rank();
    } else {
      statement();
    }
  }
}

void TextReader::header() {
  if (!lexer_.accept("num_ranks")) lexer_.fail_expected("'num_ranks'");
  lexer_.skip_blanks();
  ranks_ = static_cast<std::uint32_t>(lexer_.number(kMaxRanks, "the number of ranks"));
  if (ranks_ == 0) lexer_.fail("num_ranks must be at least 1");
}

void TextReader::open_rank() {
  if (!lexer_.accept("rank")) lexer_.fail_expected("'rank' or the end of the file");
  lexer_.skip_blanks();
  rank_ = static_cast<std::uint32_t>(lexer_.number(ranks_ - 1, "a rank"));
  rank_line_ = lexer_.line();
  const auto [earlier, is_new] = rank_lines_.try_emplace(rank_, rank_line_);
  if (!is_new) {
    lexer_.fail("rank " + std::to_string(rank_) + " is already defined at line " +
                std::to_string(earlier->second));
  }
  lexer_.skip_blanks();
  if (!lexer_.accept('{')) lexer_.fail_expected("'{'");
  builder_.begin_rank(rank_);
  in_rank_ = true;
}

void TextReader::close_rank() {
  resolve_forward();
  const std::vector<std::uint32_t> cycle = builder_.end_rank();
  if (!cycle.empty()) {
    constexpr std::size_t kShown = 8;
    std::string chain = labels_.name_of(cycle.front());
    for (std::size_t i = 1; i <= cycle.size() && i <= kShown; ++i) {
      chain += " requires " + labels_.name_of(cycle[i % cycle.size()]);
    }
    lexer_.fail_at(rank_line_, "rank " + std::to_string(rank_) + ": cycle of " +
                                   std::to_string(cycle.size()) + ": " + chain +
                                   (cycle.size() > kShown ? " …" : ""));
  }
  labels_.clear();
  in_rank_ = false;
}

void TextReader::statement() {
  if (!builder_.has_room(1, 1)) lexer_.fail("more than 2^32 operations or dependencies");
  const std::string_view word = lexer_.identifier();
  if (word.empty()) lexer_.fail_expected("an operation, a label or '}'");
  lexer_.skip_blanks();
  if (word == "send" || word == "recv" || word == "calc") {
    operation(word, {});
  } else if (lexer_.accept(':')) {
    lexer_.skip_blanks();
    operation(lexer_.identifier(), word);
  } else if (lexer_.accept("requires")) {
    dependency(word, DepKind::requires_end);
  } else if (lexer_.accept("irequires")) {
    dependency(word, DepKind::requires_start);
  } else {
    lexer_.fail_expected("':', 'requires' or 'irequires'");
  }
  end_statement();
}

void TextReader::operation(std::string_view keyword, std::string_view label) {
  Operation operation;
  if (keyword == "calc") {
    lexer_.skip_blanks();
    operation.value = static_cast<std::int64_t>(lexer_.number(kMaxValue, "a duration in ns"));
  } else if (keyword == "send" || keyword == "recv") {
    operation.kind = keyword == "send" ? Kind::send : Kind::recv;
    message(operation);
  } else {
    lexer_.unread(keyword);
    lexer_.fail_expected("'send', 'recv' or 'calc'");
  }
  options(operation);
  if (!label.empty() && !labels_.define(label, builder_.operations())) {
    lexer_.fail("label " + std::string(label) + " is already defined in rank " +
                std::to_string(rank_));
  }
  builder_.add(operation);
}

void TextReader::message(Operation& operation) {
  lexer_.skip_blanks();
  operation.value = static_cast<std::int64_t>(lexer_.number(kMaxValue, "a size in bytes"));
  lexer_.skip_blanks();
  if (!lexer_.accept('b')) lexer_.fail_expected("'b'");
  lexer_.skip_blanks();
  const bool sends = operation.kind == Kind::send;
  if (!lexer_.accept(sends ? "to" : "from")) lexer_.fail_expected(sends ? "'to'" : "'from'");
  lexer_.skip_blanks();
  if (!sends && lexer_.accept(kWildcard)) {
    operation.peer = trace::kAnySource;
  } else {
    operation.peer = static_cast<std::int32_t>(lexer_.number(ranks_ - 1, "a rank"));
  }
}

void TextReader::options(Operation& operation) {
  bool tag = operation.kind == Kind::calc;
  bool nic = operation.kind == Kind::calc;
  bool cpu = false;
  for (;;) {
    lexer_.skip_blanks();
    if (lexer_.peek() == '\n') return;
    if (!tag && lexer_.accept("tag")) {
      lexer_.skip_blanks();
      tag = true;
      operation.tag = lexer_.accept(kWildcard)
                          ? trace::kAnyTag
                          : static_cast<std::int32_t>(lexer_.number(kMaxTag, "a tag"));
      if (operation.tag == trace::kAnyTag && operation.kind == Kind::send) {
        lexer_.fail("tag -1 is a wildcard: not in a send");
      }
    } else if (!cpu && lexer_.accept("cpu")) {
      lexer_.skip_blanks();
      cpu = true;
      operation.unit.line.number = static_cast<std::uint32_t>(lexer_.number(kMaxUnit, "a CPU"));
    } else if (!nic && lexer_.accept("nic")) {
      lexer_.skip_blanks();
      nic = true;
      operation.unit.nic.number = static_cast<std::uint32_t>(lexer_.number(kMaxUnit, "a NIC"));
    } else {
      return;
    }
  }
}

void TextReader::dependency(std::string_view vertex, DepKind kind) {
  lexer_.skip_blanks();
  const std::string_view on = lexer_.identifier();
  if (on.empty()) lexer_.fail_expected("a label");
  const std::uint32_t vertex_index = labels_.find(vertex);
  const std::uint32_t on_index = labels_.find(on);
  if (vertex_index == Labels::kUnknown || on_index == Labels::kUnknown) {
    forward_.push_back(
        {builder_.dependencies(), lexer_.line(), std::string(vertex), std::string(on)});
  }
  builder_.depend(vertex_index, on_index, kind);
}

void TextReader::end_statement() {
  lexer_.skip_blanks();
  if (lexer_.peek() != '\n' && lexer_.peek() != '}') lexer_.fail_expected("the end of the line");
}

void TextReader::resolve_forward() {
  for (const Forward& forward : forward_) {
    const auto known = [&](const std::string& label) {
      const std::uint32_t operation = labels_.find(label);
      if (operation == Labels::kUnknown) {
        lexer_.fail_at(forward.line,
                       "label " + label + " is not defined in rank " + std::to_string(rank_));
      }
      return operation;
    };
    const std::uint32_t vertex = known(forward.vertex);
    builder_.resolve(forward.dependency, vertex, known(forward.on));
  }
  forward_.clear();
}

Graph TextReader::finish() {
  if (lexer_.in_comment()) lexer_.fail("the file ends inside a comment: '*/' is missing");
  if (ranks_ == 0) lexer_.fail("the file ends before 'num_ranks'");
  if (in_rank_) {
    lexer_.fail("the file ends inside rank " + std::to_string(rank_) + ": '}' is missing");
  }
  if (rank_lines_.size() < ranks_) {
    std::uint32_t missing = 0;
    while (rank_lines_.contains(missing)) ++missing;
    lexer_.fail("the file ends without rank " + std::to_string(missing) + " of " +
                std::to_string(ranks_));
  }
  return builder_.finish(ranks_);
}

void TextReader::fail_long_line(std::size_t limit) const {
  lexer_.fail("line longer than " + std::to_string(limit) + " bytes");
}

}  // namespace latitude::graph::goal
