#include "core/trace/native/pieces.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/native/crc32c.hpp"
#include "core/trace/native/warnings.hpp"

namespace latitude::trace::native {
namespace {

/// A file that is open only while it is read.
class BrieflyOpen : public Source {
 public:
  explicit BrieflyOpen(const std::string& path) : Source(path), size_(FileSource(path).size()) {}
  std::uint64_t size() const override { return size_; }
  Bytes read(std::uint64_t offset, std::size_t count) override {
    FileSource file(name());
    if (file.size() != size_) {
      fail(file.size(), "the file is no longer as long as it was; leave it alone while it is read");
    }
    const Bytes bytes = file.read(offset, count);
    piece_.assign(bytes.begin(), bytes.end());
    return piece_;
  }

 private:
  std::uint64_t size_;
  std::vector<std::uint8_t> piece_;
};

bool wildcard(const Message& message) {
  return message.peer != kProcNull && (message.peer == kAnySource || message.tag == kAnyTag);
}

std::uint32_t checksum_of(const Layout& layout) {
  std::uint32_t crc = 0;
  const auto add = [&](std::uint32_t value) {
    crc = crc32c({reinterpret_cast<const std::uint8_t*>(&value), sizeof value}, crc);
  };
  if (layout.header) add(layout.header->flags);
  for (const Chunk& chunk : layout.chunks) {
    add(chunk.head_crc);
    add(chunk.crc);
  }
  return crc;
}

}  // namespace

Pieces::Pieces(std::vector<std::string> paths, Clock clock) : paths_(std::move(paths)) {
  open(clock);
}

Pieces::Pieces(std::vector<std::string> names, std::vector<std::string> files)
    : paths_(std::move(names)), files_(std::move(files)) {
  open(Clock::automatic);
}

std::unique_ptr<Source> Pieces::source(std::size_t rank) const {
  if (files_.empty()) return std::make_unique<BrieflyOpen>(paths_[rank]);
  const std::string& file = files_[rank];
  return std::make_unique<MemorySource>(
      paths_[rank], Bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()));
}

Reading Pieces::reading(std::size_t rank) const {
  return {rank, paths_.size(), clock_, Incomplete::refuse};
}

void Pieces::open(Clock clock) {
  if (paths_.empty()) throw InputError("no trace files; give the rank-*.lat files of one run");
  clock_ = clock;
  logs_.resize(paths_.size());
  for (std::size_t rank = 0; rank < paths_.size(); ++rank) {
    RankLog& log = logs_[rank];
    const std::unique_ptr<Source> from =
        files_.empty() ? std::make_unique<FileSource>(paths_[rank]) : source(rank);
    const Reading own = reading(rank);
    const Layout layout = open_rank(*from, own, log);
    bytes_ += from->size();
    checksums_.emplace_back(from->size(), checksum_of(layout));
    if (!layout.header) continue;
    if (several_threads(layout)) {
      throw NotInPiecesError(paths_[rank] +
                             ": several threads call MPI, whose events have to be put in order");
    }
    ChunkReader chunks(*from, layout, own, log);
    for (const Chunk& chunk : layout.chunks) {
      if (chunk.kind == ChunkKind::events) {
        records_ += chunk.records;
        continue;
      }
      std::optional<Cursor> in = chunks.open(chunk);
      chunks.read(*in, chunk);
    }
    if (!layout.torn) chunks.finish();
  }
  check_one_run(logs_);
  refuse_incomplete(logs_, false);
  trace_.format = "latitude trace";
  comms_ = number_communicators(logs_, trace_);
  for (RankLog& log : logs_) log.comms = {};
  sites_ = number_sites(logs_, trace_);
  add_warnings(logs_, trace_);
  for (const RankLog& log : logs_) {
    RankTrace rank;
    rank.source = log.trace.source;
    rank.call_counts = log.trace.call_counts;
    rank.event_count = log.trace.event_count;
    trace_.ranks.push_back(std::move(rank));
  }
}

RankPieces::RankPieces(const Pieces& pieces, std::size_t rank)
    : pieces_(pieces),
      rank_(rank),
      source_(pieces.source(rank)),
      reading_(pieces.reading(rank)),
      layout_(open_rank(*source_, reading_, log_)),
      chunks_(*source_, layout_, reading_, log_),
      resolver_(log_) {
  resolver_.hand_on(handed_, pieces.trace().communicators);
}

std::optional<std::uint32_t> RankPieces::next() {
  while (ahead_.empty() || (places_[ahead_.front()].unresolved > 0 && !ended_)) {
    if (!read_more()) break;
    if (ahead_.size() > kMostAhead) {
      throw NotInPiecesError(where(log_.trace, log_.trace.events[ahead_.front()]) +
                             " takes a message from any source, and " + std::to_string(kMostAhead) +
                             " calls later it is not yet recorded which");
    }
  }
  if (ahead_.empty()) return std::nullopt;
  const std::uint32_t event = ahead_.front();
  ahead_.pop_front();
  handed_[event] = true;
  return event;
}

/// Reads up to the next event; false if no event is left.
bool RankPieces::read_more() {
  while (!ended_) {
    if (records_left_ > 0) {
      tidy();
      const std::size_t before = log_.trace.events.size();
      chunks_.events().next(*cursor_);
      if (--records_left_ == 0) cursor_->check_done();
      if (log_.trace.events.size() == before) continue;  // the record is a pause, or computation
      take_in();
      return true;
    }
    if (next_chunk_ == layout_.chunks.size()) {
      ended_ = true;
      ends_.finish(log_);
      break;
    }
    const Chunk& chunk = layout_.chunks[next_chunk_++];
    bytes_read_ += kChunkHeaderSize + chunk.bytes;
    cursor_.emplace(*chunks_.open(chunk));
    if (chunk.kind == ChunkKind::events) {
      log_.runs.clear();
      chunks_.events().begin(chunk);
      records_left_ = chunk.records;
      if (records_left_ == 0) cursor_->check_done();
    } else {
      chunks_.read(*cursor_, chunk);
    }
  }
  return false;
}

/// Processes the last event, which has just been read.
void RankPieces::take_in() {
  ends_.next(log_.trace, log_.trace.events.back());
  const std::uint32_t at = place_of_last();
  resolver_.step(at);
  Event& event = log_.trace.events[at];
  log_.requests.clear();
  log_.received.clear();
  renumber_communicators(pieces_.comms_[rank_], log_.trace, event);
  std::uint32_t& site = log_.trace.sites[at];
  if (site != kNoSite) site = pieces_.sites_[rank_][site];
  Place& place = places_[at];
  place = {};
  place.taken = true;
  place.unresolved = wild(event);
  switch (class_of(event.call)) {
    case CallClass::isend:
    case CallClass::irecv:
    case CallClass::isendrecv:
    case CallClass::icollective:
    case CallClass::persistent:  // kept for its starts
    case CallClass::partitioned:
    case CallClass::collective_init:
      place.requests = 1;
      break;
    case CallClass::start:
      place.requests = static_cast<std::uint32_t>(request_values(log_.trace, event).size());
      break;
    default:
      break;
  }
  if (class_of(event.call) == CallClass::completion) {
    for (const Resolver::Completed& request : resolver_.completed()) {
      completed_at_.push_back(request.event);
      std::uint32_t& unresolved = places_[request.event].unresolved;
      if (unresolved > 0) --unresolved;
    }
    completed_.push_back(static_cast<std::uint32_t>(resolver_.completed().size()));
  }
  ahead_.push_back(at);
}

/// Number of the event's messages that are known only at their completion.
std::uint32_t RankPieces::wild(const Event& event) const {
  const RankTrace& rank = log_.trace;
  switch (class_of(event.call)) {
    case CallClass::irecv:
      return wildcard(message_of(event)) ? 1 : 0;
    case CallClass::isendrecv:
      return (event.flags & kUnsupported) == 0 && wildcard(received_by(rank, event)) ? 1 : 0;
    case CallClass::start: {
      std::uint32_t count = 0;
      for (const std::uint32_t id : requests_of(rank, event)) {
        const Event& made = rank.events[id];
        // All messages of a start with a wildcard are awaited; it does not matter which of them has
        // the wildcard.
        if (class_of(made.call) == CallClass::persistent && receives(made.call) &&
            wildcard(message_of(made))) {
          ++count;
        }
      }
      return count == 0 ? 0 : static_cast<std::uint32_t>(request_values(rank, event).size());
    }
    default:
      return 0;
  }
}

/// Gives the last event a free place.
std::uint32_t RankPieces::place_of_last() {
  std::vector<Event>& events = log_.trace.events;
  std::vector<std::uint32_t>& sites = log_.trace.sites;
  if (free_.empty()) {
    places_.emplace_back();
    handed_.push_back(false);
    return static_cast<std::uint32_t>(events.size() - 1);
  }
  const std::uint32_t at = free_.back();
  free_.pop_back();
  events[at] = events.back();
  sites[at] = sites.back();
  events.pop_back();
  sites.pop_back();
  handed_[at] = false;
  return at;
}

void RankPieces::done_with(std::uint32_t event) {
  places_[event].done = true;
  const CallClass kind = class_of(log_.trace.events[event].call);
  if (kind == CallClass::completion) {
    for (std::uint32_t left = completed_.front(); left > 0; --left) {
      const std::uint32_t at = completed_at_.front();
      completed_at_.pop_front();
      --places_[at].requests;
      let_go(at);
    }
    completed_.pop_front();
  }
  let_go(event);
}

void RankPieces::let_go(std::uint32_t at) {
  Place& place = places_[at];
  if (!place.taken || !place.done || place.requests > 0) return;
  place.taken = false;
  free_.push_back(at);
}

/// Removes the values of events that have left from RankTrace::args.
void RankPieces::tidy() {
  RankTrace& rank = log_.trace;
  if (rank.args.size() < untidy_) return;
  std::vector<std::int64_t> kept;
  for (std::size_t at = 0; at < places_.size(); ++at) {
    Event& event = rank.events[at];
    if (!places_[at].taken || event.args == kNoArgs) continue;
    const auto begin = rank.args.begin() + event.args;
    const auto count = static_cast<std::ptrdiff_t>(values_held(rank, event));
    event.args = static_cast<std::uint32_t>(kept.size());
    kept.insert(kept.end(), begin, begin + count);
  }
  rank.args = std::move(kept);
  untidy_ = std::max(kUntidy, 2 * rank.args.size());
}

}  // namespace latitude::trace::native
