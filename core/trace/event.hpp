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

/// The treatment of a call in the execution graph.
///   local        computation; counted, never stored as an event
///   init         the rank's time starts when it returns
///   finalize     the rank's last event
///   send isend recv irecv sendrecv isendrecv persistent start request_free probe completion
///   partitioned ready   one message each, sent when the last partition is marked ready
///   collective icollective collective_init   expanded into point-to-point at analysis time
///   comm_create  synchronises its parent communicator
///   comm_free    computation, but ends a communicator handle's life
///   unsupported  rejected with its name, or skipped on request with a warning
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

/// "MPI_Send" and similar.
std::string_view name_of(Call call) noexcept;
CallClass class_of(Call call) noexcept;
/// The call named `name` ("MPI_Send"), or Call::count_ if unknown.
Call call_named(std::string_view name) noexcept;

/// The fields of its events in Latitude's own format, one letter each
/// (docs/internals/trace-format.md).
std::string_view shape_of(Call call) noexcept;

/// The blocking form of a collective (Iallreduce, Allreduce_init → Allreduce); others unchanged.
Call blocking_form(Call call) noexcept;

/// Whether one rank of the collective, in any form, is its root.
bool has_root(Call call) noexcept;

inline constexpr std::int32_t kAnySource = -1;
inline constexpr std::int32_t kProcNull = -2;
inline constexpr std::int32_t kAnyTag = -1;
inline constexpr std::uint32_t kNoArgs = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kWorld = 0;

enum EventFlag : std::uint16_t {
  kUserOp = 1,   ///< reduction with a user-defined (possibly non-commutative) operation
  kInPlace = 2,  ///< MPI_IN_PLACE was given (`bytes` already takes it into account)
  /// The effect of the call is not known well enough: treated as class `unsupported`. If it makes a
  /// request, the completion of that request has no effect.
  kUnsupported = 4,
  kResolved = 8,  ///< start: the source of each request's message is known
  /// The call also starts, completes or frees a request that no recorded call made.
  kUnrecorded = 16,
  kOpen = 32,  ///< completion: the completed requests are not known
};

/// One MPI call of one rank, independent of the format it was read from. 48 bytes.
///
/// Members whose meaning depends on the class of the call (`bytes`, `peer`, `tag`, and `args` with
/// its values) are read and set through the views of core/trace/event_args.hpp:
///   send isend recv irecv persistent: a Message; its bytes are count × type size.
///   sendrecv isendrecv: two of them.
///   partitioned: a Message, and its number among those with the same peer and tag.
///   ready: the partitioned send whose last partition it marked ready; none otherwise.
///   start: the persistent operations; with kResolved also the values of their wildcards.
///   completion: the requests that this call completed, in completion order; none for a failed
///       test, whose time is computation. With kOpen those that it may have completed, with a mark
///       on those that had been completed by then.
///   request_free: the requests.
///   probe: nothing (its duration is waiting, not computation).
///   Barrier: nothing.
///   Bcast Reduce Allreduce Scan Exscan: bytes = whole vector; element = its type's size; root
///       if the call has one.
///   Gather Scatter Allgather Alltoall Reduce_scatter_block, Neighbor_allgather/alltoall:
///       bytes = one rank's block; root if the call has one.
///   Gatherv: bytes = own contribution; at the root, bytes from each rank.
///   Scatterv: bytes = own share; at the root, bytes to each rank.
///   Allgatherv, Reduce_scatter: bytes = own block; bytes of each rank's block ("from each").
///   Alltoallv Alltoallw: bytes = sum sent; bytes to each rank and from each.
///   Neighbor_*: destinations and sources (ranks in `comm`), for v/w variants bytes to and from
///       each.
///   Reductions (Reduce_scatter too): element = size of one in bytes.
///   Collectives of other forms: as the blocking one; the event is its own request id.
///   comm_create: comm = the parent (the world without one); the new communicator, if recorded.
///   unsupported: nothing.
struct Event {
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
  std::uint64_t bytes = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t comm = kWorld;   ///< index into Trace::communicators
  std::uint32_t args = kNoArgs;  ///< offset into RankTrace::args
  std::uint32_t position = 0;    ///< line of a text file, or record of a binary one (from 1)
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
  std::string build_id;  ///< hexadecimal; empty if the file has none
};

inline constexpr std::uint32_t kNoSite = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kNoModule = std::numeric_limits<std::uint32_t>::max();

/// The instruction after a call, which becomes a source line later; with the call of the enclosing
/// function, if recorded: a call path is a site and its callers.
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

/// The wall-clock time of a rank's first thread by activity, from its return from MPI_Init to its
/// entry into MPI_Finalize (or, without one, to the end of its last call).
struct WallTimes {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t computing_ns = 0;  ///< between calls, by the clock that measures computation
  std::int64_t calls_ns = 0;      ///< in MPI
  std::int64_t tracer_ns = 0;     ///< the tracer at work
  /// Time between calls in which the thread had no core.
  std::int64_t without_core_ns() const {
    return end_ns - begin_ns - computing_ns - calls_ns - tracer_ns;
  }
};

/// Resources of the machine that a rank used from MPI_Init to MPI_Finalize.
struct CoreTimes {
  std::int64_t wall_ns = 0;
  std::int64_t cpu_ns = 0;       ///< CPU time of its first thread
  std::int64_t process_ns = 0;   ///< CPU time of all threads
  std::int64_t voluntary = 0;    ///< number of times that the thread gave up its core: it slept
  std::int64_t involuntary = 0;  ///< number of times that the thread lost its core
  /// Time for which the thread was ready to run and had no core; none: the kernel does not record
  /// it.
  std::optional<std::int64_t> waited_ns;

  /// Time for which the thread was kept from a core, from any available record: a thread that
  /// rarely gives up its core does not sleep.
  std::optional<std::int64_t> kept_ns() const {
    if (waited_ns) return waited_ns;
    if (voluntary >= involuntary) return std::nullopt;
    return std::max<std::int64_t>(0, wall_ns - cpu_ns);
  }
};

/// The line that converts a rank's clock to the clock common to all ranks.
struct CommonClock {
  std::int64_t own_ns = 0;     ///< a time of the rank's clock
  std::int64_t offset_ns = 0;  ///< amount to add to the rank's clock at own_ns
  double drift = 0;            ///< increase of that amount per ns after own_ns
  std::int64_t error_ns = 0;   ///< largest error of the result

  std::int64_t at(std::int64_t ns) const {
    return ns + offset_ns + std::llround(drift * static_cast<double>(ns - own_ns));
  }
};

struct RankTrace {
  std::string source;         ///< file (or archive member) of origin, for messages
  std::vector<Event> events;  ///< every call that is not local, in program order
  std::vector<std::int64_t> args;
  /// For each event, if the format records it, else empty: index into Trace::sites or kNoSite.
  std::vector<std::uint32_t> sites;
  /// For each event, if the rank has several threads, else empty. Over all threads, events are in
  /// the order of their entries, and completions in the order of their exits; times ascend within
  /// each thread.
  std::vector<std::uint16_t> threads;
  /// Number of calls of each name (all calls, local ones too), e.g. {"MPI_Wtime", 12}.
  std::vector<std::pair<std::string, std::uint64_t>> call_counts;
  std::uint64_t event_count = 0;  ///< calls of every class
  /// Time left out before MPI_Finalize, because it contains the tracer's own work (ns).
  std::int64_t final_gap_left_out_ns = 0;
  /// Computation of the rank, if the format records it separately from the time between calls.
  std::optional<std::int64_t> useful_ns;
  /// The rank's wall times in a whole run, if the format records them.
  std::optional<WallTimes> wall;
  std::optional<CoreTimes> cores;
  std::int64_t call_cost_ns = 0;  ///< the tracer's part in each event's time
  CommonClock common;             ///< the rank's own clock, if there is no common one
};

/// A whole run of a program, with every peer and communicator resolved.
struct Trace {
  std::string format;
  std::vector<RankTrace> ranks;
  std::vector<Communicator> communicators;  ///< [0] is the world
  std::vector<Module> modules;
  std::vector<CallSite> sites;
  /// For each site, its places in the source: innermost first, each inlined into the next. Empty if
  /// the format records addresses that have not been looked up yet.
  std::vector<std::vector<Frame>> frames;
  std::vector<Warning> warnings;
  /// Duration of the run, if it exceeds the time from MPI_Init to MPI_Finalize; 0: it does not.
  std::int64_t whole_ns = 0;
  /// Whether RankTrace::wall of all ranks are by one clock.
  bool one_wall_clock = false;
  /// The reason for which times of different ranks cannot be compared; empty if one clock gave all
  /// of them.
  std::string no_common_clock = "its format does not say whether the ranks' clocks agree";
};

/// "file:line" of an event, for error messages.
std::string where(const RankTrace& rank, const Event& event);

}  // namespace latitude::trace
