#include "core/solve/random/builder.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.hpp"

namespace latitude::solve {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// A sum of draws, each draw once, for the difference of two instants.
class Difference {
 public:
  void add(const RandomRef& at, double sign) {
    constant_ += sign * at.constant;
    if (!at.random) return;
    const auto end = terms_.begin() + count_;
    const auto same =
        std::find_if(terms_.begin(), end, [&](const Draw& d) { return d.key() == at.draw.key(); });
    if (same == end) {
      *end = at.draw;
      end->coefficient *= sign;
      ++count_;
    } else {
      same->coefficient += sign * at.draw.coefficient;
    }
  }

  template <class BoundsOf>
  double least(BoundsOf bounds_of) const {
    double sum = constant_;
    for (auto i = terms_.begin(); i != terms_.begin() + count_; ++i) {
      const Bounds bounds = bounds_of(*i);
      sum += i->coefficient * (i->coefficient > 0 ? bounds.low : bounds.high);
    }
    return sum;
  }

 private:
  double constant_ = 0;
  std::ptrdiff_t count_ = 0;
  std::array<Draw, 3> terms_{};
};

}  // namespace

Bounds RandomBuilder::bounds_of(const Draw& draw) const noexcept {
  return draw.noise() ? *model_.noise : model_.latency;
}

double RandomBuilder::earliest(const RandomRef& at) const noexcept {
  const double drawn = at.random ? at.draw.coefficient * bounds_of(at.draw).low : 0;
  return head_[at.node].low + at.constant + drawn;
}

double RandomBuilder::span_high(const RandomRef& at) const noexcept {
  return at.constant + (at.random ? at.draw.coefficient * bounds_of(at.draw).high : 0);
}

double RandomBuilder::latest(const RandomRef& at) const noexcept {
  return head_[at.node].high + span_high(at);
}

RandomRef RandomBuilder::new_node(RandomRef a, RandomRef b) {
  if (dag_.nodes.size() >= kNowhere - 2) {
    throw InputError("the graph has more than 4294967293 joins; forecast a shorter run");
  }
  if (a.random) {
    b = settled(b);
    std::swap(a, b);
  }
  dag_.nodes.push_back({{a, b}});
  head_.push_back({std::max(earliest(a), earliest(b)), std::max(latest(a), latest(b))});
  return {size(), false, 0, {}};
}

RandomRef RandomBuilder::add(RandomRef at, const Draw& draw) {
  // Two factors of one computation become one draw. Two messages stay two draws, so that they
  // remain distinct.
  if (at.random && draw.noise() && at.draw.key() == draw.key()) {
    at.draw.coefficient += draw.coefficient;
    return at;
  }
  at = settled(at);
  at.random = true;
  at.draw = draw;
  return at;
}

RandomRef RandomBuilder::join(const RandomRef& a, const RandomRef& b) {
  if (!a.exists()) return b;
  if (!b.exists()) return a;
  if (model_.prune) {
    if (never_later(b, a)) return a;
    if (never_later(a, b)) return b;
  }
  return new_node(a, b);
}

/// Whether a ≤ b in every sample is evident: by their bounds, by a common node, or because b's node
/// already waited for a's.
bool RandomBuilder::never_later(const RandomRef& a, const RandomRef& b) const {
  if (latest(a) <= earliest(b)) return true;
  const auto bounds = [this](const Draw& draw) { return bounds_of(draw); };
  if (a.node == b.node) {
    Difference difference;
    difference.add(b, 1);
    difference.add(a, -1);
    return difference.least(bounds) >= 0;
  }
  if (b.node == kOrigin) return false;
  return std::ranges::any_of(dag_.nodes[b.node - 1].edge, [&](const RandomRef& edge) {
    if (edge.node != a.node) return false;
    Difference difference;
    difference.add(b, 1);
    difference.add(edge, 1);
    difference.add(a, -1);
    return difference.least(bounds) >= 0;
  });
}

RandomDag RandomBuilder::finish(const RandomRef& last) {
  dag_.result = new_node(kAbsent, last.exists() ? last : origin()).node;
  if (!model_.prune) return std::move(dag_);
  // An edge whose longest path is shorter than the shortest T is never critical.
  const double shortest = head_[dag_.result].low;
  std::vector<double> tail(dag_.nodes.size() + 1, kNever);
  tail[dag_.result] = 0;
  for (std::size_t i = dag_.nodes.size(); i-- > 0;) {
    for (RandomRef& edge : dag_.nodes[i].edge) {
      const double after = tail[i + 1] + span_high(edge);
      if (head_[edge.node].high + after < shortest) {
        edge = kAbsent;
      } else {
        tail[edge.node] = std::max(tail[edge.node], after);
      }
    }
  }
  return contract();
}

/// Folds nodes with only one edge left into their readers.
RandomDag RandomBuilder::contract() const {
  std::vector<std::uint32_t> readers(dag_.nodes.size() + 1, 0);
  readers[dag_.result] = 1;
  for (std::size_t i = dag_.nodes.size(); i-- > 0;) {
    if (readers[i + 1] == 0) continue;
    for (const RandomRef& edge : dag_.nodes[i].edge) ++readers[edge.node];
  }
  RandomBuilder folded(model_);
  folded.dag_.nodes.reserve(dag_.nodes.size());
  std::vector<RandomRef> now(dag_.nodes.size() + 1);
  now[kOrigin] = origin();
  const auto moved = [&](const RandomRef& edge) {
    if (edge.constant == kNever || !now[edge.node].exists()) return RandomRef{};
    RandomRef at = now[edge.node];
    at.constant += edge.constant;
    return edge.random ? folded.add(at, edge.draw) : at;
  };
  for (std::size_t i = 0; i < dag_.nodes.size(); ++i) {
    if (readers[i + 1] == 0) continue;
    const RandomRef at = folded.join(moved(dag_.nodes[i].edge[0]), moved(dag_.nodes[i].edge[1]));
    now[i + 1] = readers[i + 1] > 1 && at.exists() ? folded.settled(at) : at;
  }
  folded.dag_.result = folded.new_node(kAbsent, now[dag_.result]).node;
  return std::move(folded.dag_);
}

}  // namespace latitude::solve
