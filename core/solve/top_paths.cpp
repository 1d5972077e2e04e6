#include "core/solve/top_paths.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>

#include "core/solve/key_table.hpp"

namespace latitude::solve {
namespace {

/// Number of deviations that are stored for each requested path; many lead to known messages.
constexpr std::size_t kKept = 64;

/// A set of messages, in the order of their numbers: `message` and those of `later`.
struct Chain {
  std::uint32_t later;
  MessageId message;
};

/// A path that is known from `node` to the result. If it continues to time zero along the longest
/// way, it is `shortfall` shorter than T.
struct Partial {
  double shortfall;
  NodeId node;
  std::uint32_t chain;

  /// Among equal ones the path nearest to its end comes first, so that few paths grow at the same
  /// time.
  bool operator<(const Partial& other) const {
    return shortfall != other.shortfall ? shortfall > other.shortfall : node > other.node;
  }
};

/// Eppstein's deviations on a DAG, backwards. Every path is the longest one except for the joins at
/// which it takes the edge that is not the latest; the heap holds the next such deviations. The
/// path back from T meets messages in falling order, unless it returns to a message.
///
/// A long path has millions of deviations, of which few matter. The heap takes only deviations that
/// shorten the path by no more than the `kept`-th deviation of the longest path. If these were too
/// few, the search starts again with more.
class PathSearch {
 public:
  PathSearch(const MessageGraph& messages, double theta, std::size_t kept)
      : messages_(messages), theta_(theta), head_(messages.nodes.size() + 1) {
    for (std::size_t i = 0; i < messages.nodes.size(); ++i) {
      head_[i + 1] = std::max(through(i, 0), through(i, 1));
    }
    const Ref& result = messages.result;
    runtime_ = head_[result.node] + result.weight.at(theta);
    most_ = shortfall_of(kept);
    heap_.push({0, result.node, kNone});
  }

  /// Whether no deviation was left out.
  bool complete() const { return !left_out_; }

  /// The next longest path; false if no more exist.
  bool next(MessagePath& path) {
    while (!heap_.empty()) {
      Partial partial = heap_.top();
      heap_.pop();
      if (!to_origin(partial)) continue;
      path.length_ns = runtime_ - partial.shortfall;
      path.receives.clear();
      for (std::uint32_t c = partial.chain; c != kNone; c = chains_[c].later) {
        path.receives.push_back(messages_.receive[chains_[c].message]);
      }
      return true;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  double through(std::size_t i, int edge) const {
    const Ref from = messages_.nodes[i].edge(edge);
    return head_[from.node] + from.weight.at(theta_);
  }

  /// The amount by which an edge into a node shortens a path.
  double loss(std::size_t i, int edge) const { return head_[i + 1] - through(i, edge); }

  int later_edge(std::size_t i) const { return through(i, 0) >= through(i, 1) ? 0 : 1; }

  /// The `kept`-th least loss of the longest path's deviations.
  double shortfall_of(std::size_t kept) const {
    std::vector<double> losses;
    for (NodeId node = messages_.result.node; node != kOrigin;) {
      const std::size_t i = node - 1;
      const int best = later_edge(i);
      losses.push_back(loss(i, 1 - best));
      node = messages_.nodes[i].from[best];
    }
    if (losses.size() <= kept) return std::numeric_limits<double>::infinity();
    std::ranges::nth_element(losses, losses.begin() + static_cast<std::ptrdiff_t>(kept));
    return losses[kept];
  }

  /// Follows the longest way to time zero, and adds the other edge at each join to the heap. False
  /// if a path with the same messages, which cannot have been shorter, has come earlier.
  bool to_origin(Partial& at) {
    while (true) {
      const std::uint64_t place = std::uint64_t{at.chain} << 32 | at.node;
      if (!seen_.try_emplace(place).second) return false;
      if (at.node == kOrigin) return true;
      const std::size_t i = at.node - 1;
      const int best = later_edge(i);
      if (through(i, 1 - best) > kNever) deviate(at, i, 1 - best);
      at = along(at, i, best);
    }
  }

  void deviate(const Partial& at, std::size_t i, int edge) {
    if (at.shortfall + loss(i, edge) > most_) {
      left_out_ = true;
    } else {
      heap_.push(along(at, i, edge));
    }
  }

  Partial along(const Partial& at, std::size_t i, int edge) {
    const MessageNode& node = messages_.nodes[i];
    const bool message = edge == 1 && node.message != kNoMessage;
    return {at.shortfall + loss(i, edge), node.from[edge],
            message ? extended(at.chain, node.message) : at.chain};
  }

  /// The chain with one more message; the same set always has the same number.
  std::uint32_t extended(std::uint32_t chain, MessageId message) {
    std::vector<MessageId> earlier;
    while (chain != kNone && chains_[chain].message < message) {
      earlier.push_back(chains_[chain].message);
      chain = chains_[chain].later;
    }
    if (chain == kNone || chains_[chain].message != message) chain = before(message, chain);
    for (; !earlier.empty(); earlier.pop_back()) chain = before(earlier.back(), chain);
    return chain;
  }

  std::uint32_t before(MessageId message, std::uint32_t chain) {
    const std::uint64_t key = std::uint64_t{chain} << 32 | message;
    const auto [number, fresh] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(chains_.size()));
    if (fresh) chains_.push_back({chain, message});
    return number;
  }

  const MessageGraph& messages_;
  double theta_;
  std::vector<double> head_;  ///< longest path from time zero to each node
  double runtime_ = 0;
  double most_ = 0;  ///< largest shortfall of a deviation
  bool left_out_ = false;
  std::priority_queue<Partial> heap_;
  std::vector<Chain> chains_;
  KeyTable<std::uint32_t> numbers_;  ///< index of chains, by their first message and their rest
  KeyTable<Nothing> seen_;           ///< chains at nodes
};

}  // namespace

std::vector<MessagePath> top_paths(const MessageGraph& messages, double theta, std::size_t k) {
  for (std::size_t kept = kKept * k;; kept *= kKept) {
    PathSearch search(messages, theta, kept);
    std::vector<MessagePath> paths;
    MessagePath path;
    while (paths.size() < k && search.next(path)) paths.push_back(path);
    if (paths.size() == k || search.complete()) return paths;
  }
}

}  // namespace latitude::solve
