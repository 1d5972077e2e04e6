#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/flat_map.hpp"
#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// A part of a path that is one vertex'.
struct PathPiece {
  std::uint32_t place = 0;         ///< of its call; 0: of no call
  std::uint32_t sender_place = 0;  ///< of a receive: where its message was sent
  std::uint32_t rank = 0;
  std::uint32_t peer = 0;  ///< the rank at the other end of the message
  std::uint16_t latencies = 0;
  std::uint16_t overheads = 0;
  bool begins = false;  ///< the vertex' first piece: else it goes on with the one before
  bool computes = false;
  bool receives = false;
  double before_ns = 0;  ///< computation of no call right before it
  double time_ns = 0;    ///< all of it
  double ns = 0;         ///< computation, or what copying costs
  double latency_ns = 0;
  double gap_ns = 0;
  double overhead_ns = 0;
  double bytes = 0;
};

/// What calls of one kind at one place in the source, or of no call, have on a path.
struct PlaceOnPath {
  std::uint64_t steps = 0;  ///< vertices
  double before_ns = 0;     ///< computation of no call right before these
  double calc_ns = 0;       ///< of computations
  double copying_ns = 0;    ///< of messages (O)
  double latency_ns = 0;
  double gap_ns = 0;
  double overhead_ns = 0;
  double bytes = 0;
  std::uint64_t latencies = 0;
  std::uint64_t overheads = 0;
};

/// What a pair of ranks has on a path.
struct PairOnPath {
  std::uint64_t latencies = 0;
  double bytes = 0;
};

/// What a stretch of a path consists of.
struct PathSums {
  FlatMap<std::uint64_t, PlaceOnPath> places;  ///< by place
  FlatMap<std::uint64_t, double> ranks;        ///< time on each, ns
  FlatMap<std::uint64_t, PairOnPath> pairs;    ///< by source << 32 | destination
  /// By place << 32 | place of the send: latencies of messages that are received there.
  FlatMap<std::uint64_t, std::uint64_t> senders;

  void add(const PathPiece& piece);
  void add(const PathSums& other);
  std::size_t size() const { return places.size() + ranks.size() + pairs.size() + senders.size(); }
};

class Survivors;

/// An event on the longest path to something that is still held, and what this path consists of
/// since the event before that is a node: all that lies between them.
struct Survivor {
  static constexpr std::uint8_t kPieces = 3;

  // The event, as far as a stretch that begins with it asks.
  std::uint64_t vertex = 0;     ///< its serial number; 0: time zero
  std::uint64_t last_step = 0;  ///< the vertex of the path's last piece
  std::uint32_t rank = 0;
  graph::VertexId number = 0;  ///< of the vertex in its rank
  std::uint32_t place = 0;
  graph::Kind kind = graph::Kind::calc;
  bool recorded = false;
  bool start = false;  ///< or an end
  model::ClassId link = 0;
  double gap_bytes = 0;

  // The path since the node before.
  Survivors* of = nullptr;
  Survivor* before = nullptr;
  std::uint32_t after = 0;    ///< how many nodes come after it
  std::uint32_t holders = 0;  ///< how many instants are this event's, or later on its path
  std::uint32_t self = 0;     ///< its own number
  std::uint32_t mix = 0;      ///< exclusive or of the numbers of the nodes after it
  std::uint32_t origin = 0;   ///< the node that its path had come to at the last cut
  std::uint8_t count = 0;     ///< of pieces
  std::uint32_t first = 0;    ///< place of the first call; 0: there is none
  double computed_ns = 0;     ///< computation of no call after the last one
  PathPiece pieces[kPieces];  ///< what comes besides
  std::unique_ptr<PathSums> sums;
};

/// Holds a survivor.
class SurvivorRef {
 public:
  SurvivorRef() = default;
  explicit SurvivorRef(Survivor* node) : node_(node) { ++node_->holders; }
  SurvivorRef(const SurvivorRef& other) : node_(other.node_) {
    if (node_ != nullptr) ++node_->holders;
  }
  SurvivorRef(SurvivorRef&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  SurvivorRef& operator=(const SurvivorRef& other) { return *this = SurvivorRef(other); }
  SurvivorRef& operator=(SurvivorRef&& other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  inline ~SurvivorRef();

  bool exists() const noexcept { return node_ != nullptr; }
  const Survivor& node() const noexcept { return *node_; }

 private:
  friend class Survivors;
  Survivor* node_ = nullptr;
};

/// The longest paths from time zero to all that is held, as a tree: what they have in common is
/// there once. A node that nothing holds, and of which no node comes after it any more, has not
/// survived; one that nothing holds and that a single node comes after becomes a part of that. So
/// there are fewer than twice as many nodes as there are held, whatever the length of the paths
/// (what a decoder does that follows the likeliest paths of a Markov chain: A. J. Viterbi, 1967).
///
/// Where paths have nothing in common (ranks that are all alike, and exchange what they wait for),
/// each has sums of its own, which grow as it meets more ranks. Then all are cut off and forgotten,
/// but for which node each came from. Once the end is known, so is the node that the path to it had
/// come to at each cut, and the same again with these (`chosen`) keeps the sums of that path alone.
class Survivors {
 public:
  /// `chosen`: of another one, to which the same has happened.
  explicit Survivors(std::vector<std::uint32_t> chosen = {}) : chosen_(std::move(chosen)) {}
  Survivors(const Survivors&) = delete;
  Survivors& operator=(const Survivors&) = delete;

  /// A node after another one, without pieces; the event is the caller's to fill in.
  SurvivorRef make(const SurvivorRef& before);
  static Survivor& node(const SurvivorRef& ref) { return *ref.node_; }
  /// A piece of the path that ends there, after those that it has.
  static void add(Survivor& node, const PathPiece& piece);
  /// The path to a node, since the last cut.
  static PathSums path(const SurvivorRef& to) { return path(to.node_); }

  /// Sums that are kept now: entries of all PathSums.
  std::size_t sums() const noexcept { return sums_; }
  void cut();
  /// The number of the node that the path has come to at each cut.
  std::vector<std::uint32_t> cuts_on(const SurvivorRef& to) const;
  /// The path through the chosen nodes, up to the last cut.
  const PathSums& before_cuts() const noexcept { return before_cuts_; }

  /// Nodes at a time, at most.
  std::size_t most() const noexcept { return most_; }

 private:
  friend class SurvivorRef;

  void let_go(Survivor* node);
  void join(Survivor* before);
  void give_back(Survivor* node);
  static PathSums path(const Survivor* to);
  Survivor& node(std::uint32_t number);
  void move_on(Survivor& before, Survivor& after);
  static void move_pieces(const Survivor& before, Survivor& after);

  std::vector<std::unique_ptr<Survivor[]>> blocks_;
  std::vector<Survivor*> free_;
  std::size_t there_ = 0;
  std::size_t most_ = 0;
  std::size_t sums_ = 0;
  std::vector<std::uint32_t> chosen_;
  std::size_t cuts_ = 0;
  /// By cut the nodes then, and where their paths were at the cut before; where it is not known
  /// what to choose. Of all but the last cut those that a later one refers to.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> origins_;
  PathSums before_cuts_;
};

inline SurvivorRef::~SurvivorRef() {
  if (node_ != nullptr && --node_->holders == 0 && node_->after <= 1) node_->of->let_go(node_);
}

}  // namespace latitude::solve
