#include "core/solve/cpu_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/one_limit.hpp"

namespace latitude::solve {
namespace {

using graph::Dep;
using graph::DepKind;
using graph::Graph;
using graph::Kind;
using graph::VertexId;

/// The CPUs in use, numbered through all ranks.
struct Cpus {
  explicit Cpus(const Graph& graph) : of_vertex(graph.vertices.size()) {
    const graph::Numbering numbers = graph::numbering(graph.units, &graph::Unit::line);
    std::vector<std::uint32_t> found(numbers.count);
    std::vector<std::uint32_t> found_in(numbers.count, graph.ranks());
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
      for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
        const std::uint32_t number = numbers.of_unit[graph.vertices[v].unit];
        if (std::exchange(found_in[number], rank) != rank) found[number] = count++;
        of_vertex[v] = found[number];
      }
    }
  }

  std::vector<std::uint32_t> of_vertex;
  std::uint32_t count = 0;
};

/// Algebra of Lowering that serves the operations of each CPU first come, first served.
class Serving {
 public:
  using Instant = double;

  struct Next {
    VertexId vertex;
    double instant;
    bool receives;
  };

  Serving(const Graph& graph, const model::Network& network, Direction direction, double theta)
      : graph_(graph),
        prices_(graph, network, std::move(direction)),
        theta_(theta),
        cpu_of_(graph),
        cpus_(cpu_of_.count),
        stamps_(graph.vertices.size()),
        service_{std::vector<std::uint32_t>(graph.vertices.size()),
                 std::vector<bool>(graph.vertices.size())} {}

  static double origin() { return 0; }
  double add(double at, const Cost& cost) const { return at + prices_.of(cost).at(theta_); }
  static double join(double a, double b) { return std::max(a, b); }
  static double started(VertexId, double at) { return at; }
  static double ended(VertexId, double at) { return at; }
  static void finished(double) {}

  void ready(VertexId v, double at) { known_.push_back({graph_.rank_of(v), v, at}); }

  void arrived(VertexId recv, double start, double at) {
    const VertexId send = graph_.vertices[recv].partner;
    wanted_.push({std::max(start, at), stamps_[at < start ? recv : send], recv, true});
  }

  void left(VertexId v, double at) {
    Cpu& cpu = cpus_[cpu_of_.of_vertex[v]];
    cpu.held = false;
    cpu.free_ns = at;
    if (!cpu.waiting.empty()) wake(v, cpu);
  }

  std::optional<Next> next() {
    note_known();
    while (!wanted_.empty()) {
      Wanted first = wanted_.top();
      wanted_.pop();
      if (first.wakes) {
        const std::optional<Wanted> waited = longest_waiting(first);
        if (!waited) continue;
        first = *waited;
      } else if (!first.receives && graph_.vertices[first.vertex].kind == Kind::recv) {
        return Next{first.vertex, first.at, false};  // posting a receive takes no CPU
      } else if (Cpu& cpu = cpus_[cpu_of_.of_vertex[first.vertex]];
                 cpu.held || cpu.free_ns > first.at) {
        const bool first_to_go = cpu.waiting.empty() || first.stamp < cpu.waiting.top().stamp;
        cpu.waiting.push(first);
        if (first_to_go && !cpu.held) wake(first.vertex, cpu);
        continue;
      }
      serve(first);
      return Next{first.vertex, first.at, first.receives};
    }
    return std::nullopt;
  }

  Service service() { return std::move(service_); }

 private:
  /// An operation that became known in the current event.
  struct Known {
    std::uint32_t rank;
    VertexId vertex;
    double at;
  };

  struct Wanted {
    double at;
    std::uint64_t stamp;
    VertexId vertex;
    bool receives = false;
    bool wakes = false;  ///< not an operation: a free CPU for which others wait
  };

  struct Later {
    bool operator()(const Wanted& a, const Wanted& b) const {
      return std::tie(a.at, a.stamp) > std::tie(b.at, b.stamp);
    }
  };

  struct YoungerStamp {
    bool operator()(const Wanted& a, const Wanted& b) const { return a.stamp > b.stamp; }
  };

  struct Cpu {
    double free_ns = 0;
    bool held = false;
    std::priority_queue<Wanted, std::vector<Wanted>, YoungerStamp> waiting;
  };

  static int rank_of_kind(Kind kind) { return kind == Kind::send ? 0 : kind == Kind::recv ? 1 : 2; }

  void note_known() {
    std::ranges::stable_sort(known_, {}, [&](const Known& known) {
      return std::pair(known.rank, rank_of_kind(graph_.vertices[known.vertex].kind));
    });
    for (const Known& known : known_) {
      stamps_[known.vertex] = stamp_++;
      wanted_.push({known.at, stamps_[known.vertex], known.vertex});
    }
    known_.clear();
  }

  void wake(VertexId v, const Cpu& cpu) {
    wanted_.push({cpu.free_ns, cpu.waiting.top().stamp, v, false, true});
  }

  /// The next of the operations that wait for a CPU that should be free now; none if another
  /// operation has taken the CPU since.
  std::optional<Wanted> longest_waiting(const Wanted& woken) {
    Cpu& cpu = cpus_[cpu_of_.of_vertex[woken.vertex]];
    if (cpu.held || cpu.free_ns > woken.at || cpu.waiting.empty()) return std::nullopt;
    Wanted first = cpu.waiting.top();
    cpu.waiting.pop();
    service_.waited[first.vertex] = first.at < woken.at;
    first.at = woken.at;
    return first;
  }

  void serve(const Wanted& taken) {
    service_.place[taken.vertex] = place_++;
    cpus_[cpu_of_.of_vertex[taken.vertex]].held = true;  // until the operation has left
    if (graph_.vertices[taken.vertex].kind == Kind::send) stamps_[taken.vertex] = stamp_++;
  }

  const Graph& graph_;
  Prices prices_;
  double theta_;
  Cpus cpu_of_;
  std::vector<Cpu> cpus_;
  std::vector<std::uint64_t>
      stamps_;  ///< by vertex: number in order of becoming known; for a served send, of its message
  Service service_;
  std::vector<Known> known_;
  std::priority_queue<Wanted, std::vector<Wanted>, Later> wanted_;
  std::uint64_t stamp_ = 0;
  std::uint32_t place_ = 0;
};

/// Algebra of Lowering that only checks whether everything can run.
class Running {
 public:
  struct Instant {};

  static Instant origin() { return {}; }
  static Instant add(Instant, const Cost&) { return {}; }
  static Instant join(Instant, Instant) { return {}; }
  static Instant started(VertexId, Instant) { return {}; }
  static Instant ended(VertexId, Instant) { return {}; }
  static void finished(Instant) {}
};

void check_runs(const Graph& graph, const model::Network& network) {
  if (const auto one = with_one_limit(graph, network)) {
    check_runs(one->graph, one->network);
    return;
  }
  Running algebra;
  Lowering<Running>(graph, network.base, algebra).run();
}

/// With `served` dependencies along each CPU's order alone: `before[v]` has v's CPU before v.
Graph with_orders(Graph graph, const std::vector<VertexId>& before) {
  std::vector<Dep> deps;
  deps.reserve(graph.deps.size() + graph.vertices.size());
  graph::Offsets dep_begin{{0}};
  dep_begin.reserve(graph.vertices.size() + 1);
  for (VertexId v = 0; v < graph.vertices.size(); ++v) {
    for (const Dep& dep : graph.deps_of(v)) {
      if (dep.kind != DepKind::served) deps.push_back(dep);
    }
    if (before[v] != graph::kNoVertex) deps.push_back({before[v], DepKind::served});
    if (deps.size() >= graph::kNoVertex) {
      throw InputError("more than 2^32 dependencies with the order of the CPUs");
    }
    dep_begin.push_back(static_cast<std::uint32_t>(deps.size()));
  }
  graph.deps = std::move(deps);
  graph.dep_begin = std::move(dep_begin);
  return graph;
}

/// The operations of each CPU, one CPU after the other, by their places.
std::vector<VertexId> by_cpu(const Cpus& cpus, const std::vector<std::uint32_t>& places) {
  std::vector<VertexId> order(places.size());
  for (VertexId v = 0; v < places.size(); ++v) order[places[v]] = v;
  std::ranges::stable_sort(order, {}, [&](VertexId v) { return cpus.of_vertex[v]; });
  return order;
}

}  // namespace

Service service(const Graph& graph, const model::Network& network, Direction direction,
                double theta) {
  network.check(graph.ranks());
  Serving algebra(graph, network, std::move(direction), theta);
  Lowering<Serving>(graph, network.base, algebra).run();
  return algebra.service();
}

Graph in_order_of(Graph graph, const Service& service) {
  const Cpus cpus(graph);
  const std::vector<VertexId> order = by_cpu(cpus, service.place);
  std::vector<std::uint32_t> place(order.size());  // by vertex: its place on its CPU, from 1
  std::vector<VertexId> before(order.size(), graph::kNoVertex);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool follows = i > 0 && cpus.of_vertex[order[i - 1]] == cpus.of_vertex[order[i]];
    place[order[i]] = follows ? place[order[i - 1]] + 1 : 1;
    if (follows && service.waited[order[i]]) before[order[i]] = order[i - 1];
  }
  // The number of operations on its CPU that precede a vertex by the file alone.
  std::vector<std::uint32_t> behind(order.size());
  for (VertexId v = 0; v < order.size(); ++v) {
    for (const Dep& dep : graph.deps_of(v)) {
      if (dep.kind == DepKind::posted || dep.kind == DepKind::served) continue;
      if (cpus.of_vertex[dep.vertex] != cpus.of_vertex[v]) continue;
      const bool has_left = dep.kind != DepKind::requires_start;
      behind[v] = std::max({behind[v], behind[dep.vertex], has_left ? place[dep.vertex] : 0U});
    }
    if (before[v] != graph::kNoVertex && behind[v] >= place[before[v]]) {
      before[v] = graph::kNoVertex;
    }
  }
  return with_orders(std::move(graph), before);
}

Graph in_file_order(Graph graph, const model::Network& network) {
  network.check(graph.ranks());
  check_runs(graph, network);
  Service as_written{std::vector<std::uint32_t>(graph.vertices.size()),
                     std::vector<bool>(graph.vertices.size(), true)};
  std::iota(as_written.place.begin(), as_written.place.end(), 0U);
  Graph ordered = in_order_of(std::move(graph), as_written);
  try {
    check_runs(ordered, network);
  } catch (const InputError& error) {
    throw InputError(std::string("in the order of the file on each cpu, ") + error.what() +
                     "; take the order in which they come at the baseline (--cpu-order baseline)");
  }
  return ordered;
}

std::uint64_t choices(const Graph& ordered) {
  return static_cast<std::uint64_t>(
      std::ranges::count(ordered.deps, DepKind::served, [](const Dep& dep) { return dep.kind; }));
}

std::uint64_t otherwise(const Graph& ordered, const Service& service) {
  std::uint64_t count = 0;
  for (VertexId v = 0; v < ordered.vertices.size(); ++v) {
    for (const Dep& dep : ordered.deps_of(v)) {
      count += dep.kind == DepKind::served && service.place[v] < service.place[dep.vertex] ? 1 : 0;
    }
  }
  return count;
}

std::uint64_t overlapping(const Schedule& schedule) {
  const Graph& graph = schedule.graph();
  const model::Network& network = schedule.network();
  const Cpus cpus(graph);
  struct Held {
    std::uint32_t cpu;
    double from;
    double to;
  };
  std::vector<Held> held;
  for (VertexId v = 0; v < graph.vertices.size(); ++v) {
    const graph::Vertex& vertex = graph.vertices[v];
    const double own = network.overhead_ns(schedule.link(v), vertex.value);
    Held each{cpus.of_vertex[v], schedule.start_ns(v), schedule.end_ns(v)};
    if (vertex.kind == Kind::send) each.to = each.from + own;
    if (vertex.kind == Kind::recv) each.from = each.to - own;
    if (each.from < each.to) held.push_back(each);
  }
  std::ranges::sort(held, {}, [](const Held& each) { return std::pair(each.cpu, each.from); });
  constexpr double kSame = 1e-12;  // share of the time: rounding errors
  std::uint64_t count = 0;
  double until = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const bool another = i == 0 || held[i].cpu != held[i - 1].cpu;
    if (!another && held[i].from < until * (1 - kSame)) ++count;
    until = another ? held[i].to : std::max(until, held[i].to);
  }
  return count;
}

}  // namespace latitude::solve
