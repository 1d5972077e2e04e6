#include "core/solve/arrivals.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>

#include "core/error.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/polls.hpp"
#include "core/solve/prices.hpp"
#include "core/solve/waiting_ends.hpp"

namespace latitude::solve {
namespace {

using graph::Graph;
using graph::kNoVertex;
using graph::OpenEnd;
using graph::OpenMatch;
using graph::VertexId;

constexpr const char* kCure =
    "; the order of arrival does not show what this run did: trace the program again with latitude "
    "trace, which records it";

/// "rank 3, record 17 (MPI_Recv)"
std::string where(const Graph& graph, VertexId v) {
  std::string text = "rank " + std::to_string(graph.rank_of(v));
  const std::uint32_t origin = graph.vertices[v].origin;
  if (origin == graph::kNoOrigin) return text;
  const graph::CallRecord call = graph.calls[origin];
  return text + ", line or record " + std::to_string(call.position) + " (" +
         std::string(trace::name_of(call.call)) + ")";
}

[[noreturn]] void refuse(const Graph& graph, VertexId v, const std::string& text) {
  throw InputError("wildcards=arrival: " + where(graph, v) + " " + text + kCure);
}

/// Sets the partners of a message. InputError if the message is larger than the receive.
void join(Graph& graph, VertexId send, VertexId recv) {
  graph::Vertex& from = graph.vertices[send];
  graph::Vertex& to = graph.vertices[recv];
  if (from.value > to.value) {
    refuse(graph, recv,
           "takes " + std::to_string(to.value) +
               " B at most, and the message that comes first has " + std::to_string(from.value) +
               " B");
  }
  from.partner = recv;
  to.partner = send;
  to.receives(from);
}

/// Algebra of Lowering that processes everything in the order of time, matches open messages as
/// they come, and lets polls complete the requests that are done.
class Arriving {
 public:
  using Instant = double;

  struct Next {
    VertexId vertex;
    double instant;
    bool receives;
    bool matches;
  };

  Arriving(Graph& graph, const model::Network& network, double factor)
      : graph_(graph), network_(network), factor_(factor), polls_(graph) {
    for (std::uint32_t place = 0; place < graph.open.size(); ++place) {
      const OpenMatch& match = graph.open[place];
      waiting_.emplace_back(match.receives);
      for (std::uint32_t i = 0; i < match.sends.size(); ++i) {
        ends_[match.sends[i].vertex] = {place, i};
      }
      for (std::uint32_t i = 0; i < match.receives.size(); ++i) {
        ends_[match.receives[i].vertex] = {place, i};
      }
    }
  }

  static double origin() { return 0; }
  double add(double at, const Cost& cost) const {
    const Price price = price_of(cost, network_, class_of(cost.message));
    return at + price.rest_ns + price.overhead_ns + price.latency_ns * factor_ + price.gap_ns;
  }
  static double join(double a, double b) { return std::max(a, b); }
  static double started(VertexId, double at) { return at; }
  double ended(VertexId v, double at) {
    if (polls_.is_awaited(v)) coming_.push({at, Kind::done, 0, stamp_++, v});
    return at;
  }
  static void finished(double) {}

  void ready(VertexId v, double at) {
    coming_.push({at, polls_.is_poll(v) ? Kind::polled : Kind::ready, 0, stamp_++, v});
  }
  void arrived(VertexId recv, double start, double at) {
    const Kind kind = polls_.is_receive(recv) ? Kind::done : Kind::received;
    coming_.push({std::max(start, at), kind, 0, stamp_++, recv});
  }
  void left(VertexId v, double at) {
    const auto poll = taking_.extract(v);
    if (!poll.empty()) coming_.push({at, Kind::polled, 0, stamp_++, poll.mapped()});
  }

  void sent(VertexId send, double at) {
    const std::uint32_t source = graph_.rank_of(send);
    const std::uint32_t destination = graph_.open[ends_.at(send).place].rank;
    const model::ClassId link = network_.link(source, destination);
    const double latency = network_.classes[link].L * factor_;
    const double first_byte = at + (graph_.vertices[send].recorded ? 0 : network_.o(link)) +
                              (source == destination ? 0 : latency);
    starts_[send] = at;
    coming_.push({first_byte, Kind::come, source, send, send});
  }
  void posted(VertexId recv, double at) {
    coming_.push({at, Kind::posted, 0, ends_.at(recv).index, recv});
  }

  std::optional<Next> next() {
    while (!coming_.empty()) {
      const Coming first = coming_.top();
      coming_.pop();
      if (first.kind == Kind::ready || first.kind == Kind::received) {
        return Next{first.vertex, first.at, first.kind == Kind::received, false};
      }
      if (first.kind == Kind::done) {
        const std::optional<VertexId> poll = polls_.done(first.vertex);
        if (poll) coming_.push({first.at, Kind::polled, 0, stamp_++, *poll});
        continue;
      }
      if (first.kind == Kind::polled) {
        const std::optional<Next> next = polled(first.vertex, first.at);
        if (next) return next;
        continue;
      }
      const std::optional<VertexId> recv =
          first.kind == Kind::come ? take(first.vertex) : give(first.vertex);
      if (!recv) continue;
      return Next{*recv, starts_.at(graph_.vertices[*recv].partner), false, true};
    }
    return std::nullopt;
  }

  /// An operation waits for a message that never comes.
  void stuck() const {
    for (const OpenMatch& match : graph_.open) {
      for (const OpenEnd& receive : match.receives) {
        if (graph_.vertices[receive.vertex].partner == kNoVertex) {
          refuse(graph_, receive.vertex,
                 "is left without a message if the order of arrival decides");
        }
      }
    }
    const std::optional<VertexId> poll = polls_.stuck();
    if (poll) {
      refuse(graph_, *poll,
             "waits for a message that no rank sends if the order of arrival decides");
    }
  }

  const Polls& polls() const { return polls_; }

 private:
  /// Order of the events of one instant: receives are posted in program order, and polls find all
  /// requests that are done by then.
  enum class Kind : std::uint8_t { come, ready, received, posted, done, polled };

  struct Coming {
    double at;
    Kind kind;
    std::uint32_t rank;   ///< the sender
    std::uint64_t order;  ///< order within one instant
    VertexId vertex;
  };
  struct Later {
    bool operator()(const Coming& a, const Coming& b) const {
      return std::tie(a.at, a.kind, a.rank, a.order) > std::tie(b.at, b.kind, b.rank, b.order);
    }
  };
  struct Place {
    std::uint32_t place;  ///< in Graph::open
    std::uint32_t index;
  };
  /// The action of the program at a poll; none while it waits.
  std::optional<Next> polled(VertexId poll, double at) {
    const std::optional<VertexId> next = polls_.next(poll);
    if (!next) return std::nullopt;
    if (*next == poll) {
      if (polls_.leave(poll)) graph_.vertices[poll].value = 0;  // no failed test
      return Next{poll, at, false, false};
    }
    taking_[*next] = poll;
    return Next{*next, at, true, false};
  }

  /// Link class of a message, by one of its ends; for a send also before the match.
  model::ClassId class_of(VertexId end) const {
    if (end == kNoVertex) return 0;
    const graph::Vertex& vertex = graph_.vertices[end];
    const std::uint32_t own = graph_.rank_of(end);
    const std::uint32_t other = vertex.partner == kNoVertex ? graph_.open[ends_.at(end).place].rank
                                                            : graph_.rank_of(vertex.partner);
    return vertex.kind == graph::Kind::send ? network_.link(own, other) : network_.link(other, own);
  }

  std::optional<VertexId> take(VertexId send) {
    const auto [place, index] = ends_.at(send);
    const std::optional<VertexId> recv = waiting_[place].come(graph_.open[place].sends[index]);
    if (recv) solve::join(graph_, send, *recv);
    return recv;
  }

  std::optional<VertexId> give(VertexId recv) {
    const auto [place, index] = ends_.at(recv);
    const std::optional<VertexId> send = waiting_[place].post(graph_.open[place].receives[index]);
    if (!send) return std::nullopt;
    solve::join(graph_, *send, recv);
    return recv;
  }

  Graph& graph_;
  const model::Network& network_;
  double factor_;
  Polls polls_;
  std::unordered_map<VertexId, VertexId> taking_;  ///< by receive: the poll that completes it now
  std::unordered_map<VertexId, Place> ends_;
  std::unordered_map<VertexId, double> starts_;
  std::vector<WaitingEnds> waiting_;  ///< by place in Graph::open
  std::priority_queue<Coming, std::vector<Coming>, Later> coming_;
  std::uint64_t stamp_ = 0;
};

/// Calls visit(match, receive) in the order of Arrivals.
template <class Visit>
void for_each_receive(const Graph& graph, Visit visit) {
  for (const OpenMatch& match : graph.open) {
    for (const OpenEnd& receive : match.receives) visit(match, receive);
  }
}

}  // namespace

Arrivals arrivals(const Graph& graph, const model::Network& network, double factor) {
  network.check(graph.ranks());
  if (!network.one_limit()) {
    throw InputError(
        "which message comes first cannot be assumed where link rules have an S of their own; "
        "leave it out");
  }
  Graph matching = graph;
  Arriving algebra(matching, network, factor);
  model::LogGPS base = network.base;
  if (!graph.polls.empty() && base.gap == model::Gap::both) base.gap = model::Gap::send;
  Lowering<Arriving>(matching, base, algebra).run();
  for (const OpenMatch& match : matching.open) {
    for (const OpenEnd& send : match.sends) {
      if (matching.vertices[send.vertex].partner == kNoVertex) {
        refuse(matching, send.vertex,
               "sends a message that no rank receives if the order of arrival decides");
      }
    }
  }
  Arrivals found;
  for_each_receive(matching, [&](const OpenMatch&, const OpenEnd& receive) {
    found.sends.push_back(matching.vertices[receive.vertex].partner);
  });
  found.polls = algebra.polls().completed_by();
  return found;
}

Graph matched(Graph graph, const Arrivals& arrivals) {
  const std::vector<OpenMatch> open = std::exchange(graph.open, {});
  std::size_t i = 0;
  for (const OpenMatch& match : open) {
    for (const OpenEnd& receive : match.receives) join(graph, arrivals.sends[i++], receive.vertex);
  }
  return with_completions(std::move(graph), arrivals.polls);
}

OpenChoices open_choices(const Graph& graph) {
  OpenChoices count;
  for_each_receive(graph, [&](const OpenMatch&, const OpenEnd& receive) {
    count.sources += receive.peer == trace::kAnySource ? 1 : 0;
  });
  std::vector<std::uint32_t> calls;  // by request
  for (const graph::PolledRequest& each : graph.polled) {
    if (calls.size() <= each.number) calls.resize(each.number + std::size_t{1});
    ++calls[each.number];
  }
  const auto several = std::ranges::count_if(calls, [](std::uint32_t n) { return n > 1; });
  count.requests = static_cast<std::uint64_t>(several);
  return count;
}

OpenChoices chosen_otherwise(const Graph& graph, const Arrivals& arrivals,
                             const std::vector<Arrivals>& others) {
  OpenChoices count;
  std::size_t i = 0;
  for_each_receive(graph, [&](const OpenMatch&, const OpenEnd& receive) {
    const std::size_t at = i++;
    if (receive.peer != trace::kAnySource) return;
    const bool other = std::ranges::any_of(others, [&](const Arrivals& each) {
      return graph.rank_of(each.sends[at]) != graph.rank_of(arrivals.sends[at]);
    });
    count.sources += other ? 1 : 0;
  });
  for (std::size_t request = 0; request < arrivals.polls.size(); ++request) {
    const bool other = std::ranges::any_of(others, [&](const Arrivals& each) {
      return each.polls[request] != arrivals.polls[request];
    });
    count.requests += other ? 1 : 0;
  }
  return count;
}

}  // namespace latitude::solve
