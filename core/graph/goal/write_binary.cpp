#include <algorithm>
#include <numeric>

#include "core/graph/goal/binary_layout.hpp"
#include "core/graph/goal/goal.hpp"
#include "core/graph/goal/output_file.hpp"
#include "core/graph/goal/program.hpp"

namespace latitude::graph {
namespace {

using goal::append;
using goal::RankProgram;

goal::NodeType type_of(Kind kind) {
  switch (kind) {
    case Kind::send:
      return goal::NodeType::send;
    case Kind::recv:
      return goal::NodeType::recv;
    case Kind::calc:
    case Kind::transfer:  // such a graph is rejected
      break;
  }
  return goal::NodeType::calc;
}

/// The successors of every operation: first those that wait for its end, then those that wait for
/// its start. This is the appendix, in order.
class Successors {
 public:
  explicit Successors(const RankProgram& program) : begin_(2 * program.operations.size() + 1, 0) {
    for (const auto& requirement : program.requirements) ++begin_[list(requirement) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    entries_.resize(program.requirements.size());
    auto fill = begin_;
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
      for (const auto& requirement : program.requirements_of(i)) {
        entries_[fill[list(requirement)]++] = i;
      }
    }
  }

  std::uint32_t first(std::size_t operation, bool start_only) const {
    return begin_[2 * operation + start_only];
  }
  std::uint32_t count(std::size_t operation, bool start_only) const {
    return begin_[2 * operation + start_only + 1] - first(operation, start_only);
  }
  const std::vector<std::uint32_t>& entries() const { return entries_; }

 private:
  static std::size_t list(const goal::Requirement& requirement) {
    return 2 * std::size_t{requirement.operation} + requirement.start_only;
  }

  std::vector<std::uint32_t> begin_;  // two lists per operation
  std::vector<std::uint32_t> entries_;
};

/// Writes the ranks one after the other, then the header with their positions.
class BinaryWriter {
 public:
  BinaryWriter(const std::string& path, std::uint32_t ranks)
      : path_(path), file_(path), ranks_(ranks) {
    position_ = goal::kHeaderBytes + ranks * goal::kExtentBytes;
    file_.buffer().append(position_, '\0');
  }

  void rank(const RankProgram& program);
  void commit();

 private:
  void node(const RankProgram& program, const Successors& successors, std::size_t i);

  /// The number of an operation's unit; InputError: too large.
  std::uint8_t in_a_byte(std::uint32_t number, const char* of) const;

  std::string path_;
  goal::OutputFile file_;
  std::uint32_t ranks_;
  std::uint64_t position_;
  std::uint8_t max_cpu_ = 0;
  std::uint8_t max_nic_ = 0;
  std::string extents_;
};

void BinaryWriter::rank(const RankProgram& program) {
  const std::size_t nodes = program.operations.size();
  const Successors successors(program);
  std::vector<std::uint32_t> roots;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    if (program.requirements_of(i).empty()) roots.push_back(i);
  }
  append(extents_, position_ - goal::kOffsetBase);
  position_ += goal::kRankHeaderBytes + nodes * goal::kNodeBytes +
               (roots.size() + successors.entries().size()) * goal::kEntryBytes;
  append(extents_, position_ - goal::kOffsetBase);

  std::string& out = file_.buffer();
  append(out, static_cast<std::uint32_t>(nodes));
  append(out, static_cast<std::uint32_t>(roots.size()));
  for (const std::uint32_t root : roots) append(out, root);
  for (std::size_t i = 0; i < nodes; ++i) {
    node(program, successors, i);
    file_.flush_if_large();
  }
  for (const std::uint32_t successor : successors.entries()) {
    append(out, successor);
    file_.flush_if_large();
  }
}

std::uint8_t BinaryWriter::in_a_byte(std::uint32_t number, const char* of) const {
  if (number > goal::kMostInBinary) {
    throw InputError(path_ + ": GOAL binary has 8 bits for a " + of + ", and " +
                     std::to_string(number) + " needs more; write GOAL text");
  }
  return static_cast<std::uint8_t>(number);
}

void BinaryWriter::node(const RankProgram& program, const Successors& successors, std::size_t i) {
  const goal::Operation& operation = program.operations[i];
  const std::uint8_t cpu = in_a_byte(operation.unit.line.number, "cpu");
  const std::uint8_t nic = in_a_byte(operation.unit.nic.number, "nic");
  max_cpu_ = std::max(max_cpu_, cpu);
  max_nic_ = std::max(max_nic_, nic);
  goal::append_node(file_.buffer(),
                    {.predecessors = static_cast<std::uint32_t>(program.requirements_of(i).size()),
                     .type = static_cast<std::uint8_t>(type_of(operation.kind)),
                     .peer = static_cast<std::uint32_t>(operation.peer),
                     .size = static_cast<std::uint64_t>(operation.value),
                     .tag = static_cast<std::uint32_t>(operation.tag),
                     .cpu = cpu,
                     .nic = nic,
                     .required_by = successors.count(i, false),
                     .first_required_by = successors.first(i, false),
                     .irequired_by = successors.count(i, true),
                     .first_irequired_by = successors.first(i, true)});
}

void BinaryWriter::commit() {
  std::string header;
  append(header, goal::kMagic);
  append(header, ranks_);
  append(header, max_cpu_);
  append(header, max_nic_);
  file_.overwrite(0, header + extents_);
  file_.commit();
}

}  // namespace

void write_goal_binary(const Graph& graph, const std::string& path, std::uint64_t eager_limit) {
  goal::Program program(graph, eager_limit, path);
  BinaryWriter writer(path, graph.ranks());
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) writer.rank(program.rank(rank));
  writer.commit();
}

}  // namespace latitude::graph
