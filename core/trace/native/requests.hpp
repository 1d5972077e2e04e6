#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/flat_map.hpp"
#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// Turns request numbers into event indices, and the records of completions into the peer and tag
/// of the completed receives. Throws InputError.
void resolve_requests(RankLog& log);

/// Resolves requests event by event.
class Resolver {
 public:
  explicit Resolver(RankLog& log) : log_(log), events_(log.trace.events) {}

  /// Resolves the event at this index, which comes next.
  void step(std::size_t event);

  /// A request that the event has completed.
  struct Completed {
    std::uint32_t event;  ///< the event that posted it: made it, or started it last
    bool gone;            ///< the request no longer exists
  };
  const std::vector<Completed>& completed() const noexcept { return completed_; }

  /// From now on events may be passed on before their postings are completed (`handed`, by index),
  /// and events name communicators by their indices in `communicators`.
  void hand_on(const std::vector<bool>& handed, const std::vector<Communicator>& communicators) {
    handed_ = &handed;
    communicators_ = &communicators;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// A request that exists.
  struct Request {
    std::uint32_t event;          ///< the event that made it
    std::uint32_t start = kNone;  ///< persistent: the call that started it last
    std::uint32_t slot = 0;       ///< persistent: its place in `start`
    bool persistent = false;
    bool active = true;
  };

  Event& event() { return events_[current_]; }
  [[noreturn]] void refuse(const std::string& text) const;
  void make();
  Request& find(std::int64_t number, const char* does);
  void start();
  void ready();
  void complete();
  void free();
  std::int32_t size_of(std::uint32_t comm) const;
  void report(const Request& request, std::size_t at);

  RankLog& log_;
  std::vector<Event>& events_;
  FlatMap<std::uint64_t, Request> live_;
  /// Number of partitioned messages so far, by communicator, peer, tag, and direction.
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t, bool>, std::uint32_t> partitioned_;
  std::vector<Completed> completed_;
  const std::vector<bool>* handed_ = nullptr;
  const std::vector<Communicator>* communicators_ = nullptr;
  std::size_t current_ = 0;
};

}  // namespace latitude::trace::native
