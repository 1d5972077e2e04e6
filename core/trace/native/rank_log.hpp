#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/native/layout.hpp"
#include "core/trace/native/meta.hpp"

namespace latitude::trace::native {

enum class CommKind : std::uint8_t { intra, inter, unknown };

/// World ranks in communicator rank order; strided members are not listed one by one.
struct Group {
  std::uint32_t size = 0;
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::vector<std::int32_t> listed;  ///< if not strided

  bool strided() const noexcept { return listed.empty(); }
  std::int32_t operator[](std::size_t i) const noexcept {
    return strided() ? static_cast<std::int32_t>(first + static_cast<std::int64_t>(i) * step)
                     : listed[i];
  }
};
/// Whether two groups have the same members in the same order.
bool operator==(const Group& a, const Group& b) noexcept;
/// The rank in the group of a world rank; −1: none.
std::int32_t place_in(const Group& group, std::int32_t rank) noexcept;

/// A communicator as one file describes it.
struct LocalComm {
  std::uint64_t number = 0;  ///< the communicator's name in the file's events
  std::uint64_t leader = 0;  ///< (leader, count) is its name across files
  std::uint64_t count = 0;
  std::uint64_t offset = 0;  ///< place of the description
  CommKind kind = CommKind::intra;
  Group group;
  std::int32_t rank = -1;  ///< this process's rank in it; −1: none
};

/// The received message, as in the record of the call that completed its request.
struct Received {
  enum class How : std::uint8_t { as_asked, reported, cancelled };
  std::uint32_t at = 0;  ///< index in RankTrace::args of the request's number
  How how = How::as_asked;
  std::int32_t source = 0;
  std::int32_t tag = 0;
};

/// The events of one thread from `begin` on, in file order, up to the next run.
struct ThreadRun {
  std::size_t begin;
  std::uint16_t thread;
};

/// Resources of the machine that the process and its first thread had used by one moment.
struct Usage {
  std::int64_t now_ns = 0;
  std::int64_t cpu_ns = 0;  ///< CPU time of the thread
  std::int64_t user_us = 0;
  std::int64_t system_us = 0;
  std::int64_t voluntary = 0;    ///< number of times that the thread gave up its core
  std::int64_t involuntary = 0;  ///< number of times that the thread lost its core
  std::int64_t waited = 0;  ///< ns for which the thread was ready to run without a core, + 1; 0:
                            ///< not known
};

/// The distance between the clocks of a rank's host and of rank 0's host, from an exchange of
/// messages.
struct ClockPoint {
  std::int64_t own_ns = 0;
  std::int64_t offset_ns = 0;  ///< rank 0's clock minus the rank's own clock
  std::int64_t error_ns = 0;   ///< largest error of the offset
};

enum class Ending : std::uint8_t { finalized, exited, aborted, cut_off };

/// The contents of one file, before the files are put together. In `trace`:
///   events  comm: index into `comms`; of calls that make a request, args: index into `requests`
///   args    completion, start, request_free: {n, request number…}
///   sites   index into `sites`, whose callers are indices into it too, or kNoSite
struct RankLog {
  RankTrace trace;
  std::optional<Header> header;
  Meta meta;
  std::vector<LocalComm> comms;  ///< [0] is the world
  std::vector<Module> modules;
  std::vector<CallSite> sites;
  /// For each event that makes a request, the request's number, and the place of the event's future
  /// `args` (an index into `trace.args`, or kNoArgs).
  std::vector<std::uint64_t> requests;
  std::vector<Received> received;  ///< in the order of `at`
  std::vector<ThreadRun> runs;
  /// For each event, if the file has several threads: the time of its entry, or, for a completion,
  /// of its exit (while it waited, another thread may have posted the operation that it completed).
  std::vector<std::uint64_t> order;
  std::vector<ClockPoint> clocks;  ///< at the start and at the end; for runs on several hosts
  std::vector<Usage> usage;        ///< at the return of MPI_Init, and at the call of MPI_Finalize
  std::int32_t poll_ns = 0;        ///< cost of a failed poll; 0: not known
  std::uint64_t wildcards = 0;     ///< receives whose wildcard the trace resolved
  Ending ending = Ending::cut_off;
  bool cpu_clock = false;        ///< gaps are thread CPU time
  bool as_recorded = false;      ///< Clock::recorded
  bool without_waits = false;    ///< waiting for a core, if known, is not computation
  std::int64_t left_out_ns = 0;  ///< total of such waits by the wall clock
  std::uint64_t broken_at = 0;   ///< cut_off: byte where the usable part ends
};

}  // namespace latitude::trace::native
