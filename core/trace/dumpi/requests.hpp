#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/trace/dumpi/log.hpp"
#include "core/trace/dumpi/record.hpp"
#include "core/trace/event_args.hpp"

namespace latitude::trace::dumpi {

/// What a receive that asked for `asked` got, by its status; std::nullopt where that leaves it
/// open.
std::optional<Message> received(const Message& asked, const Status* status);

/// The requests of a rank while its file is read. DUMPI numbers their handles, and MPIs give one
/// handle to many operations that end where they are posted (small sends, MPI_PROC_NULL): of
/// these the oldest is completed first.
class Requests {
 public:
  explicit Requests(Log& log) : log_(log) {}

  /// The call that is next in the log's events posts `number`; false where that is active already
  /// and stands for a message that has not ended, so that a completion is missing.
  bool post(std::int32_t number, const Event& event);
  /// `number` is what a call outside the graph made: completing it is nothing.
  void post_nothing(std::int32_t number);
  /// The persistent operation that the event describes.
  void describe(std::int32_t number, std::uint32_t event);
  /// Start makes persistent operations active; false where one is not, or is active.
  bool start(const std::vector<std::int32_t>& numbers, std::uint32_t event, Event& start);
  void free(std::int32_t number, Event& event);
  void cancel(std::int32_t number);

  /// A completion of `number`, with its status where there is one, adds what it completes. Returns
  /// false where no recorded call has made it.
  bool complete(std::int32_t number, const Status* status, std::vector<std::uint32_t>& completed);

 private:
  static constexpr std::int32_t kNull = 1;
  static constexpr std::uint32_t kNoCall = kNothing - 1;  ///< of an operation outside the graph

  struct Request {
    std::vector<std::uint32_t> active;  ///< events that posted, oldest first
    std::size_t done = 0;               ///< so many of them are completed
    std::uint32_t described = kNothing;
    std::uint32_t start = 0;  ///< of a persistent one: who made it active, and which it was there
    std::uint32_t slot = 0;
    bool cancelled = false;
    bool is_active() const { return done < active.size(); }
  };

  void apply(Request& request, std::uint32_t made, const Status* status);

  Log& log_;
  std::unordered_map<std::int32_t, Request> requests_;
};

}  // namespace latitude::trace::dumpi
