#include "core/solve/stream/read_ahead.hpp"

#include <algorithm>
#include <optional>

namespace latitude::solve {

using trace::native::Pieces;

RankDecoder::RankDecoder(const Pieces& pieces, std::uint32_t rank, const graph::BuildOptions& build,
                         BatchSize size)
    : events_(pieces, rank),
      builder_(pieces.trace().communicators, events_.trace(), rank, build,
               graph::RankBuilder::Takes::pieces),
      size_(size) {}

void RankDecoder::next(RankBatch& batch) {
  try {
    batch.events.clear();
    const auto full = [&] {
      return batch.events.size() >= size_.events ||
             builder_.piece().graph.vertices.size() >= size_.vertices;
    };
    while (!batch.last && !full()) batch.last = !one_event(batch);
  } catch (...) {
    batch.error = std::current_exception();
  }
  try {
    finish(batch);
  } catch (...) {
    batch.events.clear();
    batch.error = std::current_exception();
  }
  batch.last = batch.last || batch.error != nullptr;
}

void RankDecoder::finish(RankBatch& batch) {
  const graph::RankBuilder::Piece& piece = builder_.piece();
  batch.calls.clear();
  auto completed = piece.graph.completed.begin();
  auto branch = piece.graph.branches.begin();
  for (std::size_t i = 0; i < piece.graph.vertices.size(); ++i) {
    const graph::Vertex& vertex = piece.graph.vertices[i];
    const bool receives = vertex.kind == graph::Kind::recv;
    const std::uint32_t origin = receives ? completed++->call : vertex.origin;
    if (branch != piece.graph.branches.end() && *branch == piece.first_vertex + i) {
      beside_ = RankBatch::Beside::first;
      ++branch;
    } else {
      const bool stays = vertex.chained && beside_ != RankBatch::Beside::no;
      beside_ = stays ? RankBatch::Beside::later : RankBatch::Beside::no;
    }
    RankBatch::Call& of = batch.calls.emplace_back();
    of.beside = beside_;
    if (origin == graph::kNoOrigin) continue;
    const graph::CallRecord& call = piece.call(origin);
    of = {call.position, call.call, call.site, beside_};
  }
  since_needed_ += piece.graph.vertices.size();
  batch.needed.clear();
  batch.tells_needed = since_needed_ > needed_;  // if not, the list would exceed the operations
                                                 // that become known
  if (batch.tells_needed) {
    builder_.collect_needed(batch.needed);
    std::ranges::sort(batch.needed);
    since_needed_ = 0;
    needed_ = batch.needed.size();
  }
  builder_.next_piece(batch.piece);
  batch.bytes_read = events_.bytes_read();
  batch.ran_ns = end_ns_ - begin_ns_;
  batch.wildcards = events_.wildcards();
}

/// Adds the next event to the batch; false if no event is left.
bool RankDecoder::one_event(RankBatch& batch) {
  const std::optional<std::uint32_t> id = events_.next();
  if (!id) return false;
  const trace::Event& event = events_.trace().events[*id];
  if (trace::class_of(event.call) == trace::CallClass::init) begin_ns_ = event.leave_ns;
  end_ns_ = event.leave_ns;
  builder_.handle(*id, event);
  const graph::RankGraph& graph = builder_.piece().graph;
  batch.events.push_back({static_cast<std::uint32_t>(graph.vertices.size()),
                          static_cast<std::uint32_t>(graph.posted.size()),
                          static_cast<std::uint32_t>(graph.answered.size()),
                          static_cast<std::uint32_t>(graph.collectives.size()), builder_.last()});
  events_.done_with(*id);
  return true;
}

ReadAhead::ReadAhead(const Pieces& pieces, const graph::BuildOptions& build, std::uint32_t events,
                     std::uint64_t vertices, Crew& crew)
    : size_{events, std::max<std::size_t>(1, vertices / (kAhead * pieces.ranks()))}, crew_(crew) {
  for (std::uint32_t rank = 0; rank < pieces.ranks(); ++rank) {
    ranks_.push_back(std::make_unique<Rank>(pieces, rank, build, size_));
  }
}

const RankBatch& ReadAhead::next(std::uint32_t number) {
  Rank& rank = *ranks_[number];
  std::unique_lock lock(rank.mutex);
  if (rank.in_use) {
    if (!crew_.empty()) rank.first = (rank.first + 1) % kAhead;  // else one batch suffices
    --rank.there;
  }
  rank.in_use = true;
  while (rank.there == 0) {
    if (rank.busy) {
      rank.made.wait(lock);
    } else {
      make(rank, lock);
    }
  }
  const bool ask =
      !rank.asked && !rank.ended && 2 * rank.there <= kAhead && !enough(rank) && !crew_.empty();
  rank.asked = rank.asked || ask;
  const RankBatch& batch = rank.batches[rank.first];
  lock.unlock();
  if (ask) crew_.give([this, &rank] { make_ahead(rank); });
  return batch;
}

/// No more batches are made in advance: a single event may become more vertices than a batch can
/// hold.
bool ReadAhead::enough(const Rank& rank) const {
  std::size_t vertices = 0;
  for (std::uint32_t i = 0; i < rank.there; ++i) {
    vertices += rank.batches[(rank.first + i) % kAhead].piece.graph.vertices.size();
  }
  return rank.there == kAhead || vertices >= kAhead * size_.vertices;
}

/// Makes one more batch.
void ReadAhead::make(Rank& rank, std::unique_lock<std::mutex>& lock) {
  rank.busy = true;
  RankBatch& batch = rank.batches[(rank.first + rank.there) % kAhead];
  lock.unlock();
  rank.decoder.next(batch);
  lock.lock();
  rank.busy = false;
  rank.ended = batch.last;
  ++rank.there;
}

void ReadAhead::make_ahead(Rank& rank) {
  std::unique_lock lock(rank.mutex);
  while (!enough(rank) && !rank.ended && !rank.busy) {
    make(rank, lock);
    rank.made.notify_one();
  }
  rank.asked = false;
}

}  // namespace latitude::solve
