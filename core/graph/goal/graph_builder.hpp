#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/goal/topological_order.hpp"
#include "core/graph/graph.hpp"

namespace latitude::graph::goal {

inline constexpr std::uint32_t kMaxRanks = std::numeric_limits<std::int32_t>::max();
/// A duration, ns, or a size, bytes.
inline constexpr std::uint64_t kMaxValue = std::numeric_limits<std::int64_t>::max();

/// One operation in a file. In a recv, peer and tag may be wildcards.
struct Operation {
  Kind kind = Kind::calc;
  Unit unit;
  std::int32_t peer = 0;
  std::int32_t tag = 0;  ///< GOAL's 32 bits; all ones is trace::kAnyTag
  std::int64_t value = 0;
};

/// Collects the ranks of a GOAL file into a matched Graph. Ranks come one after the other, but in
/// any order.
class GraphBuilder {
 public:
  /// `name` is the name of the file, for messages.
  explicit GraphBuilder(std::string name) : name_(std::move(name)) {}

  /// Reserves memory for about this multiple of the present data. A growing list is copied into new
  /// memory each time; the untouched part of a reserved list takes no memory.
  void expect(double times);
  void begin_rank(std::uint32_t rank);
  /// Number of operations of the current rank: the index of the next one.
  std::uint32_t operations() const {
    return static_cast<std::uint32_t>(graph_.vertices.size() - begin_);
  }
  /// Whether a Graph can hold this many more: vertices and dependencies have 32-bit indices.
  bool has_room(std::uint64_t operations, std::uint64_t deps) const {
    return graph_.vertices.size() + operations < kNoVertex &&
           graph_.deps.size() + deps_.size() + deps < kNoVertex;
  }
  void add(const Operation& operation) {
    const bool calc = operation.kind == Kind::calc;
    graph_.vertices.push_back(
        Vertex{.value = operation.value,
               .partner = calc ? kNoVertex : static_cast<VertexId>(operation.peer),
               .tag = operation.tag,
               .kind = operation.kind,
               .unit = unit_index(operation.unit) & (kMostUnits - 1)});
  }
  std::size_t dependencies() const { return deps_.size(); }
  void depend(std::uint32_t vertex, std::uint32_t on, DepKind kind) {
    deps_.push_back({vertex, on, kind});
  }
  /// Sets the ends of a dependency that was added before its ends were known.
  void resolve(std::size_t dependency, std::uint32_t vertex, std::uint32_t on) {
    deps_[dependency].vertex = vertex;
    deps_[dependency].on = on;
  }
  /// Brings the rank's operations into an order in which dependencies point backwards. If that is
  /// impossible, returns a cycle (indices into the rank, each depending on the next).
  std::vector<std::uint32_t> end_rank();

  /// Call after the last rank. Every rank below `ranks` must have come exactly once.
  Graph finish(std::uint32_t ranks);

 private:
  struct Section {
    std::uint32_t rank;
    VertexId begin;
  };

  /// The unit's index in Graph::units. InputError: too many units.
  std::uint32_t unit_index(Unit unit) {
    if (unit == graph_.units[last_unit_]) return last_unit_;
    return last_unit_ = new_unit_index(unit);
  }
  std::uint32_t new_unit_index(Unit unit);
  void warn_of_wide_units();
  void reorder(const std::vector<std::uint32_t>& order);
  void store_deps(bool grouped);
  void arrange_ranks(std::uint32_t ranks);

  std::string name_;
  Graph graph_;  // until finish(), the `partner` of a message's end is the peer in the file
  std::vector<Section> sections_;
  std::vector<LocalDep> deps_;  // dependencies of the current rank, in the file's order
  std::size_t begin_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> unit_indices_;  // by cpu and nic, 32 bits each
  std::uint32_t last_unit_ = 0;
};

}  // namespace latitude::graph::goal
