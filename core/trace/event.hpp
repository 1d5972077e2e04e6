#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/trace/members.hpp"

namespace latitude::trace {

/// What the execution graph does with a call.
///   local        computation; counted, never stored as an event
///   init         the rank's time starts when it returns
///   finalize     the rank's last event
///   send isend recv irecv sendrecv isendrecv persistent start request_free probe completion
///   partitioned ready   one message each, sent when the last partition is marked ready
///   collective icollective collective_init   expanded into point-to-point at analysis time
///   comm_create  synchronises its parent communicator
///   comm_free    computation, but ends a communicator handle's life
///   unsupported  refused by name, or skipped on request with a warning
enum class CallClass : std::uint8_t {
  local,
  init,
  finalize,
  send,
  isend,
  recv,
  irecv,
  sendrecv,
  isendrecv,
  persistent,
  partitioned,
  start,
  ready,
  request_free,
  probe,
  completion,
  collective,
  icollective,
  collective_init,
  comm_create,
  comm_free,
  unsupported,
};

enum class Call : std::uint16_t {
#define LATITUDE_CALL(name, call_class, shape) name,
#include "runtime/tracer/calls.def"
#undef LATITUDE_CALL
  count_
};

inline constexpr std::size_t kCallCount = static_cast<std::size_t>(Call::count_);

/// "MPI_Send" and so on.
std::string_view name_of(Call call) noexcept;
CallClass class_of(Call call) noexcept;
/// The call named `name` ("MPI_Send"), or Call::count_ when there is none.
Call call_named(std::string_view name) noexcept;

/// The fields of its events in our own format, one letter each (docs/internals/trace-format.md).
std::string_view shape_of(Call call) noexcept;

/// The blocking form of a collective (Iallreduce, Allreduce_init → Allreduce); others unchanged.
Call blocking_form(Call call) noexcept;

/// Whether one rank of the collective, of whatever form, is its root.
bool has_root(Call call) noexcept;

inline constexpr std::int32_t kAnySource = -1;
inline constexpr std::int32_t kProcNull = -2;
inline constexpr std::int32_t kAnyTag = -1;
inline constexpr std::uint32_t kNoArgs = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kWorld = 0;

enum EventFlag : std::uint16_t {
  kUserOp = 1,   ///< reduction with a user-defined (possibly non-commutative) operation
  kInPlace = 2,  ///< MPI_IN_PLACE was given (already accounted for in `bytes`)
  /// What the call did is not known well enough: as if its class were `unsupported`. If it makes a
  /// request, completing that means nothing.
  kUnsupported = 4,
  kResolved = 8,  ///< start: it is known whom each request received from
  /// It also starts, completes or frees a request that no recorded call made.
  kUnrecorded = 16,
  kOpen = 32,  ///< completion: it is not known which of its requests it completed
};

/// One MPI call of one rank, independent of the format it was read from. 48 bytes.
///
/// The members that classes of calls use for different things (`bytes`, `peer`, `tag`, and `args`
/// with the values it points to) are read and set through the views of core/trace/event_args.hpp:
///   send isend recv irecv persistent: a Message; its bytes are count × type size.
///   sendrecv isendrecv: two of them.
///   partitioned: a Message, and which of those with the same peer and tag it is.
///   ready: the partitioned send whose last partition it marked ready; none otherwise.
///   start: the persistent operations; with kResolved also what their wildcards became, this time.
///   completion: the requests that this call completed, in completion order; none for a failed
///       test, whose time is computation. With kOpen those that it may have completed, and which of
///       them had been completed by then.
///   request_free: the requests.
///   probe: nothing (its duration is waiting, not computation).
///   Barrier: nothing.
///   Bcast Reduce Allreduce Scan Exscan: bytes = whole vector; element = its type's size; root
///       where there is one.
///   Gather Scatter Allgather Alltoall Reduce_scatter_block, Neighbor_allgather/alltoall:
///       bytes = one rank's block; root where there is one.
///   Gatherv: bytes = own contribution; at the root, bytes from each rank.
///   Scatterv: bytes = own share; at the root, bytes to each rank.
///   Allgatherv, Reduce_scatter: bytes = own block; bytes of each rank's block ("from each").
///   Alltoallv Alltoallw: bytes = sum sent; bytes to each rank and from each.
///   Neighbor_*: destinations and sources (ranks in `comm`), for v/w variants bytes to and from
///       each.
///   Reductions (Reduce_scatter too): element = size of one in bytes.
///   Collectives of other forms: as the blocking one; the event is its own request id.
///   comm_create: comm = the parent (the world where there is none); where the format tells, the
///   communicator made. unsupported: nothing.
struct Event {
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
  std::uint64_t bytes = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t comm = kWorld;   ///< index into Trace::communicators
  std::uint32_t args = kNoArgs;  ///< offset into RankTrace::args
  std::uint32_t position = 0;    ///< line of a text file, record of a binary one (from 1)
  Call call = Call::count_;
  std::uint16_t flags = 0;
};
static_assert(sizeof(Event) == 48);

struct Communicator {
  Members group;
};

/// A file whose code the program ran: the executable or a shared library.
struct Module {
  std::string path;
  std::string build_id;  ///< hexadecimal; empty when the file has none
};

inline constexpr std::uint32_t kNoSite = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kNoModule = std::numeric_limits<std::uint32_t>::max();

/// The instruction after a call, to be turned into a source line later; with the call of the
/// function that holds it, where that is recorded: a call path is a site and its callers.
struct CallSite {
  std::uint32_t module;            ///< index into Trace::modules, or kNoModule: see Trace::frames
  std::uint32_t caller = kNoSite;  ///< index into Trace::sites, below this one's
  std::uint64_t offset = 0;  ///< address in the file's own numbering (its ELF virtual address)
};

/// A place in the source.
struct Frame {
  std::string function;    ///< empty: not known
  std::string file;        ///< empty: not known
  std::uint32_t line = 0;  ///< from 1; 0: not known
  auto operator<=>(const Frame&) const = default;
};

/// How the time of a rank's first thread went by the wall clock, from its return from MPI_Init to
/// its entry into MPI_Finalize (or, without, the end of its last call).
struct WallTimes {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t computing_ns = 0;  ///< between calls, by the clock that computation is measured by
  std::int64_t calls_ns = 0;      ///< in MPI
  std::int64_t tracer_ns = 0;     ///< the tracer at work
  /// Between calls while the thread had no core.
  std::int64_t without_core_ns() const {
    return end_ns - begin_ns - computing_ns - calls_ns - tracer_ns;
  }
};

/// What a rank had of the machine from MPI_Init to MPI_Finalize.
struct CoreTimes {
  std::int64_t wall_ns = 0;
  std::int64_t cpu_ns = 0;       ///< CPU time of its first thread
  std::int64_t process_ns = 0;   ///< … of all threads
  std::int64_t voluntary = 0;    ///< how often that gave up its core: it slept
  std::int64_t involuntary = 0;  ///< how often it lost its core
  /// How long it was ready to run and had no core; none: the kernel does not tell.
  std::optional<std::int64_t> waited_ns;

  /// How long it was kept from a core, as far as anything tells: who rarely gives up a core does
  /// not sleep.
  std::optional<std::int64_t> kept_ns() const {
    if (waited_ns) return waited_ns;
    if (voluntary >= involuntary) return std::nullopt;
    return std::max<std::int64_t>(0, wall_ns - cpu_ns);
  }
};

/// From a rank's clock to the one that is common to all ranks: a line.
struct CommonClock {
  std::int64_t own_ns = 0;     ///< a time of the rank's clock,
  std::int64_t offset_ns = 0;  ///< what to add to it,
  double drift = 0;            ///< and how much more for each ns since
  std::int64_t error_ns = 0;   ///< how far off that may be

  std::int64_t at(std::int64_t ns) const {
    return ns + offset_ns + std::llround(drift * static_cast<double>(ns - own_ns));
  }
};

struct RankTrace {
  std::string source;         ///< file (or archive member) it came from, for messages
  std::vector<Event> events;  ///< every call that is not local, in program order
  std::vector<std::int64_t> args;
  /// Of each event, where the format records it, else empty: index into Trace::sites or kNoSite.
  std::vector<std::uint32_t> sites;
  /// Of each event, when the rank has several threads, else empty. Over all threads, events are in
  /// the order in which they were entered, completions in that in which they were left; times
  /// ascend within each thread.
  std::vector<std::uint16_t> threads;
  /// How often each call name occurred (all calls, local ones too), e.g. {"MPI_Wtime", 12}.
  std::vector<std::pair<std::string, std::uint64_t>> call_counts;
  std::uint64_t event_count = 0;  ///< calls of every class
  /// Left out before MPI_Finalize because the tracer's own work sits there (ns).
  std::int64_t final_gap_left_out_ns = 0;
  /// How long the rank computed, where the format says so, as distinct from what lay between calls.
  std::optional<std::int64_t> useful_ns;
  /// Where the format says, of a whole run.
  std::optional<WallTimes> wall;
  std::optional<CoreTimes> cores;
  std::int64_t call_cost_ns = 0;  ///< of each event's time, what the tracer takes of it
  CommonClock common;             ///< its own clock, where there is no common one
};

/// A whole program run, every peer and communicator resolved.
struct Trace {
  std::string format;
  std::vector<RankTrace> ranks;
  std::vector<Communicator> communicators;  ///< [0] is the world
  std::vector<Module> modules;
  std::vector<CallSite> sites;
  /// Of each site, the places in the source that it is: innermost first, each was inlined into the
  /// next. Empty where the format records addresses, until somebody has looked them up.
  std::vector<std::vector<Frame>> frames;
  std::vector<Warning> warnings;
  /// How long the run took, where that is more than from MPI_Init to MPI_Finalize; 0: it is not.
  std::int64_t whole_ns = 0;
  /// Whether RankTrace::wall of all ranks are by one clock.
  bool one_wall_clock = false;
  /// Why times of different ranks cannot be compared; empty when one clock gave all of them.
  std::string no_common_clock = "its format does not say whether the ranks' clocks agree";
};

/// "file:line" of an event, for error messages.
std::string where(const RankTrace& rank, const Event& event);

}  // namespace latitude::trace
