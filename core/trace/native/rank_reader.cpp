#include "core/trace/native/rank_reader.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "core/error.hpp"
#include "core/trace/native/event_reader.hpp"
#include "core/trace/native/requests.hpp"
#include "core/trace/native/tables.hpp"
#include "core/trace/native/threads.hpp"

namespace latitude::trace::native {
namespace {

constexpr std::uint64_t kLongestPoll = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kReserveMost = std::size_t{1} << 24;
constexpr std::uint16_t kUs = 1000;  ///< ns

void check_header(const Source& source, const Header& header, const Reading& reading) {
  if (header.size != reading.ranks) {
    source.fail(16, "is of a run of " + std::to_string(header.size) + " ranks, and there are " +
                        std::to_string(reading.ranks) +
                        " files; give the files of all ranks of one run");
  }
  if (header.rank != reading.rank) {
    source.fail(12, "is rank " + std::to_string(header.rank) + ", its name says rank " +
                        std::to_string(reading.rank) + "; give the file its own name back");
  }
  if (reading.clock == Clock::cpu && (header.flags & kCarriesCpu) == 0) {
    source.fail(20,
                "carries no CPU time; leave out --clock cpu, or trace the program again with "
                "--clock cpu");
  }
}

void reserve(const Layout& layout, RankTrace& trace) {
  std::uint64_t records = 0;
  for (const Chunk& chunk : layout.chunks) {
    // An event takes at least 4 bytes: a damaged header may claim more events than exist.
    if (chunk.kind == ChunkKind::events) records += std::min(chunk.records, chunk.bytes / 4);
  }
  const auto events = static_cast<std::size_t>(std::min<std::uint64_t>(records, kReserveMost));
  trace.events.reserve(events);
  trace.sites.reserve(events);
}

}  // namespace

bool several_threads(const Layout& layout) {
  std::set<std::uint16_t> threads;
  for (const Chunk& chunk : layout.chunks) {
    if (chunk.kind == ChunkKind::events) threads.insert(chunk.thread);
  }
  return threads.size() > 1;
}

ChunkReader::ChunkReader(Source& source, const Layout& layout, const Reading& reading, RankLog& log)
    : source_(source),
      layout_(layout),
      tables_(source, *layout.header, log),
      events_(source, *layout.header, tables_, log, several_threads(layout)),
      reading_(reading),
      log_(log) {
  read_ahead();
}

std::optional<Cursor> ChunkReader::open(const Chunk& chunk) {
  const std::optional<Bytes> payload = payload_of(source_, chunk);
  if (payload) return Cursor(source_, *payload, chunk.offset + kChunkHeaderSize);
  if (&chunk == &layout_.chunks.back() && reading_.incomplete == Incomplete::cut) {
    log_.broken_at = chunk.offset;  // the file system had not received all of it
    return std::nullopt;
  }
  source_.fail(chunk.offset,
               "the chunk's checksum is wrong; the file is damaged, copy it "
               "or trace the program again");
}

void ChunkReader::read(Cursor& in, const Chunk& chunk) {
  switch (chunk.kind) {
    case ChunkKind::meta:
      read_meta(in, chunk);
      break;
    case ChunkKind::calls:
      tables_.read_calls(in, chunk.records);
      break;
    case ChunkKind::modules:
      tables_.read_modules(in, chunk.records);
      break;
    case ChunkKind::sites:
      tables_.read_sites(in, chunk.records);
      break;
    case ChunkKind::communicators:
      tables_.read_communicators(in, chunk.records);
      break;
    case ChunkKind::events:
      events_.read(in, chunk);
      break;
    case ChunkKind::end:
      read_end(in);
      break;
    case ChunkKind::clocks:
      read_clocks(in, chunk);
      break;
    case ChunkKind::polls:
      read_polls(in);
      break;
    case ChunkKind::usage:
      read_usage(in, chunk);
      break;
  }
  in.check_done();
}

void ChunkReader::read_meta(Cursor& in, const Chunk& chunk) {
  for (std::uint32_t i = 0; i < chunk.records; ++i) {
    const std::uint64_t offset = in.offset();
    const std::optional<Meta> meta = parse_meta(in.string());
    if (!meta) {
      source_.fail(offset,
                   "the meta chunk is not a valid JSON object; the file is damaged, "
                   "copy it or trace the program again");
    }
    log_.meta = *meta;
    log_.trace.call_cost_ns = meta->null_call_ns;
  }
}

void ChunkReader::read_end(Cursor& in) {
  const std::uint64_t how = in.varint();
  if (how > 2) in.fail("the program ended in unknown way " + std::to_string(how));
  log_.ending = static_cast<Ending>(how);
  const std::uint64_t names = in.varint();
  for (std::uint64_t i = 0; i < names; ++i) {
    const std::string_view name = in.string();
    const std::uint64_t count = in.varint();
    if (count > std::uint64_t{1} << 56) in.fail("a call has an absurdly high count");
    if (count > 0) log_.trace.call_counts.emplace_back(name, count);
  }
}

void ChunkReader::read_clocks(Cursor& in, const Chunk& chunk) {
  for (std::uint32_t i = 0; i < chunk.records; ++i) {
    const std::uint64_t own = in.varint();
    const std::int64_t offset = in.zigzag();
    const std::uint64_t error = in.varint();
    constexpr auto kMostOffset = static_cast<std::int64_t>(kMostTime);
    if (std::max(own, error) > kMostTime || offset < -kMostOffset || offset > kMostOffset) {
      in.fail("clocks are more than 36 years apart");
    }
    const auto own_ns = static_cast<std::int64_t>(own);
    if (!log_.clocks.empty() && own_ns <= log_.clocks.back().own_ns) {
      in.fail("clocks are compared before they were the last time");
    }
    log_.clocks.push_back({own_ns, offset, static_cast<std::int64_t>(error)});
  }
}

void ChunkReader::read_polls(Cursor& in) {
  const std::uint64_t ns = in.varint();
  if (ns > kLongestPoll) in.fail("a poll that fails takes more than 2 s");
  log_.poll_ns = static_cast<std::int32_t>(ns);
}

/// Reads the cost of a poll, which events need but which follows them in the file.
void ChunkReader::read_ahead() {
  for (const Chunk& chunk : layout_.chunks) {
    if (chunk.kind != ChunkKind::polls) continue;
    if (std::optional<Cursor> in = open(chunk)) read_polls(*in);
  }
}

void ChunkReader::read_usage(Cursor& in, const Chunk& chunk) {
  for (std::uint32_t i = 0; i < chunk.records; ++i) {
    Usage now;
    const Usage before = log_.usage.empty() ? Usage{} : log_.usage.back();
    for (std::int64_t Usage::* const each :
         {&Usage::now_ns, &Usage::cpu_ns, &Usage::user_us, &Usage::system_us, &Usage::voluntary,
          &Usage::involuntary, &Usage::waited}) {
      const std::uint64_t value = in.varint();
      const bool in_us = each == &Usage::user_us || each == &Usage::system_us;
      if (value > (in_us ? kMostTime / kUs : kMostTime))
        in.fail("a process used more than 36 years");
      now.*each = static_cast<std::int64_t>(value);
      const bool untold = each == &Usage::waited && value == 0;
      if (now.*each < before.*each && !untold) in.fail("a process has used less than before");
    }
    log_.usage.push_back(now);
  }
}

namespace {

/// The resources used between the two moments; none if one of the moments is missing.
std::optional<CoreTimes> core_times(const std::vector<Usage>& usage) {
  if (usage.size() != 2) return std::nullopt;
  const auto used = [&](std::int64_t Usage::* each) { return usage[1].*each - usage[0].*each; };
  CoreTimes found{
      .wall_ns = used(&Usage::now_ns),
      .cpu_ns = used(&Usage::cpu_ns),
      .process_ns = std::int64_t{kUs} * (used(&Usage::user_us) + used(&Usage::system_us)),
      .voluntary = used(&Usage::voluntary),
      .involuntary = used(&Usage::involuntary),
      .waited_ns = {}};
  if (usage[0].waited > 0 && usage[1].waited > 0) found.waited_ns = used(&Usage::waited);
  return found;
}

}  // namespace

void ChunkReader::finish() {
  check_clocks();
  log_.trace.cores = core_times(log_.usage);
  if (log_.trace.call_counts.empty()) count_events();
  log_.trace.event_count = 0;
  for (const auto& [name, count] : log_.trace.call_counts) log_.trace.event_count += count;
}

/// Checks that a run compares its clocks at both ends exactly if it has several hosts.
void ChunkReader::check_clocks() const {
  const bool several = (layout_.header->flags & kSeveralClocks) != 0;
  const bool wrong =
      several ? log_.ending == Ending::finalized && log_.clocks.size() != 2 : !log_.clocks.empty();
  if (!wrong) return;
  source_.fail(20, "its flags and its " + std::to_string(log_.clocks.size()) +
                       " comparisons of clocks do not fit; the file is damaged, copy it or trace "
                       "the program again");
}

/// Counts events if the file has no end chunk; calls that are not events are then not counted.
void ChunkReader::count_events() {
  for (const CallEntry& call : tables_.calls()) {
    if (call.seen > 0) log_.trace.call_counts.emplace_back(call.name, call.seen);
  }
}

void EndsCheck::next(const RankTrace& trace, const Event& event) {
  const CallClass kind = class_of(event.call);
  if (!begun_ && kind != CallClass::init) {
    throw InputError(where(trace, event) +
                     " comes before MPI_Init; the file is damaged, trace the program again");
  }
  if (begun_ && kind == CallClass::init) {
    throw InputError(where(trace, event) + " comes twice; one file holds one run");
  }
  if (finalized_) {
    throw InputError(where(trace, event) +
                     " comes after MPI_Finalize; the file is damaged, trace the program again");
  }
  begun_ = true;
  finalized_ = kind == CallClass::finalize;
}

void EndsCheck::finish(const RankLog& log) const {
  if (log.ending == Ending::finalized && !finalized_) {
    throw InputError(log.trace.source +
                     ": ends properly, but without MPI_Finalize; the file is damaged, trace the "
                     "program again");
  }
}

Layout open_rank(Source& source, const Reading& reading, RankLog& log) {
  log.trace.source = source.name();
  log.broken_at = source.size();
  Layout layout = read_layout(source);
  if (layout.torn) log.broken_at = *layout.torn;
  if (!layout.header) return layout;
  check_header(source, *layout.header, reading);
  log.header = layout.header;
  log.as_recorded = reading.clock == Clock::recorded;
  log.without_waits = reading.clock == Clock::automatic;
  log.cpu_clock =
      (layout.header->flags & kCarriesCpu) != 0 && reading.clock != Clock::wall && !log.as_recorded;
  return layout;
}

RankLog read_rank(Source& source, const Reading& reading) {
  RankLog log;
  const Layout layout = open_rank(source, reading, log);
  if (!layout.header) return log;
  reserve(layout, log.trace);
  ChunkReader chunks(source, layout, reading, log);
  for (const Chunk& chunk : layout.chunks) {
    std::optional<Cursor> in = chunks.open(chunk);
    if (!in) break;
    chunks.read(*in, chunk);
  }
  chunks.finish();
  merge_threads(log);
  EndsCheck ends;
  for (const Event& event : log.trace.events) ends.next(log.trace, event);
  ends.finish(log);
  resolve_requests(log);
  return log;
}

}  // namespace latitude::trace::native
