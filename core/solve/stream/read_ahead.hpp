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

/// The vertices of some consecutive events of a rank.
struct RankBatch {
  /// Size of the batch after an event has been added.
  struct EventEnd {
    std::uint32_t vertices;
    std::uint32_t posted;
    std::uint32_t answered;
    std::uint32_t collectives;
    graph::VertexId last;  ///< RankBuilder::last
  };
  /// Whether a vertex is outside the main line of its rank, in a non-blocking collective.
  enum class Beside : std::uint8_t { no, first, later };
  /// The call of a vertex. For a receive that another call than the posting one completes, this is
  /// the completing call (the posting call is in RankGraph::Posted).
  struct Call {
    std::uint32_t position = 0;
    trace::Call call = trace::Call::count_;
    std::uint32_t site = trace::kNoSite;
    Beside beside = Beside::no;
  };

  graph::RankBuilder::Piece piece;
  std::vector<Call> calls;  ///< by vertex
  std::vector<EventEnd> events;
  /// Some batches list, by number, the vertices so far on which later vertices may depend.
  bool tells_needed = false;
  std::vector<graph::VertexId> needed;
  std::uint64_t bytes_read = 0;  ///< bytes of the rank's file, up to the end of the batch
  bool last = false;
  std::exception_ptr error;  ///< error of the next event; the batch is then the last one

  // Only in the last batch, for the whole rank:
  std::int64_t ran_ns = 0;      ///< from MPI_Init to its last call
  std::uint64_t wildcards = 0;  ///< RankPieces::wildcards
};

/// A batch ends with the event that reaches either limit.
struct BatchSize {
  std::uint32_t events;
  std::size_t vertices;
};

/// Turns one rank's events into operations, batch by batch.
class RankDecoder {
 public:
  RankDecoder(const trace::native::Pieces& pieces, std::uint32_t rank,
              const graph::BuildOptions& build, BatchSize size);
  /// Replaces `batch` by the next batch. Do not call it after the last.
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
  std::size_t since_needed_ = 0;  ///< vertices since a batch listed the needed vertices
  std::size_t needed_ = 0;        ///< number of needed vertices at that time
  RankBatch::Beside beside_ = RankBatch::Beside::no;  ///< of the last vertex
};

/// The batches of all ranks. A crew, if any, makes some batches of each rank in advance; a batch
/// that the crew has not reached is made on request. So batches, and errors, do not depend on the
/// crew.
class ReadAhead {
 public:
  /// A batch has at most `events`, and all existing batches together about `vertices`: with many
  /// ranks each batch has less, but no event is split.
  ReadAhead(const trace::native::Pieces& pieces, const graph::BuildOptions& build,
            std::uint32_t events, std::uint64_t vertices, Crew& crew);
  ~ReadAhead() { crew_.stop(); }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// The rank's next batch, which is valid until the following one is requested.
  const RankBatch& next(std::uint32_t rank);
  /// The tallies of a rank whose last batch has come.
  const graph::RankTallies& tallies(std::uint32_t rank) const {
    return ranks_[rank]->decoder.tallies();
  }

 private:
  static constexpr std::uint32_t kAhead = 4;  ///< batches, including the one in use

  struct Rank {
    Rank(const trace::native::Pieces& pieces, std::uint32_t rank, const graph::BuildOptions& build,
         BatchSize size)
        : decoder(pieces, rank, build, size) {}

    RankDecoder decoder;  ///< belongs to the thread that has set `busy`
    std::array<RankBatch, kAhead> batches;
    std::mutex mutex;  ///< guards the fields that follow
    std::condition_variable made;
    std::uint32_t first = 0;  ///< the batch in use, or the next one
    std::uint32_t there = 0;  ///< number of batches from that one on
    bool in_use = false;
    bool busy = false;
    bool asked = false;  ///< the crew will make some batches
    bool ended = false;  ///< the last batch has been made
  };

  bool enough(const Rank& rank) const;
  void make(Rank& rank, std::unique_lock<std::mutex>& lock);
  void make_ahead(Rank& rank);

  BatchSize size_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  Crew& crew_;
};

}  // namespace latitude::solve
