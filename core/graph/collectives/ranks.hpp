#pragma once

#include <algorithm>
#include <bit>

namespace latitude::graph::collectives {

/// Ranks numbered from a root: the root has index 0, the next rank index 1, and so on around.
struct Order {
  int root;
  int size;
  int index_of(int rank) const { return rank >= root ? rank - root : rank - root + size; }
  int rank_at(int index) const { return index < size - root ? index + root : index + root - size; }
};

/// The ring position `steps` after `rank` (before it when negative); |steps| ≤ size.
inline int shifted(int rank, int steps, int size) {
  const int position = rank + steps;
  return position < 0 ? position + size : position >= size ? position - size : position;
}

inline int pow2_floor(int n) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(n))); }
inline bool is_pow2(int n) { return std::has_single_bit(static_cast<unsigned>(n)); }

/// The ranks that stay when a group of any size folds to a power of two. In each pair (2v, 2v+1) of
/// the first 2·extra ranks, one steps aside. The others keep their order and have the numbers
/// 0…count-1 (Thakur, Rabenseifner, Gropp 2005). The odd rank stays, unless the even one is `keep`.
class Fold {
 public:
  explicit Fold(int size, int keep = -1)
      : count_(pow2_floor(size)), extra_(size - count_), keep_(keep) {}

  int count() const { return count_; }
  /// Whether `rank` is in a pair of which one rank steps aside.
  bool paired(int rank) const { return rank < 2 * extra_; }
  bool steps_aside(int rank) const { return paired(rank) && staying(rank / 2) != rank; }
  int partner(int rank) const { return rank ^ 1; }
  /// The folded number of a rank that stays.
  int number_of(int rank) const { return paired(rank) ? rank / 2 : rank - extra_; }
  int rank_of(int number) const { return number < extra_ ? staying(number) : number + extra_; }
  /// The first rank that folded into `number`; first_rank(n+1) is one past the last.
  int first_rank(int number) const { return number + std::min(number, extra_); }

 private:
  int staying(int pair) const { return keep_ == 2 * pair ? keep_ : 2 * pair + 1; }
  int count_;
  int extra_;
  int keep_;
};

}  // namespace latitude::graph::collectives
