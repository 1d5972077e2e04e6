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

/// A part of a path that belongs to one vertex.
struct PathPiece {
  std::uint32_t place = 0;         ///< place of its call; 0: no call
  std::uint32_t sender_place = 0;  ///< for a receive: the place where its message was sent
  std::uint32_t rank = 0;
  std::uint32_t peer = 0;  ///< the rank at the other end of the message
  std::uint16_t latencies = 0;
  std::uint16_t overheads = 0;
  bool begins = false;  ///< the vertex' first piece; otherwise it continues the previous one
  bool computes = false;
  bool receives = false;
  double before_ns = 0;  ///< computation without a call immediately before it
  double time_ns = 0;    ///< duration of the piece
  double ns = 0;         ///< computation, or the cost of copying
  double latency_ns = 0;
  double gap_ns = 0;
  double overhead_ns = 0;
  double bytes = 0;
};

/// The parts of a path that belong to calls of one kind at one place in the source, or to no call.
struct PlaceOnPath {
  std::uint64_t steps = 0;  ///< vertices
  double before_ns = 0;     ///< computation without a call immediately before these vertices
  double calc_ns = 0;       ///< computation of these vertices
  double copying_ns = 0;    ///< copying of their messages (O)
  double latency_ns = 0;
  double gap_ns = 0;
  double overhead_ns = 0;
  double bytes = 0;
  std::uint64_t latencies = 0;
  std::uint64_t overheads = 0;
};

/// The parts of a path that belong to a pair of ranks.
struct PairOnPath {
  std::uint64_t latencies = 0;
  double bytes = 0;
};

/// The parts of a stretch of a path.
struct PathSums {
  FlatMap<std::uint64_t, PlaceOnPath> places;  ///< by place
  FlatMap<std::uint64_t, double> ranks;        ///< time on each rank, ns
  FlatMap<std::uint64_t, PairOnPath> pairs;    ///< by source << 32 | destination
  /// By place << 32 | place of the send: latencies of messages received there.
  FlatMap<std::uint64_t, std::uint64_t> senders;

  void add(const PathPiece& piece);
  void add(const PathSums& other);
  std::size_t size() const { return places.size() + ranks.size() + pairs.size() + senders.size(); }
};

class Survivors;

/// An event on the longest path to an instant that still has references, and the parts of this path
/// since the last event that is a node.
struct Survivor {
  static constexpr std::uint8_t kPieces = 3;

  // Fields that describe the event; a stretch of the path that begins at the event needs these
  // fields.
  std::uint64_t vertex = 0;     ///< serial number of the event's vertex; 0: time zero
  std::uint64_t last_step = 0;  ///< the vertex of the path's last piece
  std::uint32_t rank = 0;
  graph::VertexId number = 0;  ///< number of the vertex in its rank
  std::uint32_t place = 0;
  graph::Kind kind = graph::Kind::calc;
  bool recorded = false;
  bool start = false;  ///< whether the event is a start or an end
  model::ClassId link = 0;
  double gap_bytes = 0;

  // The path since the previous node.
  Survivors* of = nullptr;
  Survivor* before = nullptr;
  std::uint32_t after = 0;    ///< number of nodes directly after it
  std::uint32_t holders = 0;  ///< number of instants at this event, or later on its path
  std::uint32_t self = 0;     ///< number of this node
  std::uint32_t mix = 0;      ///< exclusive or of the numbers of the nodes after it
  std::uint32_t origin = 0;   ///< the node that its path had reached at the last cut
  std::uint8_t count = 0;     ///< number of pieces
  std::uint32_t first = 0;    ///< place of the first call; 0: none
  double computed_ns = 0;     ///< computation without a call after the last one
  PathPiece pieces[kPieces];  ///< pieces that are not in `sums`
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

/// The longest paths from time zero to all instants with references, as a tree: common parts exist
/// once. A node without references and without nodes after it is dropped. A node without references
/// and with a single node after it becomes a part of that node. So the nodes are fewer than twice
/// the instants, for paths of any length. (A decoder that follows the likeliest paths of a Markov
/// chain does the same: A. J. Viterbi, 1967.)
///
/// If ranks all do the same, and exchange the messages that they wait for, paths have no common
/// part. Each path then has sums of its own, which grow as it meets more ranks. If the sums become
/// too many, all paths are cut off and dropped, except for the node from which each path came. Once
/// the end of the program is known, the node that its path had reached at each cut is known, too. A
/// repetition with these nodes (`chosen`) keeps only the sums of that path.
class Survivors {
 public:
  /// `chosen`: from another object with the same history.
  explicit Survivors(std::vector<std::uint32_t> chosen = {}) : chosen_(std::move(chosen)) {}
  Survivors(const Survivors&) = delete;
  Survivors& operator=(const Survivors&) = delete;

  /// Makes a node after another one, without pieces; the caller fills in the event.
  SurvivorRef make(const SurvivorRef& before);
  static Survivor& node(const SurvivorRef& ref) { return *ref.node_; }
  /// Adds a piece of the path that ends there, after its other pieces.
  static void add(Survivor& node, const PathPiece& piece);
  /// The path to a node, since the last cut.
  static PathSums path(const SurvivorRef& to) { return path(to.node_); }

  /// Number of stored sums: entries of all PathSums.
  std::size_t sums() const noexcept { return sums_; }
  void cut();
  /// The number of the node that the path has reached at each cut.
  std::vector<std::uint32_t> cuts_on(const SurvivorRef& to) const;
  /// The path through the chosen nodes, up to the last cut.
  const PathSums& before_cuts() const noexcept { return before_cuts_; }

  /// Most nodes at a time.
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
  /// For each cut, the nodes at that time and the places of their paths at the previous cut; only
  /// while the nodes to choose are unknown. For all cuts but the last, only nodes to which a later
  /// cut refers.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> origins_;
  PathSums before_cuts_;
};

inline SurvivorRef::~SurvivorRef() {
  if (node_ != nullptr && --node_->holders == 0 && node_->after <= 1) node_->of->let_go(node_);
}

}  // namespace latitude::solve
