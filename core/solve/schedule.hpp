#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {

/// The start or the end of a vertex, or the entry of a receive's message, in 32 bits.
class Event {
 public:
  static constexpr std::uint32_t kStart = 0x80000000U;
  static constexpr std::uint32_t kEntry = 0x40000000U;

  Event() = default;
  static Event start_of(graph::VertexId v) { return Event(v | kStart); }
  static Event entry_of(graph::VertexId v) { return Event(v | kEntry); }
  static Event end_of(graph::VertexId v) { return Event(v); }
  /// The start of a vertex that some other start has decided, by its place in a list of these.
  static Event held_start(std::size_t i) {
    return Event(static_cast<std::uint32_t>(i) | kStart | kEntry);
  }
  bool exists() const { return bits_ != graph::kNoVertex; }
  bool is_held_start() const { return exists() && is_start() && is_entry(); }
  bool is_start() const { return (bits_ & kStart) != 0; }
  bool is_entry() const { return (bits_ & kEntry) != 0; }
  graph::VertexId vertex() const { return bits_ & ~(kStart | kEntry); }

  bool operator==(const Event&) const = default;

 private:
  explicit Event(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = graph::kNoVertex;
};

/// A time and the event that decided it. Of a vertex's end: its own start, or (a receive, a
/// rendezvous send) an event elsewhere. Of its start: what it depends on, or the start of another
/// send that has released the CPU or the NIC; of an entry the one before it, too.
struct Decided {
  double time = 0;
  Event via;
};

/// Whose a stretch of a path is that ends with an event: of the vertex of that event, of that of
/// the event which decided it, or first of this one, a send, and then of the other.
enum class Whose : std::uint8_t { own, earlier, both };

/// `other`: the event that decided it exists, and is another vertex'; `sends`: a send's.
inline Whose whose(Event late, Event before, bool other, bool sends) {
  if (late.is_start()) return Whose::earlier;  // which has held it up, if it was held up at all
  if (late.is_entry() && other && before.is_entry()) return Whose::earlier;
  return other && before.is_start() && sends ? Whose::both : Whose::own;
}

/// What of a stretch since the start of a send is the send's own, where the rest is another's:
/// `message`, its receive's; else of what it is in the way of.
inline Cost part_of_send(double gap_bytes, bool message, bool recorded) {
  if (recorded) return {};
  return {.overheads = 1, .copied = message ? 0 : gap_bytes};
}

/// When everything starts and ends on one network, and why then; and T of the same graph where
/// messages cost nothing. One pass serves the critical path, the waits and the efficiencies.
class Schedule {
 public:
  /// InputError when operations wait in a cycle, or there are too many of them. Graph and network
  /// must outlive it.
  Schedule(const graph::Graph& graph, const model::Network& network);

  const graph::Graph& graph() const { return graph_; }
  const model::Network& network() const { return network_; }

  Price price(const Cost& cost) const { return price_of(cost, network_, links_.of(cost)); }
  model::ClassId link(graph::VertexId end) const { return links_.of_end(end); }

  double end_ns(graph::VertexId v) const { return end_ns_[v]; }
  double start_ns(graph::VertexId v) const {
    const Event before = starts_[v];
    if (!before.exists()) return 0;
    if (before.is_held_start()) return held_starts_[before.vertex()].time;
    return before.is_entry() ? entries_[before.vertex()].time : end_ns_[before.vertex()];
  }
  /// Says that somebody asks for the start of v soon.
  void expect(graph::VertexId v) const {
    __builtin_prefetch(starts_.data() + v);
    __builtin_prefetch(end_ns_.data() + v);
  }
  /// Whether an event is one of a longest path, each of which has decided the next. Where several
  /// are as late, that which comes first in the program has; at the end, of all ranks.
  bool on_path(Event event) const {
    const std::vector<bool>& of_kind = event.is_start()   ? path_starts_
                                       : event.is_entry() ? path_entries_
                                                          : path_ends_;
    return of_kind[event.vertex()];
  }
  /// How often the path goes from one vertex to another, and the first.
  std::size_t path_vertices() const { return path_vertices_; }

  /// T where L = o = g = G = O = 0 and compute_scale is 1. Who waits for whom stays as it is on the
  /// network, whose S and rendezvous say which sends wait for their receives.
  double ideal_ns() const { return ideal_ns_; }

 private:
  class Filling;

  /// What decided an event; none: time zero.
  Event before(Event event) const {
    if (event.is_entry()) return entries_[event.vertex()].via;
    if (!event.is_start()) return end_via_[event.vertex()];
    const Event before = starts_[event.vertex()];
    return before.is_held_start() ? held_starts_[before.vertex()].via : before;
  }
  void find_path();
  void mark_on_path(Event event);

  const graph::Graph& graph_;
  const model::Network& network_;
  Links links_;
  std::vector<double> end_ns_;
  std::vector<Event> end_via_;  ///< what decided them; until the path is known
  std::vector<Event> starts_;   ///< what decided them
  std::vector<Decided> held_starts_;
  std::vector<Decided> entries_;  ///< of receives, with Gap::both only
  Decided last_;
  std::vector<bool> path_starts_;
  std::vector<bool> path_ends_;
  std::vector<bool> path_entries_;  ///< with Gap::both only
  std::size_t path_vertices_ = 0;
  double ideal_ns_ = 0;
};

}  // namespace latitude::solve
