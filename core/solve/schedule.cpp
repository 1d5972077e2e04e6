#include "core/solve/schedule.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/release.hpp"
#include "core/solve/lowering.hpp"

namespace latitude::solve {

using graph::VertexId;

/// Algebra of Lowering that stores the times of a schedule and the events that decided the times.
class Schedule::Filling {
 public:
  /// An instant, and the same instant if messages cost nothing.
  struct Instant : Decided {
    double ideal_ns = 0;
  };

  explicit Filling(Schedule& schedule) : schedule_(schedule) {}

  static Instant origin() { return {}; }

  Instant add(Instant at, const Cost& cost) const {
    at.time += schedule_.price(cost).ns;
    if (cost.calc != graph::kNoVertex) {
      at.ideal_ns += static_cast<double>(schedule_.graph_.vertices[cost.calc].value);
    }
    return at;
  }

  static Instant join(const Instant& a, const Instant& b) {
    Instant later = b.time > a.time ? b : a;
    later.ideal_ns = std::max(a.ideal_ns, b.ideal_ns);
    return later;
  }

  /// If messages cost nothing, none waits for the NIC.
  static Instant on_nic(Instant at) {
    at.ideal_ns = 0;
    return at;
  }

  /// A start has the time of the end that decides it; only a start that another start decides may
  /// be later.
  Instant started(VertexId v, Instant at) const {
    schedule_.starts_[v] = at.via;
    if (at.via.exists() && at.via.is_start()) {
      schedule_.starts_[v] = Event::held_start(schedule_.held_starts_.size());
      schedule_.held_starts_.push_back(at);
    }
    at.via = Event::start_of(v);
    return at;
  }

  Instant entered(VertexId recv, Instant at) const {
    schedule_.entries_[recv] = at;
    at.via = Event::entry_of(recv);
    return at;
  }

  Instant ended(VertexId v, Instant at) const {
    schedule_.end_ns_[v] = at.time;
    schedule_.end_via_[v] = at.via;
    at.via = Event::end_of(v);
    return at;
  }

  void finished(const Instant& at) const {
    Decided& last = schedule_.last_;
    const bool first = at.time == last.time && at.via.vertex() < last.via.vertex();
    if (!last.via.exists() || at.time > last.time || first) last = at;
    schedule_.ideal_ns_ = std::max(schedule_.ideal_ns_, at.ideal_ns);
  }

 private:
  Schedule& schedule_;
};

namespace {

const model::Network& checked(const graph::Graph& graph, const model::Network& network) {
  if (graph.vertices.size() >= Event::kEntry) {
    throw InputError(
        "the critical path needs a graph of fewer than 1073741824 vertices; analyse "
        "a shorter run");
  }
  network.check(graph.ranks());
  return network;
}

}  // namespace

Schedule::Schedule(const graph::Graph& graph, const model::Network& network)
    : graph_(graph),
      network_(checked(graph, network)),
      links_(graph, network),
      end_ns_(graph.vertices.size()),
      end_via_(graph.vertices.size()),
      starts_(graph.vertices.size()),
      entries_(network.base.gap == model::Gap::both ? graph.vertices.size() : 0) {
  Filling algebra(*this);
  Lowering<Filling>(graph, network.base, algebra).run();
  find_path();
}

void Schedule::find_path() {
  path_starts_.resize(starts_.size());
  path_ends_.resize(end_ns_.size());
  path_entries_.resize(entries_.size());
  VertexId after = graph::kNoVertex;
  for (Event at = last_.via; at.exists(); at = before(at)) {
    mark_on_path(at);
    if (std::exchange(after, at.vertex()) != at.vertex()) ++path_vertices_;
  }
  release(end_via_);
}

void Schedule::mark_on_path(Event event) {
  std::vector<bool>& of_kind = event.is_start()   ? path_starts_
                               : event.is_entry() ? path_entries_
                                                  : path_ends_;
  of_kind[event.vertex()] = true;
}

}  // namespace latitude::solve
