#include "core/trace/dumpi/rank_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "core/trace/dumpi/record.hpp"
#include "core/trace/dumpi/requests.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/infer/arguments.hpp"
#include "core/trace/infer/fail.hpp"

namespace latitude::trace::dumpi {
namespace {

using infer::kRetrace;

// Numbers of DUMPI for MPI's own handles.
constexpr std::uint16_t kCommNull = 1;
constexpr std::uint16_t kCommWorld = 2;
constexpr std::uint16_t kCommSelf = 3;
constexpr std::uint16_t kGroupEmpty = 2;
constexpr std::uint8_t kFirstPredefinedOp = 1;  // MPI_MAX …
constexpr std::uint8_t kLastPredefinedOp = 12;  // … MPI_MAXLOC

constexpr std::int64_t kUnknown = -1;

/// Bytes of an element, by the number of the datatype. Handles are reused after MPI_Type_free, so
/// the arguments of constructors count; the table at the file's end has the others.
class Datatypes {
 public:
  explicit Datatypes(std::vector<std::int32_t> table) : table_(std::move(table)) {}

  std::int64_t size(std::uint16_t type) const {
    if (type < made_.size() && made_[type] != kUnknown) return made_[type];
    return type < table_.size() ? table_[type] : kUnknown;
  }
  void make(std::uint16_t type, std::int64_t size) {
    if (type >= made_.size()) made_.resize(std::size_t{type} + 1, kUnknown);
    made_[type] = size;
  }

 private:
  std::vector<std::int32_t> table_;
  std::vector<std::int64_t> made_;
};

class RankReader {
 public:
  explicit RankReader(Source& source)
      : source_(source),
        index_(read_index(source)),
        records_(source, index_),
        types_(read_sizes(source, index_)),
        counts_(call_layouts().size()) {
    log_.trace.source = source.name();
    log_.comms.resize(kSelfLife + 1);
    comm_of_.assign(kCommSelf + 1, kNothing);
    comm_of_[kCommWorld] = kWorldLife;
    comm_of_[kCommSelf] = kSelfLife;
    group_of_[kGroupEmpty] = 0;
    log_.groups.push_back({.how = Group::How::empty});
  }

  Log run() {
    while (records_.next(record_)) {
      ++number_;
      call();
    }
    if (phase_ != Phase::finalized) {
      source_.fail(records_.offset(),
                   "no MPI_Finalize in it; let the program end when you trace it");
    }
    log_.by_cpu_time = records_.by_cpu_time();
    check_footer();
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] != 0) log_.trace.call_counts.emplace_back(call_layouts()[i].name, counts_[i]);
    }
    return std::move(log_);
  }

 private:
  enum class Phase : std::uint8_t { before_init, running, finalized };

  [[noreturn]] void fail(std::string_view text) const {
    infer::fail(source_.name(), number_, std::string(layout().name) + " " + std::string(text));
  }
  const CallLayout& layout() const { return call_layouts()[record_.number]; }

  void call() {
    constexpr auto kMost = std::numeric_limits<std::uint32_t>::max() - 1;
    if (number_ > kMost) fail("is one call too many for 32-bit indices; trace a shorter run");
    ++counts_[record_.number];
    ++log_.trace.event_count;
    times();
    const CallClass kind = layout().call_class;
    if (kind == CallClass::local) return local();
    if (thread_ == kNothing) thread_ = record_.thread;
    if (thread_ != record_.thread) {
      fail("is called by thread " + std::to_string(record_.thread) + ", others by thread " +
           std::to_string(thread_) +
           "; several threads that call MPI are not read from DUMPI: " + std::string(kRetrace));
    }
    event(kind);
  }

  void times() {
    const CallClass kind = layout().call_class;
    const bool local = kind == CallClass::local;
    if (kind == CallClass::init) {
      if (phase_ != Phase::before_init) fail("comes twice; one file holds one run");
      phase_ = Phase::running;
      now_ns_ = record_.leave_ns;
      return;
    }
    if (phase_ == Phase::before_init && !local) {
      fail("comes before MPI_Init: the beginning of the file is missing; " + std::string(kRetrace));
    }
    if (phase_ == Phase::finalized && !local) {
      fail("comes after MPI_Finalize; one file holds one run");
    }
    if (phase_ != Phase::running) return;
    if (record_.enter_ns < now_ns_ || record_.leave_ns < record_.enter_ns) {
      fail(
          "begins before the call before it has ended, or ends before it begins: time must not "
          "run backwards; " +
          std::string(kRetrace));
    }
    now_ns_ = record_.leave_ns;
    if (kind == CallClass::finalize) phase_ = Phase::finalized;
  }

  // The following functions read information from calls that are not events.

  void local() {
    const auto is = [&](std::string_view name) { return layout().name == name; };
    if (is("MPI_Comm_rank") || is("MPI_Comm_size")) {
      const std::uint32_t comm = known_comm(record_.comm[0]);
      if (comm == kNothing) return;
      (is("MPI_Comm_rank") ? log_.comms[comm].rank : log_.comms[comm].size) = record_.integer[0];
    } else if (is("MPI_Cancel")) {
      requests_.cancel(record_.requests.at(0));
    } else if (layout().name.starts_with("MPI_Type_")) {
      datatype();
    } else if (layout().name.starts_with("MPI_Group_") || is("MPI_Comm_group")) {
      group();
    } else if (is("MPI_Comm_remote_group")) {
      group_of_[record_.group[0]] = kNothing;
    } else if (is("MPI_Comm_get_parent")) {
      make_comm(record_.comm[0], Comm{.foreign = true});
    }
  }

  void datatype() {
    const std::string_view name = layout().name.substr(std::string_view("MPI_Type_").size());
    const std::int64_t old = types_.size(record_.type[0]);
    const auto make = [&](__int128 size) {
      constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
      const bool known = old != kUnknown && size >= 0 && size <= kMost;
      types_.make(record_.type[1], known ? static_cast<std::int64_t>(size) : kUnknown);
    };
    const auto sum = [](const std::vector<std::int32_t>& values) {
      __int128 total = 0;
      for (const std::int32_t value : values) total += value;
      return total;
    };
    if (name == "contiguous") return make(__int128{record_.count[0]} * old);
    if (name == "vector" || name == "hvector" || name == "create_hvector") {
      return make(__int128{record_.count[0]} * record_.integer[0] * old);
    }
    if (name == "create_indexed_block") {
      return make(__int128{record_.count[0]} * record_.integer[0] * old);
    }
    if (name == "indexed" || name == "hindexed" || name == "create_hindexed") {
      return make(sum(record_.lists[0]) * old);
    }
    if (name == "dup" || name == "create_resized") return make(old);
    if (name == "create_subarray") {
      __int128 elements = 1;
      for (const std::int32_t side : record_.lists[1]) {
        elements = std::min<__int128>(elements * side, std::numeric_limits<std::int64_t>::max());
      }
      return make(elements * old);
    }
    if (name == "create_darray") return types_.make(record_.type[1], kUnknown);
    if (name == "free") return types_.make(record_.type[0], kUnknown);
    if (name == "struct" || name == "create_struct") {
      __int128 total = 0;
      const std::vector<std::uint16_t>& members = record_.types[0];
      for (std::size_t i = 0; i < std::min(members.size(), record_.lists[0].size()); ++i) {
        const std::int64_t each = types_.size(members[i]);
        if (each == kUnknown) return types_.make(record_.type[0], kUnknown);
        total += __int128{record_.lists[0][i]} * each;
      }
      constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
      const bool known = total >= 0 && total <= kMost;
      types_.make(record_.type[0], known ? static_cast<std::int64_t>(total) : kUnknown);
    }
  }

  std::uint32_t group_numbered(std::uint16_t number) const {
    const auto found = group_of_.find(number);
    return found == group_of_.end() ? kNothing : found->second;
  }

  void group() {
    const std::string_view name = layout().name.substr(std::string_view("MPI_").size());
    Group made;
    std::size_t result = 1;
    if (name == "Comm_group") {
      made = {.how = Group::How::of_comm, .first = known_comm(record_.comm[0])};
      if (made.first == kNothing) made.how = Group::How::unknown;
      result = 0;
    } else if (name == "Group_incl" || name == "Group_excl") {
      made = {.how = name == "Group_incl" ? Group::How::incl : Group::How::excl,
              .first = group_numbered(record_.group[0]),
              .ranks = record_.lists[0]};
    } else if (name == "Group_range_incl" || name == "Group_range_excl") {
      made = {.how = name == "Group_range_incl" ? Group::How::incl : Group::How::excl,
              .first = group_numbered(record_.group[0]),
              .ranks = in_ranges(record_.lists[0])};
    } else if (name == "Group_union" || name == "Group_intersection" ||
               name == "Group_difference") {
      made = {.how = name == "Group_union"          ? Group::How::both
                     : name == "Group_intersection" ? Group::How::common
                                                    : Group::How::less,
              .first = group_numbered(record_.group[0]),
              .second = group_numbered(record_.group[1])};
      if (made.second == kNothing) made.how = Group::How::unknown;
      result = 2;
    } else {
      return;
    }
    if (made.first == kNothing) made.how = Group::How::unknown;
    group_of_[record_.group[result]] = static_cast<std::uint32_t>(log_.groups.size());
    log_.groups.push_back(std::move(made));
  }

  /// The ranks in triples (first, last, stride).
  std::vector<std::int32_t> in_ranges(const std::vector<std::int32_t>& triples) const {
    std::vector<std::int32_t> ranks;
    for (std::size_t i = 0; i + 2 < triples.size(); i += 3) {
      const std::int64_t stride = triples[i + 2];
      const std::int64_t last = triples[i + 1];
      if (stride == 0) fail("has a range with stride 0; the file is damaged");
      for (std::int64_t r = triples[i]; stride > 0 ? r <= last : r >= last; r += stride) {
        constexpr std::size_t kMost = std::size_t{1} << 24;
        if (r < 0 || ranks.size() > kMost) fail("has impossible ranges; the file is damaged");
        ranks.push_back(static_cast<std::int32_t>(r));
      }
    }
    return ranks;
  }

  // Communicators.

  /// kNothing if no recorded call has made it.
  std::uint32_t known_comm(std::uint16_t number) const {
    return number < comm_of_.size() ? comm_of_[number] : kNothing;
  }

  std::uint32_t comm(std::uint16_t number) const {
    const std::uint32_t known = known_comm(number);
    if (known == kNothing) {
      fail(number == kCommNull
               ? "is given MPI_COMM_NULL; the file is damaged"
               : "uses communicator " + std::to_string(number) +
                     ", which no recorded call has made (DUMPI records the calls of MPI-2); " +
                     kRetrace);
    }
    return known;
  }

  void make_comm(std::uint16_t number, Comm made) {
    made.call = layout().call;
    made.record = static_cast<std::uint32_t>(number_);
    made.null = number == kCommNull;
    if (!made.null) {
      if (number >= comm_of_.size()) comm_of_.resize(std::size_t{number} + 1, kNothing);
      comm_of_[number] = static_cast<std::uint32_t>(log_.comms.size());
    }
    log_.comms.push_back(std::move(made));
  }

  void create() {
    Comm made{.parent = comm(record_.comm[0])};
    made.foreign = log_.comms[made.parent].foreign;
    switch (layout().call) {
      case Call::Comm_split:
        made.first = record_.integer[0];
        made.second = record_.integer[1];
        break;
      case Call::Comm_create:
        made.group = group_numbered(record_.group[0]);
        break;
      case Call::Cart_create:
        made.first = record_.integer[0];
        made.sides = record_.lists[0];
        break;
      case Call::Graph_create:
        made.second = record_.integer[0];
        made.first = record_.integer[1];
        break;
      case Call::Cart_sub:
        made.sides = record_.lists[0];
        break;
      default:
        break;
    }
    make_comm(record_.comm[1], std::move(made));
  }

  // Events.

  void event(CallClass kind) {
    Event event;
    event.enter_ns = kind == CallClass::init ? record_.leave_ns : record_.enter_ns;
    event.leave_ns = record_.leave_ns;
    event.position = static_cast<std::uint32_t>(number_);
    event.call = layout().call;
    event.comm = kWorldLife;
    switch (kind) {
      case CallClass::send:
      case CallClass::isend:
      case CallClass::recv:
      case CallClass::irecv:
      case CallClass::sendrecv:
      case CallClass::persistent:
        message(kind, event);
        break;
      case CallClass::start:
        if (!requests_.start(record_.requests, next_event(), event)) {
          fail(
              "starts a request that no MPI_Send_init or MPI_Recv_init has made, or that is "
              "active");
        }
        break;
      case CallClass::request_free:
        requests_.free(record_.requests.at(0), event);
        break;
      case CallClass::completion:
        complete(event);
        break;
      case CallClass::collective:
        collective(event);
        break;
      case CallClass::comm_create:
        event.comm = comm(record_.comm[0]);
        create();
        break;
      case CallClass::comm_free:
        event.comm = comm(record_.comm[0]);
        comm_of_[record_.comm[0]] = kNothing;
        break;
      case CallClass::unsupported:
        unsupported(event);
        break;
      default:
        break;
    }
    if (log_.comms[event.comm].foreign) {
      event.flags |= kUnsupported;
      event.comm = kWorldLife;
    }
    log_.trace.events.push_back(event);
  }

  std::uint32_t next_event() const { return static_cast<std::uint32_t>(log_.trace.events.size()); }

  /// The arguments of the event; its lists are moved out of the record.
  infer::Arguments& arguments() {
    arguments_.peer = record_.peer;
    arguments_.tag = record_.tag;
    arguments_.count = record_.count;
    arguments_.rank = 0;
    arguments_.size = 0;
    arguments_.in_place = false;
    arguments_.user_op = record_.op < kFirstPredefinedOp || record_.op > kLastPredefinedOp;
    for (std::size_t i = 0; i < record_.type_count; ++i) {
      arguments_.type_size[i] = size_of(record_.type[i]);
    }
    return arguments_;
  }

  std::int64_t size_of(std::uint16_t type) const {
    const std::int64_t size = types_.size(type);
    if (size < 0) {
      fail("has datatype " + std::to_string(type) + ", whose size the file does not say; " +
           kRetrace);
    }
    return size;
  }

  void set(CallClass kind, Event& event) {
    try {
      infer::set_arguments(kind, arguments_, event, log_.trace);
    } catch (const infer::Refused& refused) {
      fail(refused.why);
    }
  }

  void message(CallClass kind, Event& event) {
    event.comm = comm(record_.comm[0]);
    arguments();
    set(kind, event);
    const bool sends = !receives(event.call);
    if (sends && record_.peer[0] == -1) log_.sends_to_minus_one = true;
    const Status* status = record_.statuses.empty() ? nullptr : &record_.statuses[0];
    if (kind == CallClass::recv) set_message(event, got(message_of(event), status));
    if (kind == CallClass::sendrecv) {
      set_received(log_.trace, event, got(received_by(log_.trace, event), status));
    }
    if (kind == CallClass::persistent) {
      requests_.describe(record_.requests.at(0), next_event());
    } else if ((kind == CallClass::isend || kind == CallClass::irecv) &&
               !requests_.post(record_.requests.at(0), event)) {
      fail("makes request " + std::to_string(record_.requests[0]) +
           ", which stands for a message that no recorded call has completed; " + kRetrace);
    }
  }

  /// The message of a blocking receive, with the values that replaced its wildcards.
  Message got(Message asked, const Status* status) {
    const bool wild = asked.peer == kAnySource || asked.tag == kAnyTag;
    if (!wild || asked.peer == kProcNull) return asked;
    const std::optional<Message> got = received(asked, status);
    if (got) {
      log_.wildcards += got->peer == kProcNull ? 0 : 1;
      return *got;
    }
    if (asked.peer == kAnySource) {
      log_.from_minus_one.push_back({.event = next_event(), .has_status = status != nullptr});
    }
    return asked;
  }

  void complete(Event& event) {
    completed_.clear();
    const std::vector<std::int32_t>& numbers = record_.requests;
    const auto one = [&](std::size_t request, std::size_t status) {
      if (request >= numbers.size()) fail("names a request beyond its array; the file is damaged");
      const bool has = status < record_.statuses.size();
      if (!requests_.complete(numbers[request], has ? &record_.statuses[status] : nullptr,
                              completed_)) {
        event.flags |= kUnrecorded;
      }
    };
    const bool flag = record_.integer[0] != 0;
    switch (event.call) {
      case Call::Wait:
      case Call::Waitall:
        for (std::size_t i = 0; i < numbers.size(); ++i) one(i, i);
        break;
      case Call::Test:
      case Call::Testall:
        for (std::size_t i = 0; flag && i < numbers.size(); ++i) one(i, i);
        break;
      case Call::Waitany:
        if (record_.integer[0] >= 0) one(static_cast<std::size_t>(record_.integer[0]), 0);
        break;
      case Call::Testany:
        if (record_.integer[1] != 0 && record_.integer[0] >= 0) {
          one(static_cast<std::size_t>(record_.integer[0]), 0);
        }
        break;
      default:  // Waitsome, Testsome
        for (std::size_t i = 0; i < record_.lists[0].size(); ++i) {
          if (record_.lists[0][i] < 0) fail("completes a negative index; the file is damaged");
          one(static_cast<std::size_t>(record_.lists[0][i]), i);
        }
    }
    set_requests(log_.trace, event, completed_);
  }

  void collective(Event& event) {
    event.comm = comm(record_.comm[0]);
    infer::Arguments& given = arguments();
    const Call call = event.call;
    given.rank = record_.own_rank;
    std::size_t other = 1;  // list for the receive side
    if (call == Call::Scatter) {
      std::swap(given.count[0], given.count[1]);
      std::swap(given.type_size[0], given.type_size[1]);
    }
    if (call == Call::Alltoallv || call == Call::Alltoallw) other = 2;
    given.counts[0] = record_.lists[0];
    given.counts[1] = record_.lists[other];
    given.size = static_cast<std::int32_t>(given.counts[0].size());
    if (call == Call::Allgatherv || call == Call::Reduce_scatter) {
      given.rank = 0;  // the communicator will tell which block is this rank's
      if (given.size == 0) fail("does not list one count for each rank; the file is damaged");
    }
    const bool listed =
        (call == Call::Gatherv || call == Call::Scatterv) && record_.own_rank == record_.peer[0];
    if (listed && (given.rank < 0 || given.rank >= given.size)) {
      fail("does not list one count for each rank; the file is damaged");
    }
    if (call == Call::Alltoallw) return alltoallw(event);
    set(CallClass::collective, event);
  }

  void alltoallw(Event& event) {
    std::array<std::vector<std::int64_t>, 2> bytes;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::vector<std::int32_t>& counts = arguments_.counts[side];
      const std::vector<std::uint16_t>& types = record_.types[side];
      if (counts.size() != types.size() || counts.size() != arguments_.counts[0].size()) {
        fail("does not list one count for each rank; the file is damaged");
      }
      for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] < 0) fail("has a negative count; the file is damaged");
        const std::int64_t size = counts[i] == 0 ? 0 : size_of(types[i]);
        bytes[side].push_back(counts[i] * size);
      }
    }
    try {
      infer::set_exchanged(bytes[0], bytes[1], event, log_.trace);
    } catch (const infer::Refused& refused) {
      fail(refused.why);
    }
  }

  void unsupported(Event& event) {
    event.flags |= kUnsupported;
    const std::string_view fields = layout().fields;
    if (layout().call == Call::Grequest_start) requests_.post_nothing(record_.requests.at(0));
    if (!layout().name.starts_with("MPI_Comm_") && !layout().name.starts_with("MPI_Intercomm_")) {
      return;
    }
    const std::ptrdiff_t comms = std::ranges::count(fields, 'c');
    if (layout().call == Call::Comm_disconnect || comms == 0) return;
    make_comm(record_.comm[comms > 1 ? 1 : 0], Comm{.foreign = true});
  }

  /// Compares the number of calls with the file's own count.
  void check_footer() {
    const Footer footer = read_footer(source_, index_);
    const auto none = [](std::uint32_t count) { return count == 0; };
    if (std::ranges::all_of(footer.made, none)) return;  // not written by DUMPI's own library
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::uint32_t recorded = footer.made[i] - footer.ignored[i];
      if (recorded != static_cast<std::uint32_t>(counts_[i])) {
        source_.fail(index_.footer, "it counts " + std::to_string(recorded) + " records of " +
                                        std::string(call_layouts()[i].name) + " and has " +
                                        std::to_string(counts_[i]) +
                                        "; the file is damaged, copy it again");
      }
      if (footer.ignored[i] != 0 && call_layouts()[i].call_class != CallClass::local) {
        log_.ignored.emplace_back(call_layouts()[i].name, footer.ignored[i]);
      }
    }
  }

  Source& source_;
  Index index_;
  RecordReader records_;
  Datatypes types_;
  std::vector<std::uint64_t> counts_;
  Log log_;
  Requests requests_{log_};
  Record record_;
  infer::Arguments arguments_;
  std::vector<std::uint32_t> comm_of_;  ///< by number: place in Log::comms
  std::unordered_map<std::uint16_t, std::uint32_t> group_of_;
  std::vector<std::uint32_t> completed_;
  std::uint64_t number_ = 0;
  std::uint32_t thread_ = kNothing;
  std::int64_t now_ns_ = 0;
  Phase phase_ = Phase::before_init;
};

}  // namespace

Log read_rank(Source& source) { return RankReader(source).run(); }

}  // namespace latitude::trace::dumpi
