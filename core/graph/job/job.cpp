#include "core/graph/job/job.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace latitude::graph {
namespace {

/// Vertices get numbers here in the order of their creation, and new numbers when their order is
/// known.
class Builder {
 public:
  explicit Builder(const Job& job) : job_(job) {}

  JobGraph build() {
    place_operations();
    place_collectives();
    sort();
    return finish();
  }

 private:
  using Local = std::uint32_t;

  static constexpr std::uint32_t kUnits = kMostUnits - 1;

  struct Edge {
    Local from;
    DepKind kind;
  };

  struct Placed {
    std::uint32_t rank;
    Vertex vertex;
    std::uint32_t operation;  ///< operation, or kNone
  };

  Local place(std::uint32_t rank, Vertex vertex, std::uint32_t operation = Job::kNone) {
    if (placed_.size() >= kNoVertex - 1) throw InputError("a job has too many operations");
    placed_.push_back({rank, vertex, operation});
    return static_cast<Local>(placed_.size() - 1);
  }

  void edge(Local from, Local to, DepKind kind) {
    to_.push_back(to);
    edges_.push_back({from, kind});
  }

  std::uint32_t unit(std::uint32_t resource) {
    const auto [known, fresh] =
        units_.try_emplace(resource, static_cast<std::uint32_t>(result_.graph.units.size()));
    if (fresh) {
      if (result_.graph.units.size() >= kMostUnits) {
        throw InputError("a job has more than " + std::to_string(kMostUnits) +
                         " resources per rank");
      }
      const Resource line{.kind = job_.resource_kind[resource], .number = resource};
      result_.graph.units.push_back({.line = line});
    }
    return known->second;
  }

  /// The first vertex of an operation has the operation's number. The vertices at which members of
  /// a collective continue come after all of these.
  void place_operations() {
    result_.graph.units.clear();
    const auto count = static_cast<std::uint32_t>(job_.rank.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      Vertex vertex{.value = job_.collective[i] == Job::kNone ? job_.ns[i] : 0};
      vertex.unit = unit(job_.resource[i] == Job::kNone ? 0 : job_.resource[i]) & kUnits;
      place(job_.rank[i], vertex, i);
    }
    last_.resize(count);
    std::iota(last_.begin(), last_.end(), 0U);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (job_.collective[i] == Job::kNone) continue;
      Vertex leaves{};
      leaves.unit = placed_[i].vertex.unit;
      last_[i] = place(job_.rank[i], leaves, i);
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> before;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (job_.resource[i] == Job::kNone) continue;
      const auto [known, fresh] = before.try_emplace({job_.rank[i], job_.resource[i]}, i);
      if (!fresh) edge(last_[std::exchange(known->second, i)], i, DepKind::released);
    }
    for (std::size_t i = 0; i < job_.after.size(); ++i) {
      edge(last_[job_.before[i]], job_.after[i], DepKind::requires_end);
    }
  }

  void place_collectives() {
    const std::size_t count = job_.collectives.size();
    transfer_.assign(count, kNoVertex);
    for (std::uint32_t i = 0; i < job_.rank.size(); ++i) {
      const std::uint32_t c = job_.collective[i];
      if (c == Job::kNone) continue;
      if (transfer_[c] == kNoVertex) {
        Vertex transfer{.value = job_.collectives[c].ns,
                        .tag = static_cast<std::int32_t>(c),
                        .kind = Kind::transfer};
        transfer.unit = placed_[i].vertex.unit;
        transfer_[c] = place(job_.rank[i], transfer);
      }
      const bool one_way = collective_kinds()[job_.collectives[c].kind].one_way();
      const bool sends = job_.rank[i] == first_rank(job_.collectives[c].group);
      if (!one_way || sends) edge(i, transfer_[c], DepKind::requires_end);
      edge(i, last_[i], DepKind::released);
      if (!one_way || !sends) edge(transfer_[c], last_[i], DepKind::requires_end);
    }
    Routes routes = routes_of(job_.collectives, job_.groups);
    result_.graph.hops = std::move(routes.hops);
    result_.graph.transfers = std::move(routes.transfers);
  }

  std::uint32_t first_rank(std::uint32_t group) const { return job_.groups.of(group).front(); }

  /// Sorts the edges by their target, and the vertices in a topological order.
  void sort() {
    const std::size_t n = placed_.size();
    begin_.assign(n + 1, 0);
    std::vector<std::uint32_t> out(n + 1);
    for (std::size_t i = 0; i < to_.size(); ++i) {
      ++begin_[to_[i] + 1];
      ++out[edges_[i].from + 1];
    }
    std::vector<std::uint32_t> left(begin_.begin() + 1, begin_.end());
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::partial_sum(out.begin(), out.end(), out.begin());
    std::vector<Local> next(to_.size());
    std::vector<Edge> into(to_.size());
    std::vector<std::uint32_t> fill_in(begin_), fill_out(out);
    for (std::size_t i = 0; i < to_.size(); ++i) {
      into[fill_in[to_[i]]++] = edges_[i];
      next[fill_out[edges_[i].from]++] = to_[i];
    }
    edges_ = std::move(into);
    for (Local v = 0; v < n; ++v) {
      if (left[v] == 0) order_.push_back(v);
    }
    for (std::size_t at = 0; at < order_.size(); ++at) {
      const Local v = order_[at];
      for (std::uint32_t i = out[v]; i < out[v + 1]; ++i) {
        if (--left[next[i]] == 0) order_.push_back(next[i]);
      }
    }
    if (order_.size() < n) throw_cycle(left);
  }

  [[noreturn]] void throw_cycle(const std::vector<std::uint32_t>& left) const {
    const auto waits_for = [&](Local v) {
      std::uint32_t i = begin_[v];
      while (left[edges_[i].from] == 0) ++i;
      return edges_[i].from;
    };
    auto v =
        static_cast<Local>(std::ranges::find_if(left, [](auto l) { return l > 0; }) - left.begin());
    std::vector<bool> seen(placed_.size());
    while (!seen[v]) {
      seen[v] = true;
      v = waits_for(v);
    }
    constexpr std::size_t kShown = 6;
    std::vector<std::uint32_t> operations;  // operations, each with up to two vertices
    Local at = v;
    do {
      const std::uint32_t operation = placed_[at].operation;
      if (operation != Job::kNone && (operations.empty() || operations.back() != operation)) {
        operations.push_back(operation);
      }
      at = waits_for(at);
    } while (at != v && operations.size() <= kShown);
    std::string text = "operations wait for each other in a cycle, so none can ever start: ";
    for (std::size_t i = 0; i < std::min(operations.size(), kShown); ++i) {
      text += (i == 0 ? "" : " ← ") + std::to_string(operations[i]) + " (rank " +
              std::to_string(job_.rank[operations[i]]) + ")";
    }
    throw InputError(text + (operations.size() > kShown ? " …" : ""));
  }

  JobGraph finish() {
    Graph& graph = result_.graph;
    const std::size_t n = placed_.size();
    graph.rank_begin.assign(job_.ranks + 1, 0);
    for (const Placed& each : placed_) ++graph.rank_begin[each.rank + 1];
    std::partial_sum(graph.rank_begin.begin(), graph.rank_begin.end(), graph.rank_begin.begin());
    std::vector<VertexId> number(n);
    std::vector<VertexId> next(graph.rank_begin.begin(), graph.rank_begin.end() - 1);
    for (const Local v : order_) number[v] = next[placed_[v].rank]++;
    std::vector<Local> local(n);
    for (Local v = 0; v < n; ++v) local[number[v]] = v;
    if (graph.units.empty()) graph.units.push_back({});
    graph.vertices.reserve(n);
    graph.deps.reserve(edges_.size());
    graph.dep_begin.reserve(n + 1);
    for (const Local v : local) {
      graph.vertices.push_back(placed_[v].vertex);
      for (std::uint32_t i = begin_[v]; i < begin_[v + 1]; ++i) {
        graph.deps.push_back({number[edges_[i].from], edges_[i].kind});
      }
      graph.dep_begin.push_back(static_cast<std::uint32_t>(graph.deps.size()));
    }
    result_.vertex.assign(number.begin(), number.begin() + static_cast<long>(job_.rank.size()));
    for (VertexId& v : transfer_) v = v == kNoVertex ? v : number[v];
    result_.transfer = std::move(transfer_);
    return std::move(result_);
  }

  const Job& job_;
  JobGraph result_;
  std::vector<Placed> placed_;
  std::vector<Local> to_;
  std::vector<Edge> edges_;           ///< the edge to each of `to_`; after sort(), by target
  std::vector<std::uint32_t> begin_;  ///< by vertex, in `edges_`
  std::vector<Local> order_;
  std::vector<Local> last_;  ///< for each operation: the vertex with which it ends
  std::vector<VertexId> transfer_;
  std::map<std::uint32_t, std::uint32_t> units_;  ///< by resource
};

}  // namespace

JobGraph graph_of(const Job& job) { return Builder(job).build(); }

}  // namespace latitude::graph
