#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/trace/dumpi/log.hpp"
#include "core/trace/dumpi/record.hpp"
#include "core/trace/event_args.hpp"

namespace latitude::trace::dumpi {

/// The message of a receive that asked for `asked`, by its status; std::nullopt if the status
/// leaves it open.
std::optional<Message> received(const Message& asked, const Status* status);

/// The requests of a rank while its file is read. DUMPI numbers their handles, and MPI libraries
/// give one handle to many operations that end at their posting (small sends, MPI_PROC_NULL): the
/// oldest of these is completed first.
class Requests {
 public:
  explicit Requests(Log& log) : log_(log) {}

  /// The next call in the log's events posts `number`. False if that number is already active for a
  /// message that has not ended, which means that a completion is missing.
  bool post(std::int32_t number, const Event& event);
  /// `number` comes from a call outside the graph: completing it has no effect.
  void post_nothing(std::int32_t number);
  /// Adds the persistent operation that the event describes.
  void describe(std::int32_t number, std::uint32_t event);
  /// Start makes persistent operations active; false if one does not exist, or is already active.
  bool start(const std::vector<std::int32_t>& numbers, std::uint32_t event, Event& start);
  void free(std::int32_t number, Event& event);
  void cancel(std::int32_t number);

  /// A completion of `number`, with its status if recorded, adds the completed operation. Returns
  /// false if no recorded call has made it.
  bool complete(std::int32_t number, const Status* status, std::vector<std::uint32_t>& completed);

 private:
  static constexpr std::int32_t kNull = 1;
  static constexpr std::uint32_t kNoCall =
      kNothing - 1;  ///< stands for an operation outside the graph

  struct Request {
    std::vector<std::uint32_t> active;  ///< events that posted, oldest first
    std::size_t done = 0;               ///< number of completed operations
    std::uint32_t described = kNothing;
    std::uint32_t start = 0;  ///< persistent: the call that made it active, and its number there
    std::uint32_t slot = 0;
    bool cancelled = false;
    bool is_active() const { return done < active.size(); }
  };

  void apply(Request& request, std::uint32_t made, const Status* status);

  Log& log_;
  std::unordered_map<std::int32_t, Request> requests_;
};

}  // namespace latitude::trace::dumpi
