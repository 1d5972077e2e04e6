#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "core/crew.hpp"
#include "core/graph/from_trace.hpp"
#include "core/graph/rank_builder.hpp"
#include "core/trace/native/pieces.hpp"

namespace latitude::solve {

/// What some events of a rank, one after the other, have become.
struct RankBatch {
  /// How much of the batch there is once an event has been taken.
  struct EventEnd {
    std::uint32_t vertices;
    std::uint32_t posted;
    std::uint32_t answered;
    std::uint32_t collectives;
    graph::VertexId last;  ///< RankBuilder::last
  };
  /// Whether a vertex is beside the main line of its rank, in a non-blocking collective.
  enum class Beside : std::uint8_t { no, first, later };
  /// The call that a vertex is of; of a receive (of which RankGraph::Posted has that) the call that
  /// completes it, where it is another one.
  struct Call {
    std::uint32_t position = 0;
    trace::Call call = trace::Call::count_;
    std::uint32_t site = trace::kNoSite;
    Beside beside = Beside::no;
  };

  graph::RankBuilder::Piece piece;
  std::vector<Call> calls;  ///< by vertex
  std::vector<EventEnd> events;
  /// Some batches tell, by number, on which of the vertices so far those to come may depend.
  bool tells_needed = false;
  std::vector<graph::VertexId> needed;
  std::uint64_t bytes_read = 0;  ///< of the rank's file, by the end of the batch
  bool last = false;
  std::exception_ptr error;  ///< of the event that comes next; the batch is the last one then

  // The last one has, of the rank as a whole:
  std::int64_t ran_ns = 0;      ///< from MPI_Init to its last call
  std::uint64_t wildcards = 0;  ///< RankPieces::wildcards
};

/// A batch ends with the event that reaches either.
struct BatchSize {
  std::uint32_t events;
  std::size_t vertices;
};

/// Turns one rank's events into operations, batch by batch.
class RankDecoder {
 public:
  RankDecoder(const trace::native::Pieces& pieces, std::uint32_t rank,
              const graph::BuildOptions& build, BatchSize size);
  /// The next batch takes the place of `batch`. Not after the last.
  void next(RankBatch& batch);
  const graph::RankTallies& tallies() const { return builder_.piece().graph.tallies; }

 private:
  bool one_event(RankBatch& batch);
  void finish(RankBatch& batch);

  trace::native::RankPieces events_;
  graph::RankBuilder builder_;
  BatchSize size_;
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::size_t since_needed_ = 0;  ///< vertices since a batch told what is needed
  std::size_t needed_ = 0;        ///< how many were, then
  RankBatch::Beside beside_ = RankBatch::Beside::no;  ///< the last vertex
};

/// The batches of all ranks. Some of each rank are made ahead, by a crew where there is one; what
/// it has not come to is made where it is asked for. So batches, and errors, do not depend on it.
class ReadAhead {
 public:
  /// A batch has `events` at most, and all that are there at a time about `vertices`: of many ranks
  /// each has less, but no event is split.
  ReadAhead(const trace::native::Pieces& pieces, const graph::BuildOptions& build,
            std::uint32_t events, std::uint64_t vertices, Crew& crew);
  ~ReadAhead() { crew_.stop(); }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// The rank's next batch, which is valid until the one after it is asked for.
  const RankBatch& next(std::uint32_t rank);
  /// Of a rank whose last batch has come.
  const graph::RankTallies& tallies(std::uint32_t rank) const {
    return ranks_[rank]->decoder.tallies();
  }

 private:
  static constexpr std::uint32_t kAhead = 4;  ///< batches, the one in use among them

  struct Rank {
    Rank(const trace::native::Pieces& pieces, std::uint32_t rank, const graph::BuildOptions& build,
         BatchSize size)
        : decoder(pieces, rank, build, size) {}

    RankDecoder decoder;  ///< of who has set `busy`
    std::array<RankBatch, kAhead> batches;
    std::mutex mutex;  ///< of what follows
    std::condition_variable made;
    std::uint32_t first = 0;  ///< the batch in use, or the next one
    std::uint32_t there = 0;  ///< batches from it on
    bool in_use = false;
    bool busy = false;
    bool asked = false;  ///< the crew is to make some
    bool ended = false;  ///< the last has been made
  };

  bool enough(const Rank& rank) const;
  void make(Rank& rank, std::unique_lock<std::mutex>& lock);
  void make_ahead(Rank& rank);

  BatchSize size_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  Crew& crew_;
};

}  // namespace latitude::solve
