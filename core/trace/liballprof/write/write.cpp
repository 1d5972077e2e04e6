#include "core/trace/liballprof/write/write.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/liballprof/write/requests.hpp"

namespace latitude::trace {
namespace {

using liballprof::place_requests;

constexpr std::uint64_t kFirstComm = 0x560000000000;  // a pointer: requests are 8 bytes apart
constexpr std::uint64_t kCommSize = 512;
constexpr std::uint64_t kBuffer = 4096;  // neither of the addresses that mean MPI_IN_PLACE
constexpr int kSum = 3;
constexpr int kUserOpHandle = 4096;  // predefined ones are 1 to 12
constexpr int kUndefined = -32766;   // Open MPI's MPI_UNDEFINED
constexpr std::uint64_t kMostCount = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kBlock = std::size_t{1} << 20;

/// A file that is written block by block.
class Text {
 public:
  explicit Text(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (!file_) throw InputError(path_ + ": cannot be written");
  }
  Text& operator<<(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBlock) flush();
    return *this;
  }
  Text& operator<<(char c) { return *this << std::string_view(&c, 1); }
  template <std::integral T>
  Text& operator<<(T value) {
    char digits[24];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  void close() {
    flush();
    if (std::fclose(file_.release()) != 0) throw InputError(path_ + ": writing failed");
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) {
      throw InputError(path_ + ": writing failed; is the disk full?");
    }
    buffer_.clear();
  }

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string buffer_;
};

class RankWriter {
 public:
  RankWriter(const Trace& trace, std::size_t rank, const std::string& path)
      : trace_(trace),
        rank_(trace.ranks[rank]),
        world_rank_(static_cast<std::int32_t>(rank)),
        addresses_(place_requests(rank_)),
        out_(path) {}

  void run() {
    for (std::size_t i = 0; i < rank_.events.size(); ++i) event(i);
    out_.close();
  }

 private:
  [[noreturn]] void refuse(const Event& e, const char* why) const {
    throw InputError(where(rank_, e) + " cannot be written as liballprof text: " + why);
  }

  void event(std::size_t id) {
    const Event& e = rank_.events[id];
    const CallClass kind = class_of(e.call);
    if (kind == CallClass::init) return begin(e);
    if (kind == CallClass::completion && requests_of(rank_, e).empty()) return;  // computation
    if ((e.flags & kUnsupported) != 0) refuse(e, "no execution graph has such a call");
    enter_ns_ += e.enter_ns - last_leave_ns_;
    leave_ns_ = enter_ns_ + e.leave_ns - e.enter_ns;
    last_leave_ns_ = e.leave_ns;
    call(id, e);
  }

  void begin(const Event& e) {
    last_leave_ns_ = e.leave_ns;
    out_ << "MPI_Init:-:0:0:";
    time(enter_ns_);
    out_ << '\n';
    leave_ns_ = enter_ns_;
    mention("MPI_Comm_size", kWorld);
  }

  void call(std::size_t id, const Event& e) {
    switch (class_of(e.call)) {
      case CallClass::send:
      case CallClass::recv:
        return blocking(e);
      case CallClass::isend:
      case CallClass::irecv:
        return post(id, e, name_of(e.call), message_of(e));
      case CallClass::sendrecv:
        return sendrecv(e);
      case CallClass::start:
        return start(e);
      case CallClass::completion:
        return complete(e);
      case CallClass::request_free:
        return free(e);
      case CallClass::collective:
        return collective(e, 0);
      case CallClass::icollective:
        address_[id] = addresses_[next_post_++];
        return collective(e, address_[id]);
      case CallClass::comm_create:
        return create(e);
      case CallClass::finalize:
        return finalize();
      case CallClass::persistent:
      case CallClass::probe:
      case CallClass::comm_free:
        return;  // the call is not in the graph, and has no time
      default:
        refuse(e, "no execution graph has such a call");
    }
  }

  /// Writes `name:enter` of a record, and its end.
  void open(std::string_view name) {
    out_ << name << ':';
    time(enter_ns_);
  }
  void close() {
    out_ << ':';
    time(leave_ns_);
    out_ << '\n';
    enter_ns_ = leave_ns_;
  }
  void time(std::int64_t ns) {
    const std::int64_t fraction = ns % 1000;
    out_ << ns / 1000 << (fraction < 10 ? ".00" : fraction < 100 ? ".0" : ".") << fraction;
  }

  void comm(std::uint32_t index) {
    const Members& group = trace_.communicators[index].group;
    out_ << ':' << kFirstComm + kCommSize * index << ',' << own_rank(index) << ',' << group.size();
  }
  std::int64_t own_rank(std::uint32_t index) const {
    return trace_.communicators[index]
        .group.place_of(static_cast<std::size_t>(world_rank_))
        .value();
  }
  /// Writes a local call that shows a communicator, and takes no time.
  void mention(std::string_view name, std::uint32_t index) {
    open(name);
    comm(index);
    out_ << ":0";
    close();
  }

  void type(std::uint64_t size) { out_ << ":1," << size << ',' << size; }
  /// Writes count and datatype for this many bytes; `element`, if not 0, is the datatype's size.
  void amount(const Event& e, std::uint64_t bytes, std::uint64_t element = 0) {
    std::uint64_t size = element;
    if (size == 0) {
      size = 1;
      while (bytes / size > kMostCount && bytes / size % 2 == 0) size *= 2;
    }
    if (bytes % size != 0 || bytes / size > kMostCount || size > kMostCount) {
      refuse(e, "its bytes are not a count of a datatype that fits into the format");
    }
    out_ << ':' << bytes / size;
    type(size);
  }

  void message(const Event& e, const Message& message) {
    buffer();
    amount(e, message.bytes);
    out_ << ':' << message.peer << ':' << message.tag;
  }

  void blocking(const Event& e) {
    const bool received = receives(e.call);
    open(received ? "MPI_Recv" : name_of(e.call));  // MPI_Mprobe and similar calls too
    message(e, message_of(e));
    comm(e.comm);
    if (received) out_ << ":0";
    close();
  }

  void post(std::size_t id, const Event& e, std::string_view name, const Message& posted) {
    address_[id] = addresses_[next_post_++];
    open(name);
    message(e, posted);
    comm(e.comm);
    out_ << ':' << address_[id];
    close();
  }

  void sendrecv(const Event& e) {
    open("MPI_Sendrecv");
    message(e, message_of(e));
    message(e, received_by(rank_, e));
    comm(e.comm);
    out_ << ":0";
    close();
  }

  void start(const Event& e) {
    const std::size_t count = requests_of(rank_, e).size();
    const std::int64_t leave = leave_ns_;
    for (std::size_t i = 0; i < count; ++i) {
      const Started operation = started(rank_, e, i);
      const Event& made = operation.made;
      if ((made.flags & kUnsupported) != 0) refuse(made, "no execution graph has such a call");
      leave_ns_ = i + 1 == count ? leave : enter_ns_;
      post(operation.id, made, name_of(started_as(made.call)), operation.message);
    }
  }

  void complete(const Event& e) {
    const auto requests = requests_of(rank_, e);
    const std::uint64_t first = address_.at(requests.front());
    open(requests.size() == 1 ? "MPI_Wait" : "MPI_Waitall");
    if (requests.size() != 1) out_ << ':' << requests.size();
    out_ << ':' << first << ":0";
    close();
    for (const std::uint32_t id : requests) address_.erase(id);
  }

  void free(const Event& e) {
    for (const std::uint32_t id : requests_of(rank_, e)) {
      const auto found = address_.find(id);
      if (found == address_.end()) continue;  // a persistent request that is not active
      open("MPI_Request_free");
      leave_ns_ = enter_ns_;
      out_ << ':' << found->second;
      close();
      address_.erase(found);
    }
  }

  void op(const Event& e) { out_ << ':' << ((e.flags & kUserOp) != 0 ? kUserOpHandle : kSum); }
  void root(const Event& e) { out_ << ':' << root_of(e); }
  void buffer() { out_ << ':' << kBuffer; }

  /// Writes counts and displacements of a v-collective; `values` of bytes, in units of `unit`.
  void counts(const Event& e, std::span<const std::int64_t> values, std::int64_t unit) {
    const std::size_t size = trace_.communicators[e.comm].group.size();
    buffer();
    for (std::size_t i = 0; i < size; ++i) {
      const std::int64_t count = values.empty() ? 0 : values[i] / unit;
      if (count > static_cast<std::int64_t>(kMostCount)) {
        refuse(e, "its bytes are not a count of a datatype that fits into the format");
      }
      out_ << (i == 0 ? ':' : ',') << count;
    }
  }
  void displacements(const Event& e) { counts(e, {}, 1); }
  /// Size of the largest datatype that divides all values.
  static std::int64_t unit_of(std::span<const std::int64_t> values) {
    std::int64_t unit = 0;
    for (const std::int64_t value : values) unit = std::gcd(unit, value);
    const bool large = std::ranges::any_of(
        values, [](std::int64_t v) { return v > static_cast<std::int64_t>(kMostCount); });
    return large ? std::min(unit, std::int64_t{1} << 30) : 1;
  }

  void reduction(const Event& e) {
    buffer();
    buffer();
    amount(e, e.bytes, element_of(e));
    op(e);
  }
  /// Writes the same block for both sides.
  void blocks(const Event& e) {
    buffer();
    amount(e, e.bytes);
    buffer();
    amount(e, e.bytes);
  }
  /// Writes buffer, counts, displacements and datatype: one side of a v-collective.
  void list(const Event& e, std::span<const std::int64_t> values) {
    const std::int64_t unit = unit_of(values);
    buffer();
    counts(e, values, unit);
    displacements(e);
    type(static_cast<std::uint64_t>(unit));
  }

  /// `request`: its address, or 0 for a blocking call.
  void collective(const Event& e, std::uint64_t request) {
    const Lists lists = collective_of(rank_, e).lists;
    open(name_of(e.call));
    switch (e.call) {
      case Call::Barrier:
      case Call::Ibarrier:
        break;
      case Call::Bcast:
      case Call::Ibcast:
        buffer();
        amount(e, e.bytes, element_of(e));
        root(e);
        break;
      case Call::Reduce:
      case Call::Ireduce:
        reduction(e);
        root(e);
        break;
      case Call::Allreduce:
      case Call::Iallreduce:
      case Call::Scan:
      case Call::Iscan:
      case Call::Exscan:
      case Call::Iexscan:
      case Call::Reduce_scatter_block:
      case Call::Ireduce_scatter_block:
        reduction(e);
        break;
      case Call::Gather:
      case Call::Igather:
      case Call::Scatter:
      case Call::Iscatter:
        blocks(e);
        root(e);
        break;
      case Call::Allgather:
      case Call::Iallgather:
      case Call::Alltoall:
      case Call::Ialltoall:
        blocks(e);
        break;
      case Call::Gatherv:
      case Call::Allgatherv:
        buffer();
        amount(e, e.bytes);
        list(e, lists.from_each);
        if (e.call == Call::Gatherv) root(e);
        break;
      case Call::Scatterv:
        list(e, lists.to_each);
        buffer();
        amount(e, e.bytes);
        root(e);
        break;
      case Call::Alltoallv:
        list(e, lists.to_each);
        list(e, lists.from_each);
        break;
      case Call::Reduce_scatter: {
        const std::uint64_t element = element_of(e);
        buffer();
        buffer();
        counts(e, lists.from_each, static_cast<std::int64_t>(element));
        type(element);
        op(e);
        break;
      }
      default:
        refuse(e, "the format does not record its counts, types or neighbours");
    }
    comm(e.comm);
    if (request != 0) out_ << ':' << request;
    close();
  }

  /// Writes a communicator constructor. MPI_Comm_split gives its groups, and MPI_Comm_dup has its
  /// parent's. Any other constructor becomes MPI_Comm_create, whose groups follow from the calls
  /// that show their members' ranks.
  void create(const Event& e) {
    const std::optional<std::int64_t> recorded = communicator_made(rank_, e);
    if (!recorded) refuse(e, "the trace does not say which communicator it made");
    const bool member = *recorded != kCommNull;
    const std::uint32_t made = member ? static_cast<std::uint32_t>(*recorded) : kWorld;
    const Members& group = trace_.communicators[made].group;
    const std::uint64_t variable = kFirstComm - kCommSize * (made + 1);
    switch (e.call) {
      case Call::Comm_split:
      case Call::Comm_split_type:
      case Call::Cart_sub:
        open("MPI_Comm_split");
        comm(e.comm);
        out_ << ':' << (member ? group[0] : kUndefined) << ':' << (member ? own_rank(made) : 0);
        break;
      case Call::Comm_create_group:
        refuse(e, "the format does not have it");
      default:
        if (member && group == trace_.communicators[e.comm].group) {
          open("MPI_Comm_dup");
          comm(e.comm);
        } else {
          open("MPI_Comm_create");
          comm(e.comm);
          out_ << ":0";
        }
    }
    out_ << ':' << variable;
    close();
    if (member) mention("MPI_Comm_rank", made);
  }

  void finalize() {
    leave_ns_ = enter_ns_;
    open("MPI_Wtime");  // readers leave out the time between the last record and MPI_Finalize
    close();
    open("MPI_Finalize");
    out_ << ":-\n";
  }

  const Trace& trace_;
  const RankTrace& rank_;
  const std::int32_t world_rank_;
  std::vector<std::uint64_t> addresses_;  ///< by post
  std::size_t next_post_ = 0;
  std::unordered_map<std::size_t, std::uint64_t> address_;  ///< addresses of active requests, by id
  Text out_;
  std::int64_t last_leave_ns_ = 0;  ///< time in the trace
  std::int64_t enter_ns_ = 1000;    ///< time of the next record in the written file
  std::int64_t leave_ns_ = 1000;
};

}  // namespace

void write_liballprof(const Trace& trace, const std::string& directory, unsigned threads) {
  if (trace.format == "liballprof") {
    throw InputError("the trace is liballprof text already; give one of latitude trace");
  }
  for (const RankTrace& rank : trace.ranks) {
    if (!rank.threads.empty()) {
      throw InputError(rank.source +
                       ": several threads made MPI calls, which liballprof text "
                       "cannot say; analyse the trace as it is");
    }
  }
  parallel_for(trace.ranks.size(), threads, [&](std::size_t rank) {
    RankWriter(trace, rank, directory + "/pmpi-trace-rank-" + std::to_string(rank) + ".txt").run();
  });
}

}  // namespace latitude::trace
