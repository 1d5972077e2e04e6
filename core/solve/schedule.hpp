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
  /// The start of a vertex that another start has decided, by its place in a list of such starts.
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

/// A time and the event that decided it. For the end of a vertex this event is the vertex's own
/// start, or (a receive, a rendezvous send) an event elsewhere. For a start it is the end of a
/// dependency, or the start of another send that has released the CPU or the NIC. For an entry it
/// may also be the previous entry. It is copied number by number, as a Ref.
struct Decided {
  double time = 0;
  Event via;

  Decided() = default;
  Decided(const Decided& other) noexcept { *this = other; }
  Decided& operator=(const Decided& other) noexcept {
    time = other.time;
    via = other.via;
    return *this;
  }
};

/// The owner of a stretch of a path that ends with an event: the vertex of that event (`own`), or
/// the vertex of the event that decided it (`earlier`). `both`: first the vertex of the deciding
/// event, which is a send, and then the other vertex.
enum class Whose : std::uint8_t { own, earlier, both };

/// `other`: the event that decided `late` exists, and belongs to another vertex; `sends`: to a
/// send.
inline Whose whose(Event late, Event before, bool other, bool sends) {
  if (late.is_start()) return Whose::earlier;  // the event that has delayed it, if any
  if (late.is_entry() && other && before.is_entry()) return Whose::earlier;
  return other && before.is_start() && sends ? Whose::both : Whose::own;
}

/// The send's own part of a stretch since its start, if the rest belongs to another vertex.
/// `message`: the other vertex is the receive of the send; if not, it is an operation that the send
/// delays.
inline Cost part_of_send(double gap_bytes, bool message, bool recorded) {
  if (recorded) return {};
  return {.overheads = 1, .copied = message ? 0 : gap_bytes};
}

/// All starts and ends on one network, with the events that decided them; and T of the same graph
/// if messages cost nothing. One pass serves the critical path, the waits and the efficiencies.
class Schedule {
 public:
  /// InputError if operations wait in a cycle, or if the graph has too many operations. Graph and
  /// network must outlive this object.
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
  /// Prepares for a question about the start of v.
  void expect(graph::VertexId v) const {
    __builtin_prefetch(starts_.data() + v);
    __builtin_prefetch(end_ns_.data() + v);
  }
  /// Whether an event is on the longest path, on which each event has decided the next. If several
  /// events are equally late, the first in program order counts; at the end, the one of the first
  /// rank.
  bool on_path(Event event) const {
    const std::vector<bool>& of_kind = event.is_start()   ? path_starts_
                                       : event.is_entry() ? path_entries_
                                                          : path_ends_;
    return of_kind[event.vertex()];
  }
  /// The number of vertices on the path: its changes from one vertex to another, and its first
  /// vertex.
  std::size_t path_vertices() const { return path_vertices_; }

  /// T for L = o = g = G = O = 0 and compute_scale 1. The order of waiting is that of the network,
  /// whose S and rendezvous decide which sends wait for their receives.
  double ideal_ns() const { return ideal_ns_; }

 private:
  class Filling;

  /// The event that decided an event; none: time zero.
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
  std::vector<Event> end_via_;  ///< the events that decided the ends; until the path is known
  std::vector<Event> starts_;   ///< the events that decided the starts
  std::vector<Decided> held_starts_;
  std::vector<Decided> entries_;  ///< for receives, with Gap::both only
  Decided last_;
  std::vector<bool> path_starts_;
  std::vector<bool> path_ends_;
  std::vector<bool> path_entries_;  ///< with Gap::both only
  std::size_t path_vertices_ = 0;
  double ideal_ns_ = 0;
};

}  // namespace latitude::solve
