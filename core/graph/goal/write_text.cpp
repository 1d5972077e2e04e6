#include <charconv>
#include <concepts>
#include <limits>

#include "core/graph/goal/goal.hpp"
#include "core/graph/goal/output_file.hpp"
#include "core/graph/goal/program.hpp"

namespace latitude::graph {
namespace {

using goal::Operation;
using goal::RankProgram;

void append_number(std::string& to, std::integral auto number) {
  char digits[std::numeric_limits<decltype(number)>::digits10 + 2];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// Schedgen's labels: l1, l2, … in each rank.
void append_label(std::string& to, std::uint64_t operation) {
  to += 'l';
  append_number(to, operation + 1);
}

void append_operation(std::string& to, const Operation& operation) {
  if (operation.kind == Kind::calc) {
    to += "calc ";
    append_number(to, operation.value);
  } else {
    const bool sends = operation.kind == Kind::send;
    to += sends ? "send " : "recv ";
    append_number(to, operation.value);
    to += sends ? "b to " : "b from ";
    append_number(to, operation.peer);
    to += " tag ";
    append_number(to, static_cast<std::uint32_t>(operation.tag));
  }
  if (operation.unit.line.number != 0) {
    to += " cpu ";
    append_number(to, operation.unit.line.number);
  }
  if (operation.unit.nic.number != 0 &&
      operation.kind != Kind::calc) {  // the grammar has no nic in a calc
    to += " nic ";
    append_number(to, operation.unit.nic.number);
  }
  to += '\n';
}

}  // namespace

void write_goal_text(const Graph& graph, const std::string& path, std::uint64_t eager_limit) {
  goal::Program program(graph, eager_limit, path);
  goal::OutputFile file(path);
  std::string& out = file.buffer();
  out += "num_ranks ";
  append_number(out, graph.ranks());
  out += '\n';
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    const RankProgram& ops = program.rank(rank);
    out += "\nrank ";
    append_number(out, rank);
    out += " {\n";
    for (std::size_t i = 0; i < ops.operations.size(); ++i) {
      append_label(out, i);
      out += ": ";
      append_operation(out, ops.operations[i]);
      for (const goal::Requirement& requirement : ops.requirements_of(i)) {
        append_label(out, i);
        out += requirement.start_only ? " irequires " : " requires ";
        append_label(out, requirement.operation);
        out += '\n';
      }
      file.flush_if_large();
    }
    out += "}\n";
  }
  file.commit();
}

}  // namespace latitude::graph
