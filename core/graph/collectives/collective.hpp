#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::graph {

/// One collective from one member's side. Ranks are ranks in the communicator.
struct Collective {
  trace::Call call = trace::Call::count_;  ///< always the blocking form (Iallreduce → Allreduce)
  int rank = 0;
  int size = 1;
  int root = 0;
  std::uint64_t bytes = 0;    ///< as trace::Event::bytes for the call
  std::uint64_t element = 1;  ///< reductions: size of one element in bytes
  bool commutative = true;
  /// v-variants, to each rank or neighbour: Alltoallv/w, Neighbor_*v/w, Scatterv's root.
  std::span<const std::int64_t> send_bytes;
  /// v-variants: bytes from each rank or neighbour, also of Gatherv's root. In Allgatherv and
  /// Reduce_scatter each rank's block (MPI's recvcounts).
  std::span<const std::int64_t> recv_bytes;
  std::span<const std::int64_t> destinations;  ///< neighbour collectives
  std::span<const std::int64_t> sources;       ///< neighbour collectives

  bool has_lists() const {
    return !send_bytes.empty() || !recv_bytes.empty() || !destinations.empty() || !sources.empty();
  }
  /// Equal but for the lists.
  bool same_numbers(const Collective& other) const {
    const auto numbers = [](const Collective& of) {
      return std::tuple(of.call, of.rank, of.size, of.root, of.bytes, of.element, of.commutative);
    };
    return numbers(*this) == numbers(other);
  }
};

/// One step of a member's part. A non-blocking step depends on its position; `wait` completes every
/// operation posted since the last wait, receives in posting order.
struct Step {
  enum class Op : std::uint8_t { send, recv, isend, irecv, wait, reduce };
  Op op;
  std::int32_t peer;    ///< rank in the communicator; unused by wait and reduce
  std::uint64_t bytes;  ///< message size; reduce: bytes combined locally; unused by wait
};

/// A member's part in program order. Between two members, messages match in order.
class Steps {
 public:
  void send(int to, std::uint64_t bytes) { add(Step::Op::send, to, bytes); }
  void recv(int from, std::uint64_t bytes) { add(Step::Op::recv, from, bytes); }
  void isend(int to, std::uint64_t bytes) { add(Step::Op::isend, to, bytes); }
  void irecv(int from, std::uint64_t bytes) { add(Step::Op::irecv, from, bytes); }
  void wait() { add(Step::Op::wait, 0, 0); }
  void reduce(std::uint64_t bytes) { add(Step::Op::reduce, 0, bytes); }
  /// Sends and receives at the same time, as MPI_Sendrecv does.
  void exchange(int to, std::uint64_t sent, int from, std::uint64_t received) {
    irecv(from, received);
    isend(to, sent);
    wait();
  }
  void clear() { steps_.clear(); }
  std::span<const Step> view() const { return steps_; }

 private:
  void add(Step::Op op, int peer, std::uint64_t bytes) {
    steps_.push_back({op, static_cast<std::int32_t>(peer), bytes});
  }
  std::vector<Step> steps_;
};

using Algorithm = void (*)(const Collective&, Steps&);

struct NamedAlgorithm {
  std::string_view name;  ///< "recursive-doubling"
  Algorithm run;
  bool needs_commutative = false;  ///< combines operands in an order other than rank order
};

/// The algorithms offered for a blocking collective, the default first.
std::span<const NamedAlgorithm> algorithms_for(trace::Call call);

/// The algorithm chosen for each collective.
class Selection {
 public:
  /// One `--collective` value: "openmpi", "mpich", "dimemas", "default", or "allreduce=ring". Later
  /// values override earlier ones. InputError lists the known names if a name is unknown.
  void apply(std::string_view option);
  /// The algorithm for this collective. It is the same on every member by construction, because it
  /// depends only on facts that all members share. If a named algorithm needs a commutative
  /// operation and the operation is not commutative, the first offered algorithm without this need
  /// replaces it.
  NamedAlgorithm choose(const Collective& collective) const;
  /// The cost of making a communicator: the collectives over its parent, in order. `exchanges`:
  /// each rank contributes a colour and a key (MPI_Comm_split).
  std::vector<std::pair<Collective, NamedAlgorithm>> creation(bool exchanges, int rank,
                                                              int size) const;
  /// For results: "default", "openmpi, allreduce=ring", …
  std::string describe() const;

 private:
  enum class Preset : std::uint8_t { none, openmpi, mpich, dimemas } preset_ = Preset::none;
  struct Fixed {
    trace::Call call;
    NamedAlgorithm algorithm;
  };
  std::vector<Fixed> fixed_;
};

}  // namespace latitude::graph
