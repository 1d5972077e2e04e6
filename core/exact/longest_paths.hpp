#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace latitude::exact {

/// Whole numbers of 128 bits; sums and products that need more are an InputError.
__extension__ typedef __int128 Int;  // NOLINT(modernize-use-using): a using cannot be marked

/// constant + slope · θ, in a unit so small that both are whole.
struct Line {
  Int constant = 0;
  Int slope = 0;

  bool operator==(const Line&) const = default;
};

/// θ = numerator / denominator, both ≥ 0. Denominator 0: beyond any θ.
struct Theta {
  Int numerator = 0;
  Int denominator = 1;
};

/// Of lines that meet at θ, the one towards lower or towards higher θ.
enum class Side : std::uint8_t { left, right };

/// What a row costs: so many of each quantity. All but computation is of a link class.
struct Counts {
  std::span<const std::int64_t> computation;  ///< ns, before any scale
  std::span<const std::int64_t> recorded;     ///< ns that calls took
  std::span<const std::int64_t> overheads;
  std::span<const std::int64_t> gaps;    ///< times g
  std::span<const std::int64_t> copied;  ///< bytes that O is paid for
  std::span<const std::int64_t> latencies;
  std::span<const std::int64_t> bytes;  ///< bytes that G is paid for
  std::span<const std::int64_t> link;
};

/// What one of each quantity costs.
struct Prices {
  /// Of a link class.
  struct Link {
    Line overhead = {};
    Line gap = {};
    Line copied = {};
    Line latency = {};
    Line byte = {};
  };
  Line computation;
  Line recorded;
  std::vector<Link> links;
};

/// Inequalities x[head] ≥ x[tail] + cost, sorted once, priced as often as one likes. A variable
/// that is the head of none is 0: time zero.
///
/// It shares nothing with core/solve, and no doubles. A variable with one row is what that says;
/// the others are found one after the other. Each answer is proved on the way by both sides of
/// linear programming duality: the potentials x are checked row by row (T is no more), and the
/// longest path is summed up anew (it is no less).
class LongestPaths {
 public:
  /// Throws InputError when rows go round in a cycle, or name a variable that is not there.
  LongestPaths(std::uint32_t variables, std::uint32_t finish, std::span<const std::int64_t> head,
               std::span<const std::int64_t> tail);

  /// Every row gets its cost. Throws InputError when one needs too many bits.
  void price(const Counts& counts, const Prices& prices);

  /// The longest path to `finish` at θ. Throws InputError when numbers need too many bits, and
  /// std::logic_error when the proof is none.
  Line longest(const Theta& theta, Side side) const;

  std::size_t rows() const noexcept { return head_.size(); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  /// An instant: what lies behind a join. Join 0 is time zero.
  struct Instant {
    std::uint32_t join = 0;
    Line after;
  };
  /// A row of a variable that has several: from an instant, its own cost included.
  struct Way {
    Instant from;
    std::uint32_t row = 0;
  };
  struct Solution {
    std::vector<Line> value;            ///< by join
    std::vector<std::uint32_t> chosen;  ///< the row that each is of; kNone of time zero
  };
  Solution solve(const Theta& theta, Side side) const;
  void check(const Solution& solution, const Theta& theta) const;
  Line value_of(const Solution& solution, std::uint32_t variable) const;
  /// The row that a variable's value is of, or kNone.
  std::uint32_t row_of(const Solution& solution, std::uint32_t variable) const;
  void fold();

  std::uint32_t finish_;
  std::vector<std::uint32_t> order_;  ///< variables, each behind those that its rows come from
  std::vector<std::uint32_t> begin_;  ///< of the rows of each of them; variables + 1
  std::vector<std::uint32_t> head_;   ///< rows in this order
  std::vector<std::uint32_t> tail_;
  std::vector<std::uint32_t> given_;  ///< number of the row as it was given
  std::vector<Line> cost_;
  std::vector<Instant> instant_;       ///< by variable, once priced
  std::vector<std::uint32_t> joined_;  ///< the ways of join i + 1 begin at [i] and end at [i + 1]
  std::vector<Way> ways_;
};

/// The sign of constant · denominator + slope · numerator: −1, 0 or 1, whatever the sizes.
int sign_at(const Line& line, const Theta& theta) noexcept;

}  // namespace latitude::exact
