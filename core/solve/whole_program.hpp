#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::solve {

/// Small counts, of which few are large: a byte each.
class Counts {
 public:
  explicit Counts(std::size_t size = 0) : small_(size) {}

  class Count {
   public:
    Count(Counts& of, std::size_t at) : of_(of), at_(at) {}
    operator std::uint32_t() const {  // NOLINT(*-explicit-*): stands for a number
      const std::uint8_t small = of_.small_[at_];
      return small == kLarge ? of_.large(at_) : small;
    }
    void operator=(std::uint32_t count) {  // NOLINT(*-assign*): nothing is assigned twice
      if (of_.small_[at_] == kLarge || count >= kLarge) return of_.set_large(at_, count);
      of_.small_[at_] = static_cast<std::uint8_t>(count);
    }
    void operator++() { *this = *this + 1; }
    std::uint32_t operator--() {
      const std::uint32_t less = *this - 1;
      *this = less;
      return less;
    }

   private:
    Counts& of_;
    std::size_t at_;
  };

  Count operator[](std::size_t at) { return {*this, at}; }

 private:
  static constexpr std::uint8_t kLarge = std::numeric_limits<std::uint8_t>::max();

  // Not inlined, so that the usual cases are.
  [[gnu::noinline, gnu::cold]] std::uint32_t large(std::size_t at) const { return large_.at(at); }
  [[gnu::noinline, gnu::cold]] void set_large(std::size_t at, std::uint32_t count) {
    large_.erase(at);
    small_[at] = static_cast<std::uint8_t>(count < kLarge ? count : kLarge);
    if (count >= kLarge) large_[at] = count;
  }

  std::vector<std::uint8_t> small_;
  std::unordered_map<std::size_t, std::uint32_t> large_;
};

/// The operations of a program that is in memory as a whole, for Lowering.
/// (core/solve/stream/live_program.hpp is for a program that is evaluated while it is read.)
class WholeProgram {
 public:
  using VertexId = graph::VertexId;

  /// Operations come while others already run.
  static constexpr bool kLive = false;

  static constexpr std::uint32_t kNoSlot = 0xffffffffU;

  struct Successor {
    VertexId vertex;
    graph::DepKind kind;
  };

  explicit WholeProgram(const graph::Graph& graph) : graph_(graph) {}

  const graph::Graph& graph() const { return graph_; }
  const graph::Vertex& vertex(VertexId v) const { return graph_.vertices[v]; }
  /// The place of an operation of a rank in program order: the lower of two comes first.
  VertexId order(VertexId v) const { return v; }
  /// Number of local predecessors that are not done yet.
  Counts::Count waiting(VertexId v) { return waiting_[v]; }
  /// The place of Lowering's state for a vertex that waits; kNoSlot: none.
  std::uint32_t& slot(VertexId v) { return slot_[v]; }
  std::uint32_t slot(VertexId v) const { return slot_[v]; }
  /// A message of a rank to itself, by either end: it never crosses the network.
  bool to_itself(VertexId v) const { return !to_itself_.empty() && to_itself_[v]; }
  void mark_to_itself(VertexId v) {
    if (to_itself_.empty()) to_itself_.resize(graph_.vertices.size());
    to_itself_[v] = true;
  }
  /// The number of operations after which a receive is posted. They are counted when the first of
  /// them is done. Until then the count takes no memory, and most receives of a program are far
  /// ahead.
  std::uint32_t postings_of(VertexId v) const {
    std::uint32_t count = 0;
    for (const graph::Dep& dep : graph_.deps_of(v)) {
      count += dep.kind == graph::DepKind::posted ? 1 : 0;
    }
    return count;
  }
  /// The vertex that follows v in its chain, or kNoVertex.
  VertexId after(VertexId v) const {
    const VertexId next = v + 1;
    return next < graph_.vertices.size() && graph_.vertices[next].chained ? next : graph::kNoVertex;
  }
  /// With a gap: the send after a send, the receive after a receive; kNoVertex: none.
  VertexId next_in_turn(VertexId v) const { return next_in_turn_[v]; }
  std::vector<VertexId>& turns() { return next_in_turn_; }

  /// Fetches the vertices after v in its chain, because v has its turn now. The ranks that take
  /// turns are too many for the processor to see that each reads its memory in order.
  void comes_to(VertexId v) const {
    constexpr std::size_t kAhead = 8;
    __builtin_prefetch(graph_.vertices.data() + v + kAhead);
    __builtin_prefetch(slot_.data() + v + kAhead);
  }

  /// Whether an operation waits for the start of another one.
  bool starts_matter() const { return starts_matter_; }

  /// Visits the explicit dependencies on v.
  template <class Visit>
  void each_successor(VertexId v, Visit visit) const {
    if (followed_.empty() || !followed_[v]) return;
    const std::uint32_t end = successor_begin_[v + 1];
    for (std::uint32_t i = successor_begin_[v]; i < end; ++i) {
      visit(Successor{successors_[i], kinds_[i]});
    }
  }

  void prepare() {
    prepare_successors();  // first, because it takes memory for a while
    waiting_ = Counts(graph_.vertices.size());
    slot_.assign(graph_.vertices.size(), kNoSlot);
  }

 private:
  /// Reverses the explicit dependencies (counting sort by the vertex depended on).
  void prepare_successors() {
    if (graph_.deps.empty()) return;
    const std::size_t n = graph_.vertices.size();
    std::vector<std::uint32_t> next(n + 1);  // for each vertex: the place of its next one
    followed_.resize(n);
    for (const graph::Dep& dep : graph_.deps) {
      ++next[dep.vertex + 1];
      followed_[dep.vertex] = true;
      starts_matter_ = starts_matter_ || dep.kind == graph::DepKind::requires_start;
    }
    successor_begin_.reserve(n + 1);
    successor_begin_.push_back(0);
    for (std::size_t i = 0; i < n; ++i) successor_begin_.push_back(next[i + 1] += next[i]);
    successors_.resize(graph_.deps.size());
    kinds_.resize(graph_.deps.size());
    std::size_t i = 0;
    for (VertexId v = 0; v < n; ++v) {
      for (const std::size_t end = graph_.dep_begin[v + 1]; i < end; ++i) {
        const graph::Dep& dep = graph_.deps[i];
        const std::uint32_t at = next[dep.vertex]++;
        successors_[at] = v;
        kinds_[at] = dep.kind;
      }
    }
  }

  const graph::Graph& graph_;
  Counts waiting_;
  std::vector<std::uint32_t> slot_;
  bool starts_matter_ = false;
  std::vector<bool> to_itself_;     ///< empty if there are no such messages
  std::vector<bool> followed_;      ///< by vertex: whether an explicit dep names this vertex
  graph::Offsets successor_begin_;  ///< empty if there are no explicit deps
  std::vector<VertexId> successors_;
  std::vector<graph::DepKind> kinds_;   ///< for the dependencies of these
  std::vector<VertexId> next_in_turn_;  ///< with a gap only
};

}  // namespace latitude::solve
