#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/source.hpp"

namespace latitude::trace::dumpi {

/// The form of a call's record: one row of calls.def.
struct CallLayout {
  std::string_view name;    ///< "MPI_Send"
  std::string_view fields;  ///< letters, see calls.def
  Call call;                ///< Call::count_: local computation that runtime/tracer/calls.def lacks
  CallClass call_class;
};

/// The layouts by number, which is the place in calls.def.
std::span<const CallLayout> call_layouts() noexcept;

struct Status {
  std::int32_t bytes;
  std::int32_t source;
  std::int32_t tag;
  bool cancelled;
};

/// One call in the form of the stream. Fields of a kind are numbered in their order; vectors keep
/// their capacity from one record to the next.
struct Record {
  std::uint16_t number = 0;  ///< number of the call in calls.def
  std::uint16_t thread = 0;
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = 0;
  std::array<std::int32_t, 2> count{};
  std::array<std::int32_t, 2> peer{};
  std::array<std::int32_t, 2> tag{};
  std::array<std::int32_t, 2> integer{};
  std::array<std::uint16_t, 2> type{};
  std::size_t type_count = 0;  ///< only the root's record has fields after its own
  std::array<std::uint16_t, 2> comm{};
  std::array<std::uint16_t, 3> group{};
  std::array<std::vector<std::int32_t>, 4> lists;
  std::array<std::vector<std::uint16_t>, 2> types;
  std::vector<std::int32_t> requests;  ///< the single request, or those of the array
  std::vector<Status> statuses;        ///< empty if they were ignored or not recorded
  std::int32_t own_rank = 0;
  std::uint8_t op = 0;
};

/// Reads bytes of a file in order, and never beyond their end.
class Input {
 public:
  Input(Source& source, std::uint64_t begin, std::uint64_t end)
      : source_(source), next_(begin), end_(end) {}

  /// Place of the next byte in the file.
  std::uint64_t offset() const noexcept { return next_ - window_.size() + at_; }
  std::uint64_t left() const noexcept { return end_ - offset(); }

  std::uint64_t unsigned_of(std::size_t bytes) {
    if (window_.size() - at_ < bytes) refill(bytes);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | window_[at_++];
    return value;
  }
  std::uint8_t u8() { return static_cast<std::uint8_t>(unsigned_of(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(unsigned_of(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(unsigned_of(4)); }
  std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
  std::uint64_t u64() { return unsigned_of(8); }
  void skip(std::uint64_t bytes);
  /// Reads a count of elements of this many bytes that follow; never more than fit into the rest of
  /// the file.
  std::uint32_t count_of(std::size_t bytes_each);

  /// Throws InputError because the file is damaged here; `text` describes the damage.
  [[noreturn]] void fail(const std::string& text) const;

 private:
  void refill(std::size_t bytes);

  Source& source_;
  Bytes window_;
  std::size_t at_ = 0;
  std::uint64_t next_;  ///< offset of the byte after the window
  std::uint64_t end_;
};

/// The places of the parts of a file that are read, from the index at its end.
struct Index {
  std::uint64_t sizes;  ///< 0: the file lacks it
  std::uint64_t header;
  std::uint64_t body;
  std::uint64_t footer;
};

/// The file's index; if it has none, InputError names the byte.
Index read_index(Source& source);

/// The calls of a file, one after the other.
class RecordReader {
 public:
  RecordReader(Source& source, const Index& index);

  /// Reads the next call; false at the end of the stream.
  bool next(Record& record);
  /// Start of the call that was read last, for messages.
  std::uint64_t offset() const noexcept { return begin_; }
  /// Whether computation is by CPU time, because no wall clock was recorded.
  bool by_cpu_time() const noexcept { return by_cpu_time_; }

 private:
  /// Seconds have 16 bits: a smaller time than the previous one shows that the seconds have started
  /// again at 0.
  struct Seconds {
    std::int64_t high = 0;
    std::uint16_t last = 0;
  };

  void times(std::uint8_t mask, Record& record);
  void fields(std::uint8_t mask, Record& record);
  void field(char letter, std::uint8_t mask, Record& record);
  void list(std::vector<std::int32_t>& values);

  Input input_;
  std::uint64_t begin_ = 0;
  Seconds seconds_;
  bool by_cpu_time_ = false;
};

/// For each call, by number: its number of calls, and its number of calls without a record.
struct Footer {
  std::vector<std::uint32_t> made;
  std::vector<std::uint32_t> ignored;
};

Footer read_footer(Source& source, const Index& index);

/// Bytes of an element by the number of the datatype.
std::vector<std::int32_t> read_sizes(Source& source, const Index& index);

}  // namespace latitude::trace::dumpi
