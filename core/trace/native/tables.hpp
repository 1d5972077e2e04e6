#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/native/cursor.hpp"
#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

inline constexpr const char* kPauseName = "latitude_pause";
inline constexpr const char* kAbsenceName = "latitude_absence";
inline constexpr const char* kPollsName = "latitude_polls";

/// A call as declared in a file.
struct CallEntry {
  std::string name;
  std::string shape;         ///< letters of docs/internals/trace-format.md
  Call call = Call::count_;  ///< count_: calls.def lacks it
  CallClass call_class = CallClass::unsupported;
  bool pause = false;      ///< the tracer's own work: its duration belongs to no activity
  bool absence = false;    ///< as `pause`, with the time before it for which the thread had no core
  bool polls = false;      ///< not a call, but the number of failed polls since the last call
  std::uint64_t seen = 0;  ///< number of its events
};

/// The objects to which the events of one file refer by number.
class Tables {
 public:
  Tables(const Source& source, const Header& header, RankLog& log);

  void read_calls(Cursor& in, std::uint32_t records);
  void read_modules(Cursor& in, std::uint32_t records);
  void read_sites(Cursor& in, std::uint32_t records);
  void read_communicators(Cursor& in, std::uint32_t records);

  std::vector<CallEntry>& calls() noexcept { return calls_; }
  /// Number of described sites.
  std::uint64_t sites() const noexcept { return log_.sites.size(); }
  /// Index into RankLog::comms, or kNoComm if the number has not been described.
  std::uint32_t comm(std::uint64_t number) const;
  static constexpr std::uint32_t kNoComm = ~0U;

 private:
  /// A module at its address in the process.
  struct Mapped {
    std::uint64_t end;
    std::uint64_t bias;
    std::uint32_t module;
  };

  LocalComm communicator(Cursor& in) const;
  Group group(Cursor& in, CommKind kind, std::int32_t& own) const;

  const Source& source_;
  const Header& header_;
  RankLog& log_;
  std::vector<CallEntry> calls_;
  std::vector<std::uint8_t> callers_;  ///< for each site: the number of sites above it
  std::map<std::pair<std::string, std::string>, std::uint32_t> modules_;
  std::map<std::uint64_t, Mapped> mapped_;  ///< by first address
  std::unordered_map<std::uint64_t, std::uint32_t> comm_of_number_;
};

}  // namespace latitude::trace::native
