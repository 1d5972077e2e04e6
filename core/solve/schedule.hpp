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

/// When everything starts and ends on one network, and why then; and T of the same graph where
/// messages cost nothing. One pass serves the critical path, the waits and the efficiencies.
class Schedule {
 public:
  /// InputError when operations wait in a circle, or there are too many of them. Graph and network
  /// must outlive it.
  Schedule(const graph::Graph& graph, const model::Network& network);

  const graph::Graph& graph() const { return graph_; }
  const model::Network& network() const { return network_; }

  /// What a cost comes to, ns: all of it, and of that the latencies and the bytes.
  struct Price {
    double ns;
    double latency_ns;
    double gap_ns;
  };
  Price price(const Cost& cost) const {
    const model::LinkClass& link = network_.classes[links_.of(cost)];
    const double latency = cost.latencies * link.L;
    const double gap = cost.bytes * link.G;
    return {cost.ns + cost.overheads * network_.base.o + latency + gap, latency, gap};
  }

  double end_ns(graph::VertexId v) const { return end_ns_[v]; }
  double start_ns(graph::VertexId v) const {
    const Event before = starts_[v];
    if (!before.exists()) return 0;
    if (before.is_held_start()) return held_starts_[before.vertex()].time;
    return before.is_entry() ? entries_[before.vertex()].time : end_ns_[before.vertex()];
  }
  /// Whether an event is one of a longest path, each of which has decided the next.
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
