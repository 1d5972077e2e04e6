#include "core/trace/native/native.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/release.hpp"
#include "core/trace/common_prefix.hpp"
#include "core/trace/native/common_clock.hpp"
#include "core/trace/native/merge.hpp"
#include "core/trace/native/rank_reader.hpp"
#include "core/trace/native/warnings.hpp"
#include "core/trace/source.hpp"
#include "core/trace/warnings.hpp"

namespace latitude::trace {

using namespace native;

namespace native {

void check_one_run(const std::vector<RankLog>& logs) {
  const RankLog* first = nullptr;
  for (const RankLog& log : logs) {
    if (!log.header) continue;
    if (first == nullptr) first = &log;
    if (log.header->run != first->header->run) {
      throw InputError(log.trace.source + ": byte 24: is of another run than " +
                       first->trace.source + "; give the files of one run only");
    }
  }
}

static std::string how_it_ended(const RankLog& log) {
  switch (log.ending) {
    case Ending::exited:
      return "exited without MPI_Finalize";
    case Ending::aborted:
      return "called MPI_Abort";
    default:
      return "breaks off at byte " + std::to_string(log.broken_at);
  }
}

void refuse_incomplete(const std::vector<RankLog>& logs, bool may_be_cut) {
  constexpr std::size_t kShown = 4;
  std::string shown;
  std::size_t count = 0;
  const RankLog* first = nullptr;
  for (std::size_t r = 0; r < logs.size(); ++r) {
    if (logs[r].ending == Ending::finalized) continue;
    if (first == nullptr) first = &logs[r];
    if (++count <= kShown) shown += (count > 1 ? ", " : "") + std::to_string(r);
  }
  if (count == 0) return;
  if (count > kShown) shown += " and " + std::to_string(count - kShown) + " more";
  const bool called =
      std::ranges::any_of(logs, [](const RankLog& log) { return !log.trace.events.empty(); });
  const std::string remedy = called ? "--incomplete analyses what all ranks completed"
                                    : "no rank wrote a call to its file; trace the program again";
  throw InputError(first->trace.source + ": " + how_it_ended(*first) + ": the trace of rank" +
                   (count > 1 ? "s " : " ") + shown + " is incomplete, as when a job is killed" +
                   (may_be_cut ? "; " + remedy : ""));
}

}  // namespace native

struct NativeLoader::State {
  std::vector<std::string> names;
  Reading reading;
  std::vector<RankLog> logs;

  void read(std::size_t rank, Source& source) {
    Reading own = reading;
    own.rank = rank;
    logs[rank] = read_rank(source, own);
  }
};

NativeLoader::NativeLoader(std::vector<std::string> names, Clock clock, Incomplete incomplete)
    : state_(std::make_unique<State>()) {
  if (names.empty()) throw InputError("no trace files; give the rank-*.lat files of one run");
  state_->logs.resize(names.size());
  state_->reading = {0, names.size(), clock, incomplete};
  state_->names = std::move(names);
}

NativeLoader::~NativeLoader() = default;
NativeLoader::NativeLoader(NativeLoader&&) noexcept = default;
NativeLoader& NativeLoader::operator=(NativeLoader&&) noexcept = default;

void NativeLoader::read(std::size_t rank, std::span<const std::uint8_t> file) {
  MemorySource source(state_->names[rank], file);
  state_->read(rank, source);
}

Trace NativeLoader::finish(unsigned threads) {
  std::vector<RankLog>& logs = state_->logs;
  check_one_run(logs);
  const bool cut = state_->reading.incomplete == Incomplete::cut;
  if (!cut) refuse_incomplete(logs, true);
  Trace trace;
  trace.format = "latitude trace";
  merge_communicators(logs, trace, threads);
  merge_sites(logs, trace, threads);
  add_warnings(logs, trace);
  trace.no_common_clock = find_common_clock(logs);
  trace.one_wall_clock = one_wall_clock(logs);
  std::vector<bool> complete;
  for (RankLog& log : logs) {
    complete.push_back(log.ending == Ending::finalized);
    if (cut) {  // wall and cores describe more than the kept part
      log.trace.wall.reset();
      log.trace.cores.reset();
    }
    trace.ranks.push_back(std::move(log.trace));
  }
  release(logs);
  if (auto warning = thread_waits_unseen(trace.ranks)) trace.warnings.push_back(*warning);
  if (cut) keep_common_prefix(trace, complete, state_->names);
  return trace;
}

Trace read_native(const std::vector<std::string>& paths, unsigned threads, Clock clock,
                  Incomplete incomplete) {
  NativeLoader loader(paths, clock, incomplete);
  parallel_for(paths.size(), threads, [&](std::size_t rank) {
    FileSource source(paths[rank]);
    loader.state_->read(rank, source);
  });
  return loader.finish(threads);
}

}  // namespace latitude::trace
