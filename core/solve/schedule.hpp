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

 private:
  explicit Event(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = graph::kNoVertex;
};

/// What the path to a time consists of besides computation.
struct Makeup {
  double latency_ns = 0;
  double gap_ns = 0;
  double bytes = 0;
  std::uint32_t latencies = 0;
  std::uint32_t overheads = 0;

  bool operator==(const Makeup&) const = default;
};

struct Moment : Makeup {
  double time = 0;

  bool operator==(const Moment&) const = default;
};

/// A moment and the event that decided it. Of a vertex's end: its own start, or (a receive, a
/// rendezvous send) an event elsewhere. Of its start: what it depends on, or the start of another
/// send that has released the CPU or the NIC; of an entry the one before it, too.
struct Instant : Moment {
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

  /// `at` after a cost.
  void add(Moment& at, const Cost& cost) const {
    const model::LinkClass& link = network_.classes[links_.of(cost)];
    const double latency = cost.latencies * link.L;
    const double gap = cost.bytes * link.G;
    at.time += cost.ns + cost.overheads * network_.base.o + latency + gap;
    at.latency_ns += latency;
    at.gap_ns += gap;
    at.bytes += cost.bytes;
    at.latencies += static_cast<std::uint32_t>(cost.latencies);
    at.overheads += static_cast<std::uint32_t>(cost.overheads);
  }

  /// The last end of all.
  const Instant& last() const { return last_; }
  /// The end of v, and what decided it.
  Instant end_of(graph::VertexId v) const { return {{ends_[v], end_ns_[v]}, ends_[v].via}; }
  double end_ns(graph::VertexId v) const { return end_ns_[v]; }
  double start_ns(graph::VertexId v) const {
    const Event before = starts_[v];
    if (!before.exists()) return 0;
    if (before.is_held_start()) return held_starts_[before.vertex()].time;
    return before.is_entry() ? entries_[before.vertex()].time : end_ns_[before.vertex()];
  }
  /// An event, and what decided it; none: time zero.
  Instant at(Event event) const {
    if (!event.exists()) return {};
    if (event.is_entry()) return entries_[event.vertex()];
    if (!event.is_start()) return end_of(event.vertex());
    const Event before = starts_[event.vertex()];
    if (before.is_held_start()) return held_starts_[before.vertex()];
    return {at(before), before};
  }

  /// T where L = o = g = G = O = 0 and compute_scale is 1. Who waits for whom stays as it is on the
  /// network, whose S and rendezvous say which sends wait for their receives.
  double ideal_ns() const { return ideal_ns_; }

 private:
  class Filling;

  const graph::Graph& graph_;
  const model::Network& network_;
  Links links_;
  /// An instant without its time: times apart lie close to each other.
  struct End : Makeup {
    Event via;
  };

  std::vector<double> end_ns_;
  std::vector<End> ends_;
  std::vector<Event> starts_;  ///< what decided them
  std::vector<Instant> held_starts_;
  std::vector<Instant> entries_;  ///< of receives, with Gap::both only
  Instant last_;
  double ideal_ns_ = 0;
};

}  // namespace latitude::solve
