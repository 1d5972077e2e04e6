#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/program_clock.hpp"
#include "core/trace/program_events.hpp"

// The MPI part of an OTF2 archive, before it becomes events.

namespace latitude::trace::otf2 {

enum class Kind : std::uint8_t {
  send,
  isend,
  isend_complete,
  irecv_request,
  recv,
  irecv,  ///< end of a non-blocking receive
  cancelled,
  collective,
  collective_request,
  collective_complete,  ///< end of a non-blocking collective
  comm_create,          ///< creation of a communicator
};

inline constexpr std::uint32_t kNoRoot = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoExtra = 0xFFFFFFFF;

/// The values of a record's attributes (attributes.hpp).
struct Extra {
  std::optional<std::uint64_t> bytes;
  std::optional<std::vector<std::int64_t>> lists;
  std::uint64_t element = 1;
  bool own_operation = false;
  bool in_place = false;
  Call started = Call::count_;
};

/// An event of MPI within a call.
struct Record {
  Kind kind;
  std::uint32_t peer = 0;  ///< rank in the communicator; for a collective the root, or kNoRoot
  std::uint32_t tag = 0;
  std::uint32_t extra = kNoExtra;  ///< index into Log::extras
  std::uint64_t comm = 0;          ///< the archive's number
  std::uint64_t bytes = 0;         ///< for a collective: bytes sent
  std::uint64_t received = 0;      ///< for a collective: bytes received
  std::uint64_t request = 0;
};

struct LoggedCall {
  std::int64_t enter_ns;
  std::int64_t leave_ns;
  std::uint32_t region;        ///< index into Archive::regions
  std::uint32_t position;      ///< number of its enter among the location's events, from 1
  std::uint32_t first_record;  ///< index of the call's first record; its last one precedes the next
                               ///< call's first
  bool not_in_graphs = false;  ///< whether its attribute says so
  std::uint32_t site = kNoSite;  ///< index into Log::sites
};

/// A function that was open, or a place in the source, with its caller.
struct LoggedSite {
  std::uint32_t frame;   ///< index into Archive::frames
  std::uint32_t caller;  ///< index into Log::sites, below this one's, or kNoSite
};

/// The records of one location.
struct Log {
  std::string source;  ///< for messages
  std::vector<LoggedCall> calls;
  std::vector<Record> records;
  std::vector<Extra> extras;
  std::vector<LoggedSite> sites;
  /// Number of calls without a region in the archive.
  std::vector<std::pair<std::string, std::uint64_t>> other_calls;
  std::vector<Interval>
      out;  ///< intervals in which the tracer wrote its buffers, or measurement was off
  std::int64_t end_ns = 0;   ///< time of the last event
  std::vector<Log> threads;  ///< for a rank: the records of its process's other threads that call
                             ///< MPI
};

struct Archive {
  std::string source;
  std::vector<std::string> regions;          ///< names of MPI's regions
  std::vector<NumberedGroup> communicators;  ///< members are world ranks
  std::vector<std::uint64_t> of_one_each;    ///< communicators of which each rank has its own
  std::vector<std::uint64_t> inter_communicators;
  std::vector<Frame> frames;
  std::vector<Log> ranks;
};

/// Reads an archive by its anchor file into `archive`, which is empty. Calls `take(rank)` for each
/// rank, in order, once all data except the logs of later ranks are available; `take` may empty the
/// rank's log. InputError names file and location, or the package to install if the library is
/// missing.
void read_archive(const std::string& anchor, Archive& archive,
                  const std::function<void(std::size_t rank)>& take);

/// The reason for which archives cannot be read here, in one line with the package to install;
/// empty if they can.
std::string problem();

}  // namespace latitude::trace::otf2
