#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/native/encoder.hpp"

namespace latitude::trace::native {

/// The fields of an event after its site.
class Fields {
 public:
  Fields& u(std::uint64_t n) {  ///< c b e f N, and counts
    items_.push_back({false, n, 0});
    return *this;
  }
  Fields& z(std::int64_t n) {  ///< p t, and values of lists
    items_.push_back({false, 0, n, true});
    return *this;
  }
  Fields& request(std::uint64_t n) {  ///< q, and numbers in Q and R
    items_.push_back({true, n, 0});
    return *this;
  }
  Fields& as_asked() { return u(0); }
  Fields& received(std::int64_t source, std::int64_t tag, std::uint64_t bytes) {
    return u(1).z(source).z(tag).u(bytes);
  }
  Fields& cancelled() { return u(2); }
  Fields& list(const std::vector<std::int64_t>& values) {
    u(values.size());
    for (const std::int64_t value : values) z(value);
    return *this;
  }
  /// `last`: the last request number of the chunk.
  void encode(Encoder& out, std::uint64_t& last) const {
    for (const Item& item : items_) {
      if (item.request) {
        out.zigzag(static_cast<std::int64_t>(item.u - last));
        last = item.u;
      } else if (item.is_signed) {
        out.zigzag(item.z);
      } else {
        out.varint(item.u);
      }
    }
  }

 private:
  struct Item {
    bool request;
    std::uint64_t u;
    std::int64_t z;
    bool is_signed = false;
  };
  std::vector<Item> items_;
};

/// Writes one rank's file as the tracer does, but in the order of the calls here: every event lasts
/// 5 ns and follows 10 ns of computation, unless set otherwise.
class FileWriter {
 public:
  explicit FileWriter(std::uint32_t rank = 0, std::uint32_t size = 1, std::uint32_t flags = 0,
                      std::uint64_t run = 7, std::uint16_t version = 1)
      : cpu_(flags & 1) {
    file_ = file_header({version, rank, size, flags, run});
  }

  FileWriter& meta(std::string_view json) { return chunk(1, 1, Encoder().string(json).bytes()); }
  FileWriter& modules(const std::vector<std::vector<std::uint64_t>>& ranges,
                      const std::vector<std::string>& paths) {
    Encoder out;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      for (const std::uint64_t n : ranges[i]) out.varint(n);
      out.string(paths[i]).string(std::string("b").append(std::to_string(i)));
    }
    return chunk(3, static_cast<std::uint32_t>(ranges.size()), out.bytes());
  }
  FileWriter& sites(const std::vector<std::uint64_t>& addresses) {
    Encoder out;
    for (const std::uint64_t address : addresses) out.varint(address);
    return chunk(4, static_cast<std::uint32_t>(addresses.size()), out.bytes());
  }
  /// Adds call sites to a file of version 2: (address, caller).
  FileWriter& called_sites(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& called) {
    Encoder out;
    for (const auto& [address, caller] : called) out.varint(address).varint(caller);
    return chunk(4, static_cast<std::uint32_t>(called.size()), out.bytes());
  }
  /// Adds a communicator of listed members.
  FileWriter& comm(std::uint64_t number, std::uint64_t leader, std::uint64_t count,
                   const std::vector<std::int32_t>& group, std::uint64_t kind = 0) {
    Encoder out;
    out.varint(number).varint(leader).varint(count).varint(kind).varint(group.size()).varint(1);
    std::int64_t last = 0;
    for (const std::int32_t member : group) {
      out.zigzag(member - last);
      last = member;
    }
    return chunk(5, 1, out.bytes());
  }
  /// Adds a communicator of the members first, first + step, …
  FileWriter& strided(std::uint64_t number, std::uint64_t leader, std::uint64_t count,
                      std::uint64_t size, std::int64_t first, std::int64_t step) {
    Encoder out;
    out.varint(number).varint(leader).varint(count).varint(0).varint(size).varint(0);
    return chunk(5, 1, out.zigzag(first).zigzag(step).bytes());
  }

  FileWriter& gap(std::uint64_t ns) {
    gap_ = ns;
    return *this;
  }
  FileWriter& lasts(std::uint64_t ns) {
    duration_ = ns;
    return *this;
  }
  FileWriter& cpu(std::uint64_t ns) {
    cpu_gap_ = ns;
    return *this;
  }
  /// Adds the number of polls that have failed since the last call; the first one ends with the
  /// gap.
  FileWriter& polls(std::uint64_t failed, bool found = false) {
    duration_ = 0;
    return add("latitude_polls", "n", Fields().u(2 * failed + (found ? 1 : 0)));
  }
  /// Adds the cost of a failed poll.
  FileWriter& poll_takes(std::uint64_t ns) { return chunk(10, 1, Encoder().varint(ns).bytes()); }
  /// Adds the resources that the process had used: the seven numbers of
  /// docs/internals/trace-format.md.
  FileWriter& usage(const std::vector<std::uint64_t>& numbers) {
    Encoder out;
    for (const std::uint64_t number : numbers) out.varint(number);
    return chunk(9, 1, out.bytes());
  }
  FileWriter& site(std::uint64_t number) {
    site_ = number;
    return *this;
  }
  /// Events from now on belong to this thread, which enters its first call at `time`.
  FileWriter& thread(std::uint16_t number, std::uint64_t time = 0) {
    flush();
    thread_ = number;
    if (time != 0) now_[number] = time;
    return *this;
  }

  FileWriter& add(std::string_view name, std::string_view shape, const Fields& fields = {}) {
    const std::uint64_t call = number_of(name, shape);
    if (records_ == 0) begun_ = now_[thread_];
    events_.varint(call).varint(gap_).varint(duration_);
    if (cpu_) events_.varint(cpu_gap_);
    events_.varint(site_);
    fields.encode(events_, last_request_);
    now_[thread_] += gap_ + duration_;
    ++records_;
    ++counts_[std::string(name)];
    gap_ = 10;
    duration_ = 5;
    cpu_gap_ = 3;
    site_ = 0;
    return *this;
  }
  FileWriter& init() { return add("MPI_Init", ""); }
  FileWriter& finalize() { return add("MPI_Finalize", ""); }

  /// Ends the chunk of events.
  FileWriter& flush() {
    if (records_ == 0) return *this;
    const std::string payload = events_.bytes();
    const std::uint32_t records = records_;
    events_ = {};
    records_ = 0;
    last_request_ = 0;
    return chunk(6, records, payload, thread_, begun_);
  }
  FileWriter& end(std::uint64_t how = 0) {
    flush();
    Encoder out;
    out.varint(how).varint(counts_.size());
    for (const auto& [name, count] : counts_) out.string(name).varint(count);
    return chunk(7, 1, out.bytes());
  }
  FileWriter& chunk(std::uint16_t kind, std::uint32_t records, std::string_view payload,
                    std::uint16_t thread = 0, std::uint64_t time = 0) {
    if (kind != 6) flush();
    file_ += chunk_of(static_cast<ChunkKind>(kind), records, payload, sequence_++, thread, time);
    return *this;
  }

  /// The file so far.
  const std::string& file() {
    flush();
    return file_;
  }

 private:
  std::uint64_t number_of(std::string_view name, std::string_view shape) {
    const auto found = calls_.find(std::string(name));
    if (found != calls_.end()) return found->second;
    const std::uint64_t number = calls_.size();
    calls_.emplace(name, number);
    chunk(2, 1, Encoder().string(name).string(shape).bytes());
    return number;
  }

  bool cpu_;
  std::string file_;
  Encoder events_;  ///< events of the chunk being written
  std::uint32_t records_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint64_t last_request_ = 0;
  std::uint64_t begun_ = 0;
  std::uint16_t thread_ = 0;
  std::uint64_t gap_ = 10;
  std::uint64_t duration_ = 5;
  std::uint64_t cpu_gap_ = 3;
  std::uint64_t site_ = 0;
  std::map<std::string, std::uint64_t> calls_;
  std::map<std::string, std::uint64_t> counts_;
  std::map<std::uint16_t, std::uint64_t> now_;  ///< by thread
};

}  // namespace latitude::trace::native
