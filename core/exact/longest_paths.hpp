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

/// θ = numerator / denominator, both ≥ 0. Denominator 0: larger than any θ.
struct Theta {
  Int numerator = 0;
  Int denominator = 1;
};

/// The line to take where lines meet at θ: the one towards lower or towards higher θ.
enum class Side : std::uint8_t { left, right };

/// The cost of a row: a count of each quantity. All but computation belong to a link class.
struct Counts {
  std::span<const std::int64_t> computation;  ///< ns, before any scale
  std::span<const std::int64_t> recorded;     ///< ns of recorded calls
  std::span<const std::int64_t> overheads;
  std::span<const std::int64_t> gaps;    ///< times g
  std::span<const std::int64_t> copied;  ///< bytes that pay O
  std::span<const std::int64_t> latencies;
  std::span<const std::int64_t> bytes;  ///< bytes that pay G
  std::span<const std::int64_t> link;
};

/// The price of each quantity.
struct Prices {
  /// The prices of a link class.
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

/// Inequalities x[head] ≥ x[tail] + cost: sorted once, priced any number of times. A variable that
/// is the head of no row is 0: time zero.
///
/// The class shares no code with core/solve, and uses no doubles. A variable with one row takes its
/// value from that row; the others are found in order. Both sides of linear programming duality
/// prove each answer. The potentials x are checked row by row (T is no more), and the longest path
/// is summed up again (T is no less).
class LongestPaths {
 public:
  /// Throws InputError if rows form a cycle, or name a variable that does not exist.
  LongestPaths(std::uint32_t variables, std::uint32_t finish, std::span<const std::int64_t> head,
               std::span<const std::int64_t> tail);

  /// Gives every row its cost. Throws InputError if a cost needs too many bits.
  void price(const Counts& counts, const Prices& prices);

  /// The longest path to `finish` at θ. Throws InputError if numbers need too many bits, and
  /// std::logic_error if the proof fails.
  Line longest(const Theta& theta, Side side) const;

  std::size_t rows() const noexcept { return head_.size(); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  /// An instant: a join and the cost after it. Join 0 is time zero.
  struct Instant {
    std::uint32_t join = 0;
    Line after;
  };
  /// A row of a variable that has several rows: from an instant, including the row's own cost.
  struct Way {
    Instant from;
    std::uint32_t row = 0;
  };
  struct Solution {
    std::vector<Line> value;            ///< by join
    std::vector<std::uint32_t> chosen;  ///< the row of each step; kNone for time zero
  };
  Solution solve(const Theta& theta, Side side) const;
  void check(const Solution& solution, const Theta& theta) const;
  Line value_of(const Solution& solution, std::uint32_t variable) const;
  /// The row that gives a variable its value, or kNone.
  std::uint32_t row_of(const Solution& solution, std::uint32_t variable) const;
  void fold();

  std::uint32_t finish_;
  std::vector<std::uint32_t> order_;  ///< variables, each after those in its rows
  std::vector<std::uint32_t> begin_;  ///< start of each variable's rows; variables + 1
  std::vector<std::uint32_t> head_;   ///< rows in this order
  std::vector<std::uint32_t> tail_;
  std::vector<std::uint32_t> given_;  ///< number of the row in the input
  std::vector<Line> cost_;
  std::vector<Instant> instant_;       ///< by variable, after pricing
  std::vector<std::uint32_t> joined_;  ///< the incoming ways of join i + 1 begin at [i] and end at
                                       ///< [i + 1]
  std::vector<Way> ways_;
};

/// The sign of constant · denominator + slope · numerator: −1, 0 or 1, whatever the sizes.
int sign_at(const Line& line, const Theta& theta) noexcept;

}  // namespace latitude::exact
