#include "core/solve/critical_path.hpp"

#include <algorithm>
#include <utility>

#include "core/solve/lowering.hpp"

namespace latitude::solve {
namespace {

using graph::VertexId;

class PathBuilder {
 public:
  explicit PathBuilder(const Schedule& schedule)
      : graph_(schedule.graph()), network_(schedule.network()), schedule_(schedule) {}

  /// Walks back from the last end to time zero, twice: a path may be long, and a list that grows
  /// takes three times its memory.
  std::vector<PathStep> steps() {
    walk_back();
    steps_.reserve(count_);
    filling_ = true;
    walk_back();
    std::ranges::reverse(steps_);
    return std::move(steps_);
  }

 private:
  void walk_back() {
    before_ = graph::kNoVertex;
    for (Event late = schedule_.last().via; late.exists();) {
      const Instant end = schedule_.at(late);
      stretch(late, end, end.via, schedule_.at(end.via));
      late = end.via;
    }
  }

  /// What lies between an event and the one that decided it.
  void stretch(Event late, const Moment& end, Event before, const Moment& begin) {
    const VertexId own = late.vertex();
    const bool other = before.exists() && before.vertex() != own;
    if (late.is_start()) {  // another start has held it up, if it was held up at all
      if (begin != end) step(before.vertex(), begin, end);
    } else if (late.is_entry() && other && before.is_entry()) {
      step(before.vertex(), begin, end);
    } else if (other && before.is_start() && sends(before.vertex())) {
      const VertexId sender = before.vertex();  // of the message, or what posts the receive
      const graph::Vertex& send = graph_.vertices[sender];
      const bool message = send.partner == own;
      const double copying = network_.base.O * model::gap_bytes(send.value);
      Moment sent = begin;
      schedule_.add(sent, {.ns = message ? 0 : copying, .overheads = 1});
      step(own, sent, end);
      step(sender, begin, sent);
    } else {
      step(own, begin, end);
    }
  }

  bool sends(VertexId v) const { return graph_.vertices[v].kind == graph::Kind::send; }

  /// A step, or more of the one that follows it, from `earlier` to `later`.
  void step(VertexId vertex, const Moment& earlier, const Moment& later) {
    const bool is_new = std::exchange(before_, vertex) != vertex;
    if (!filling_) {
      count_ += is_new ? 1 : 0;
      return;
    }
    const double latencies = static_cast<double>(later.latencies) - earlier.latencies;
    const double overheads = static_cast<double>(later.overheads) - earlier.overheads;
    const double bytes = later.bytes - earlier.bytes;
    const double latency_ns = later.latency_ns - earlier.latency_ns;
    const double gap_ns = later.gap_ns - earlier.gap_ns;
    const double elsewhere = overheads * network_.base.o + latency_ns + gap_ns;
    const double calc_ns = std::max(0.0, later.time - earlier.time - elsewhere);
    if (is_new) {
      steps_.push_back({vertex, later.time, later.time, 0, 0, 0, 0, 0, 0});
    }
    PathStep& step = steps_.back();
    step.start_ns = earlier.time;
    step.calc_ns += calc_ns;
    step.latency_ns += latency_ns;
    step.gap_ns += gap_ns;
    step.latencies += latencies;
    step.overheads += overheads;
    step.bytes += bytes;
  }

  const graph::Graph& graph_;
  const model::Network& network_;
  const Schedule& schedule_;
  std::vector<PathStep> steps_;
  VertexId before_ = graph::kNoVertex;  ///< of the step before
  std::size_t count_ = 0;
  bool filling_ = false;
};

}  // namespace

CriticalPath critical_path(const Schedule& schedule) {
  const graph::Graph& graph = schedule.graph();
  CriticalPath path;
  path.rank_end_ns.assign(graph.ranks(), 0);
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      path.rank_end_ns[rank] = std::max(path.rank_end_ns[rank], schedule.end_ns(v));
    }
  }
  const Instant& last = schedule.last();
  if (!last.via.exists()) return path;
  path.T_ns = last.time;
  path.latencies = last.latencies;
  path.overheads = last.overheads;
  path.bytes = last.bytes;
  path.latency_ns = last.latency_ns;
  path.gap_ns = last.gap_ns;
  path.calc_ns =
      last.time - last.latency_ns - last.overheads * schedule.network().base.o - last.gap_ns;
  path.steps = PathBuilder(schedule).steps();
  return path;
}

}  // namespace latitude::solve
