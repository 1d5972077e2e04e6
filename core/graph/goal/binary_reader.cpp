#include "core/graph/goal/binary_reader.hpp"

#include <algorithm>
#include <limits>

#include "core/trace/event.hpp"

namespace latitude::graph::goal {
namespace {

constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void BinaryReader::fail(std::uint64_t offset, const std::string& message) const {
  throw InputError(name_ + ":byte " + std::to_string(offset) + ": " + message);
}

void BinaryReader::fail_node(const Part& part, std::uint32_t node,
                             const std::string& message) const {
  fail(part.offset + part.node_at(node),
       "rank " + std::to_string(part.rank) + ": node " + std::to_string(node) + " " + message);
}

Graph BinaryReader::read() {
  ranks_ = header();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> extents(ranks_);
  {
    const auto table = slice_(kHeaderBytes, std::uint64_t{ranks_} * kExtentBytes);
    for (std::size_t r = 0; r < ranks_; ++r) {
      extents[r] = {load<std::uint64_t>(&table[r * kExtentBytes]),
                    load<std::uint64_t>(&table[r * kExtentBytes + kExtentBytes / 2])};
    }
  }
  const std::uint64_t data_begin = kHeaderBytes + std::uint64_t{ranks_} * kExtentBytes;
  std::uint64_t unread = file_size_ - data_begin;  // ranks may not share bytes: this bounds memory
  std::uint64_t data_end = data_begin;
  for (std::uint32_t r = 0; r < ranks_; ++r) {
    const auto [begin, end] = extents[r];
    if (begin + kOffsetBase < data_begin || begin > end || end > file_size_ - kOffsetBase ||
        end - begin < kRankHeaderBytes || end - begin > unread) {
      fail(kHeaderBytes + std::uint64_t{r} * kExtentBytes,
           "rank " + std::to_string(r) + " lies at " + std::to_string(begin) + " to " +
               std::to_string(end) + ", which this file of " + std::to_string(file_size_) +
               " bytes cannot hold");
    }
    unread -= end - begin;
    data_end = std::max(data_end, end + kOffsetBase);
    rank(r, begin + kOffsetBase, end - begin);
  }
  if (data_end != file_size_) {
    fail(data_end, std::to_string(file_size_ - data_end) + " bytes behind the last rank");
  }
  return builder_.finish(ranks_);
}

std::uint32_t BinaryReader::header() {
  if (file_size_ < kHeaderBytes) fail(file_size_, "the file ends inside the header");
  const auto bytes = slice_(0, kHeaderBytes);
  const auto magic = load<std::uint64_t>(bytes.data());
  if (magic == kSpentMagic) {
    fail(0, "a simulation with --save-mem has used up this schedule; make it again");
  }
  if (magic != kMagic) {
    fail(0, "not GOAL binary: the magic number is " + std::to_string(magic) + ", not " +
                std::to_string(kMagic));
  }
  const auto ranks = load<std::uint32_t>(&bytes[kOffsetBase]);
  if (ranks == 0 || ranks > kMaxRanks) {
    fail(kOffsetBase, "the number of ranks is " + std::to_string(ranks));
  }
  if (ranks > (file_size_ - kHeaderBytes) / kExtentBytes) {
    fail(kOffsetBase, "the file is too short for " + std::to_string(ranks) + " ranks");
  }
  return ranks;
}

void BinaryReader::rank(std::uint32_t rank, std::uint64_t offset, std::uint64_t length) {
  Part part{rank, offset, slice_(offset, length), 0, 0, 0};
  part.nodes = load<std::uint32_t>(&part.bytes[0]);
  part.roots = load<std::uint32_t>(&part.bytes[kRankHeaderBytes / 2]);
  const std::uint64_t fixed = kRankHeaderBytes + std::uint64_t{part.roots} * kEntryBytes +
                              std::uint64_t{part.nodes} * kNodeBytes;
  if (fixed > length || (length - fixed) % kEntryBytes != 0) {
    fail(offset, "rank " + std::to_string(rank) + ": " + std::to_string(part.nodes) +
                     " nodes and " + std::to_string(part.roots) + " roots do not fit its " +
                     std::to_string(length) + " bytes");
  }
  part.entries = (length - fixed) / kEntryBytes;
  if (!builder_.has_room(part.nodes, part.entries)) {
    fail(offset, "more than 2^32 operations or dependencies");
  }
  nodes(part);
}

void BinaryReader::nodes(const Part& part) {
  builder_.begin_rank(part.rank);
  predecessors_.assign(part.nodes, 0);
  for (std::uint32_t i = 0; i < part.nodes; ++i) {
    const Node node = load_node(&part.bytes[part.node_at(i)]);
    operation(part, i, node);
    successors(part, i, node.first_required_by, node.required_by, DepKind::requires_end);
    successors(part, i, node.first_irequired_by, node.irequired_by, DepKind::requires_start);
  }
  if (builder_.dependencies() != part.entries) {
    fail(part.offset + part.entry_at(0),
         "rank " + std::to_string(part.rank) + ": " + std::to_string(part.entries) +
             " successors, of which the nodes use " + std::to_string(builder_.dependencies()));
  }
  check_predecessors(part);
  check_order(part);
}

void BinaryReader::operation(const Part& part, std::uint32_t index, const Node& node) {
  Operation operation;
  operation.unit.line.number = node.cpu;
  operation.unit.nic.number = node.nic;
  if (node.size > kMaxValue) {
    fail_node(part, index, "has the size " + std::to_string(node.size) + ", above 2^63 - 1");
  }
  operation.value = static_cast<std::int64_t>(node.size);
  switch (static_cast<NodeType>(node.type)) {
    case NodeType::calc:
      builder_.add(operation);
      return;
    case NodeType::send:
      operation.kind = Kind::send;
      break;
    case NodeType::recv:
      operation.kind = Kind::recv;
      break;
    default:
      fail_node(part, index, "has the unknown type " + std::to_string(node.type));
  }
  const bool wildcards = operation.kind == Kind::recv;
  if (node.peer >= ranks_ && !(wildcards && node.peer == kAny)) {
    fail_node(
        part, index,
        "has the peer " + std::to_string(node.peer) + " of " + std::to_string(ranks_) + " ranks");
  }
  if (node.tag == kAny && !wildcards) fail_node(part, index, "is a send with a wildcard tag");
  operation.peer = static_cast<std::int32_t>(node.peer);
  operation.tag = static_cast<std::int32_t>(node.tag);
  builder_.add(operation);
}

void BinaryReader::successors(const Part& part, std::uint32_t index, std::uint32_t first,
                              std::uint32_t count, DepKind kind) {
  if (count == 0) return;
  // Nodes may not share entries of the appendix.
  if (std::uint64_t{first} + count > part.entries ||
      builder_.dependencies() + count > part.entries) {
    fail_node(part, index,
              "has " + std::to_string(count) + " successors from " + std::to_string(first) +
                  " on, of " + std::to_string(part.entries) + " in the rank");
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::size_t at = part.entry_at(std::uint64_t{first} + k);
    const auto successor = load<std::uint32_t>(&part.bytes[at]);
    if (successor >= part.nodes) {
      fail(part.offset + at, "rank " + std::to_string(part.rank) + ": successor " +
                                 std::to_string(successor) + " of " + std::to_string(part.nodes) +
                                 " nodes");
    }
    ++predecessors_[successor];
    builder_.depend(successor, index, kind);
  }
}

/// LogGOPSim starts the roots, and each other node when the counter of its predecessors reaches 0.
/// A file in which roots or counters contradict the dependencies would have another meaning for
/// LogGOPSim.
void BinaryReader::check_predecessors(const Part& part) {
  const auto roots = std::ranges::count(predecessors_, 0U);
  if (roots != static_cast<std::int64_t>(part.roots)) {
    fail(part.offset + kRankHeaderBytes / 2,
         "rank " + std::to_string(part.rank) + ": " + std::to_string(part.roots) + " roots, but " +
             std::to_string(roots) + " nodes without predecessors");
  }
  std::vector<bool> is_root(part.nodes);
  for (std::uint32_t i = 0; i < part.roots; ++i) {
    const std::size_t at = kRankHeaderBytes + i * kEntryBytes;
    const auto root = load<std::uint32_t>(&part.bytes[at]);
    if (root >= part.nodes || predecessors_[root] != 0 || is_root[root]) {
      fail(part.offset + at, "rank " + std::to_string(part.rank) + ": node " +
                                 std::to_string(root) + " cannot be a root (again)");
    }
    is_root[root] = true;
  }
  for (std::uint32_t i = 0; i < part.nodes; ++i) {
    const auto stated = load<std::uint32_t>(&part.bytes[part.node_at(i)]);
    if (stated != predecessors_[i]) {
      fail_node(part, i,
                "states " + std::to_string(stated) + " predecessors and has " +
                    std::to_string(predecessors_[i]));
    }
  }
}

void BinaryReader::check_order(const Part& part) {
  const std::vector<std::uint32_t> cycle = builder_.end_rank();
  if (cycle.empty()) return;
  constexpr std::size_t kShown = 8;
  std::string chain = "requires node " + std::to_string(cycle[1 % cycle.size()]);
  for (std::size_t i = 2; i <= cycle.size() && i <= kShown; ++i) {
    chain += " requires node " + std::to_string(cycle[i % cycle.size()]);
  }
  fail_node(
      part, cycle.front(),
      chain + (cycle.size() > kShown ? " …" : "") + ": cycle of " + std::to_string(cycle.size()));
}

}  // namespace latitude::graph::goal
