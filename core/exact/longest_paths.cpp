#include "core/exact/longest_paths.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/error.hpp"

namespace latitude::exact {
namespace {

__extension__ typedef unsigned __int128 Natural;  // NOLINT(modernize-use-using)

[[noreturn]] void throw_too_large() {
  throw InputError(
      "exact sums of these times need more than 128 bits; give parameters of fewer digits");
}

Int sum(Int a, Int b) {
  Int result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw_too_large();
  return result;
}

Int product(Int a, Int b) {
  Int result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw_too_large();
  return result;
}

Line sum(const Line& a, const Line& b) {
  return {sum(a.constant, b.constant), sum(a.slope, b.slope)};
}

Line times(std::int64_t count, const Line& price) {
  if (count == 0) return {};
  return {product(count, price.constant), product(count, price.slope)};
}

/// 256 bits.
struct Wide {
  Natural high = 0;
  Natural low = 0;
  auto operator<=>(const Wide&) const = default;
};

Wide wide_product(Natural a, Natural b) {
  constexpr Natural kHalf = ~Natural{0} >> 64U;
  const Natural a0 = a & kHalf;
  const Natural a1 = a >> 64U;
  const Natural b0 = b & kHalf;
  const Natural b1 = b >> 64U;
  const Natural low = a0 * b0;
  const Natural middle = a1 * b0 + (low >> 64U);     // cannot overflow
  const Natural other = a0 * b1 + (middle & kHalf);  // nor can this
  return {a1 * b1 + (middle >> 64U) + (other >> 64U), (other << 64U) | (low & kHalf)};
}

int sign(Int a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }

Natural magnitude(Int a) { return a < 0 ? -static_cast<Natural>(a) : static_cast<Natural>(a); }

Line difference(const Line& a, const Line& b) {
  return {sum(a.constant, -b.constant), sum(a.slope, -b.slope)};
}

/// Whether a is later than b at θ; if they are equal there, on the requested side of θ.
bool later(const Line& a, const Line& b, const Theta& theta, Side side) {
  const Line d = difference(a, b);
  const int at = sign_at(d, theta);
  if (at != 0) return at > 0;
  if (theta.denominator == 0) return d.constant > 0;
  return side == Side::right ? d.slope > 0 : d.slope < 0;
}

}  // namespace

int sign_at(const Line& line, const Theta& theta) noexcept {
  const int first = theta.denominator == 0 ? 0 : sign(line.constant);
  const int second = theta.numerator == 0 ? 0 : sign(line.slope);
  if (first == second || second == 0) return first;
  if (first == 0) return second;
  const Wide a = wide_product(magnitude(line.constant), static_cast<Natural>(theta.denominator));
  const Wide b = wide_product(magnitude(line.slope), static_cast<Natural>(theta.numerator));
  if (a == b) return 0;
  return a > b ? first : second;
}

LongestPaths::LongestPaths(std::uint32_t variables, std::uint32_t finish,
                           std::span<const std::int64_t> head, std::span<const std::int64_t> tail)
    : finish_(finish) {
  const auto known = [&](std::int64_t x) { return x >= 0 && x < std::int64_t{variables}; };
  if (head.size() != tail.size() || finish >= variables || !std::ranges::all_of(head, known) ||
      !std::ranges::all_of(tail, known)) {
    throw InputError("inequalities of variables that are not there");
  }
  const std::size_t rows = head.size();
  std::vector<std::uint32_t> waiting(variables);
  std::vector<std::uint32_t> out_begin(std::size_t{variables} + 1);
  for (std::size_t i = 0; i < rows; ++i) {
    ++waiting[static_cast<std::size_t>(head[i])];
    ++out_begin[static_cast<std::size_t>(tail[i]) + 1];
  }
  begin_.reserve(std::size_t{variables} + 1);
  const std::vector<std::uint32_t> incoming = waiting;
  for (std::size_t v = 0; v < variables; ++v) out_begin[v + 1] += out_begin[v];
  std::vector<std::uint32_t> out(rows);
  std::vector<std::uint32_t> fill(out_begin.begin(), out_begin.end() - 1);
  for (std::size_t i = 0; i < rows; ++i) {
    out[fill[static_cast<std::size_t>(tail[i])]++] = static_cast<std::uint32_t>(i);
  }
  // Depth first, so that instants that follow each other in a rank are neighbours in memory.
  std::vector<std::uint32_t> ready;
  for (std::uint32_t v = variables; v-- > 0;) {
    if (waiting[v] == 0) ready.push_back(v);
  }
  order_.reserve(variables);
  while (!ready.empty()) {
    const std::uint32_t v = ready.back();
    ready.pop_back();
    order_.push_back(v);
    for (std::uint32_t k = out_begin[v]; k < out_begin[v + 1]; ++k) {
      const auto next = static_cast<std::uint32_t>(head[out[k]]);
      if (--waiting[next] == 0) ready.push_back(next);
    }
  }
  if (order_.size() != variables) {
    throw InputError("operations wait for each other in a cycle, so none can finish");
  }
  std::vector<std::uint32_t> position(variables);
  begin_.push_back(0);
  for (std::uint32_t k = 0; k < variables; ++k) {
    position[order_[k]] = k;
    begin_.push_back(begin_.back() + incoming[order_[k]]);
  }
  head_.resize(rows);
  tail_.resize(rows);
  given_.resize(rows);
  fill.assign(begin_.begin(), begin_.end() - 1);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint32_t at = position[static_cast<std::size_t>(head[i])];
    const std::uint32_t to = fill[at]++;
    head_[to] = at;
    tail_[to] = position[static_cast<std::size_t>(tail[i])];
    given_[to] = static_cast<std::uint32_t>(i);
  }
  finish_ = position[finish];
}

void LongestPaths::price(const Counts& counts, const Prices& prices) {
  cost_.resize(rows());
  for (std::size_t k = 0; k < rows(); ++k) {
    const std::size_t i = given_[k];
    const auto number = static_cast<std::size_t>(counts.link[i]);
    if (number >= prices.links.size())
      throw InputError("a message of a link class that is not there");
    const Prices::Link& link = prices.links[number];
    Line cost = times(counts.computation[i], prices.computation);
    cost = sum(cost, times(counts.recorded[i], prices.recorded));
    cost = sum(cost, times(counts.overheads[i], link.overhead));
    cost = sum(cost, times(counts.gaps[i], link.gap));
    cost = sum(cost, times(counts.copied[i], link.copied));
    cost = sum(cost, times(counts.latencies[i], link.latency));
    cost = sum(cost, times(counts.bytes[i], link.byte));
    cost_[k] = cost;
  }
  fold();
}

void LongestPaths::fold() {
  instant_.assign(order_.size(), {});
  joined_.assign(1, 0);
  ways_.clear();
  for (std::size_t v = 0; v < order_.size(); ++v) {
    const std::uint32_t rows = begin_[v + 1] - begin_[v];
    if (rows == 0) continue;
    for (std::uint32_t k = begin_[v]; k < begin_[v + 1]; ++k) {
      const Instant& tail = instant_[tail_[k]];
      const Instant from{tail.join, sum(tail.after, cost_[k])};
      if (rows == 1) {
        instant_[v] = from;
      } else {
        ways_.push_back({from, k});
      }
    }
    if (rows == 1) continue;
    instant_[v].join = static_cast<std::uint32_t>(joined_.size());
    joined_.push_back(static_cast<std::uint32_t>(ways_.size()));
  }
}

LongestPaths::Solution LongestPaths::solve(const Theta& theta, Side side) const {
  if (joined_.empty()) throw std::logic_error("a path has no length before rows have prices");
  const std::size_t joins = joined_.size();
  Solution found{std::vector<Line>(joins), std::vector<std::uint32_t>(joins, kNone)};
  for (std::size_t join = 1; join < joins; ++join) {
    for (std::uint32_t i = joined_[join - 1]; i < joined_[join]; ++i) {
      const Way& way = ways_[i];
      const Line at = sum(found.value[way.from.join], way.from.after);
      if (found.chosen[join] == kNone || later(at, found.value[join], theta, side)) {
        found.value[join] = at;
        found.chosen[join] = way.row;
      }
    }
  }
  check(found, theta);
  return found;
}

Line LongestPaths::value_of(const Solution& solution, std::uint32_t variable) const {
  return sum(solution.value[instant_[variable].join], instant_[variable].after);
}

std::uint32_t LongestPaths::row_of(const Solution& solution, std::uint32_t variable) const {
  const std::uint32_t rows = begin_[variable + 1] - begin_[variable];
  if (rows == 0) return kNone;
  return rows == 1 ? begin_[variable] : solution.chosen[instant_[variable].join];
}

/// Upper bound: the potentials satisfy every inequality; a variable with one row equals that row's
/// right side, so it satisfies the row. Lower bound: a path whose costs, summed up in the other
/// direction, are as long.
void LongestPaths::check(const Solution& solution, const Theta& theta) const {
  for (std::size_t join = 1; join < joined_.size(); ++join) {
    for (std::uint32_t i = joined_[join - 1]; i < joined_[join]; ++i) {
      const Line least = sum(solution.value[ways_[i].from.join], ways_[i].from.after);
      if (sign_at(difference(solution.value[join], least), theta) < 0) {
        throw std::logic_error("the potentials of a certificate are too low");
      }
    }
  }
  Line length;
  std::uint32_t v = finish_;
  for (std::uint32_t k = row_of(solution, v); k != kNone; k = row_of(solution, v)) {
    length = sum(length, cost_[k]);
    v = tail_[k];
  }
  if (length != value_of(solution, finish_)) {
    throw std::logic_error("the path of a certificate is too short");
  }
}

Line LongestPaths::longest(const Theta& theta, Side side) const {
  return value_of(solve(theta, side), finish_);
}

}  // namespace latitude::exact
