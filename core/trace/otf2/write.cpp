#include "core/trace/otf2/write.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/trace/event_args.hpp"
#include "core/trace/messages.hpp"
#include "core/trace/otf2/attributes.hpp"
#include "core/trace/otf2/library.hpp"
#include "core/trace/otf2/log.hpp"
#include "core/trace/otf2/sizes.hpp"

namespace latitude::trace::otf2 {
namespace {

constexpr std::uint64_t kTicksPerSecond = 1000000000;
constexpr const char* kArchiveName = "traces";  // the name that Score-P gives its archives
constexpr std::uint32_t kOthersThreads = 32;    // bits of a location's number that hold the rank

/// Objects that get numbers from 0, each at its first request.
template <class Key>
class Numbers {
 public:
  std::uint32_t of(const Key& key) {
    const auto [found, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) in_order_.push_back(&found->first);
    return found->second;
  }
  const std::vector<const Key*>& in_order() const { return in_order_; }

 private:
  std::map<Key, std::uint32_t> numbers_;
  std::vector<const Key*> in_order_;
};

struct Region {
  std::uint32_t name;
  std::uint32_t file;
  std::optional<Call> call;  ///< none: a function of the program
  auto operator<=>(const Region&) const = default;
};

/// A node of the tree of call paths.
struct Context {
  std::uint32_t region;
  std::uint32_t line;    ///< number of its source line, or OTF2's number for none
  std::uint32_t parent;  ///< number of its parent context, or OTF2's number for none
  auto operator<=>(const Context&) const = default;
};

/// The definitions of the archive, collected while events are written.
struct Tables {
  Numbers<std::string> strings;
  Numbers<std::string_view> attributes;
  Numbers<Region> regions;
  Numbers<std::pair<std::uint32_t, std::uint32_t>> lines;  ///< file, line
  Numbers<Context> contexts;

  std::uint32_t call(Call call) {
    return regions.of({strings.of(std::string(name_of(call))), strings.of(""), call});
  }
};

OTF2_Type type_of(std::string_view attribute) {
  if (attribute == kCallPath) return OTF2_TYPE_CALLING_CONTEXT;
  if (attribute == kStarted || attribute == kLists) return OTF2_TYPE_STRING;
  const bool bytes = attribute == kBytes || attribute == kElementBytes;
  return bytes ? OTF2_TYPE_UINT64 : OTF2_TYPE_UINT8;
}

/// The contexts of call sites, by the sites' numbers; a call belongs to its innermost frame.
class CallPaths {
 public:
  CallPaths(const Trace& trace, Tables& tables) : trace_(trace), tables_(tables) {}

  std::uint32_t of(std::uint32_t site) {
    if (site == kNoSite) return OTF2_UNDEFINED_CALLING_CONTEXT;
    std::vector<std::uint32_t> open;
    while (site != kNoSite && !known_.contains(site)) {
      open.push_back(site);
      site = trace_.sites[site].caller;
    }
    std::uint32_t context = site == kNoSite ? OTF2_UNDEFINED_CALLING_CONTEXT : known_.at(site);
    for (auto own = open.rbegin(); own != open.rend(); ++own) {
      const std::vector<Frame>& frames = trace_.frames[*own];
      for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        context = inner(*frame, context);
      }
      known_[*own] = context;
    }
    return context;
  }

 private:
  std::uint32_t inner(const Frame& frame, std::uint32_t parent) {
    const std::uint32_t file = tables_.strings.of(frame.file);
    const std::uint32_t line =
        frame.line == 0 ? OTF2_UNDEFINED_UINT32 : tables_.lines.of({file, frame.line});
    const std::uint32_t name = tables_.strings.of(frame.function);
    return tables_.contexts.of({tables_.regions.of({name, file, std::nullopt}), line, parent});
  }

  const Trace& trace_;
  Tables& tables_;
  std::unordered_map<std::uint32_t, std::uint32_t> known_;
};

/// Attributes of the next event.
class Attributes {
 public:
  Attributes(const Library& otf2, Tables& tables)
      : otf2_(otf2), tables_(tables), list_(otf2.OTF2_AttributeList_New()) {}
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { otf2_.OTF2_AttributeList_Delete(list_); }

  /// The attributes so far; the list is empty again after an event has taken it.
  OTF2_AttributeList* list() const { return list_; }
  void flag(std::string_view name) { otf2_.OTF2_AttributeList_AddUint8(list_, number(name), 1); }
  void element(std::uint64_t bytes) {
    otf2_.OTF2_AttributeList_AddUint64(list_, number(kElementBytes), bytes);
  }
  void bytes(std::uint64_t bytes) {
    otf2_.OTF2_AttributeList_AddUint64(list_, number(kBytes), bytes);
  }
  void text(std::string_view name, std::string text) {
    otf2_.OTF2_AttributeList_AddStringRef(list_, number(name), tables_.strings.of(std::move(text)));
  }
  void call_path(std::uint32_t context) {
    if (context == OTF2_UNDEFINED_CALLING_CONTEXT) return;
    otf2_.OTF2_AttributeList_AddCallingContextRef(list_, number(kCallPath), context);
  }

 private:
  std::uint32_t number(std::string_view name) { return tables_.attributes.of(name); }

  const Library& otf2_;
  Tables& tables_;
  OTF2_AttributeList* list_;
};

/// The files of an archive in progress.
class Files {
 public:
  Files(const std::string& folder, std::size_t ranks) : otf2_(library()), folder_(folder) {
    // A group of all ranks must fit into one chunk, at most ten bytes per member.
    const std::uint64_t chunk = std::clamp<std::uint64_t>(
        16 * std::uint64_t{ranks}, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_CHUNK_SIZE_MAX);
    archive_.reset(otf2_.OTF2_Archive_Open(folder.c_str(), kArchiveName, OTF2_FILEMODE_WRITE,
                                           OTF2_CHUNK_SIZE_EVENTS_DEFAULT, chunk,
                                           OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
    if (!archive_) throw InputError(folder + ": no OTF2 archive can be made here");
    // Without a function to call after it, a flush leaves no event.
    static const OTF2_FlushCallbacks kFlush{flush, nullptr};
    check(otf2_.OTF2_Archive_SetFlushCallbacks(archive_.get(), &kFlush, nullptr));
    check(otf2_.OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
    check(otf2_.OTF2_Archive_SetCreator(archive_.get(), "Latitude"));
    check(otf2_.OTF2_Archive_OpenEvtFiles(archive_.get()));
  }

  const Library& otf2() const { return otf2_; }
  OTF2_Archive* get() const { return archive_.get(); }
  void check(OTF2_ErrorCode code) const {
    if (code == OTF2_SUCCESS) return;
    throw InputError(folder_ + ": writing failed (" + otf2_.OTF2_Error_GetDescription(code) +
                     "); is the disk full?");
  }
  void close() { check(otf2_.OTF2_Archive_Close(archive_.release())); }

 private:
  struct Close {
    void operator()(OTF2_Archive* archive) const { library().OTF2_Archive_Close(archive); }
  };
  static OTF2_FlushType flush(void* /*user*/, OTF2_FileType /*file*/, OTF2_LocationRef /*location*/,
                              void* /*caller*/, bool /*is_last*/) {
    return OTF2_FLUSH;
  }

  const Library& otf2_;
  std::string folder_;
  std::unique_ptr<OTF2_Archive, Close> archive_;
};

OTF2_CollectiveOp operation_of(Call blocking) {
  switch (blocking) {
    case Call::Bcast:
      return OTF2_COLLECTIVE_OP_BCAST;
    case Call::Reduce:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case Call::Allreduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case Call::Gather:
      return OTF2_COLLECTIVE_OP_GATHER;
    case Call::Gatherv:
      return OTF2_COLLECTIVE_OP_GATHERV;
    case Call::Scatter:
      return OTF2_COLLECTIVE_OP_SCATTER;
    case Call::Scatterv:
      return OTF2_COLLECTIVE_OP_SCATTERV;
    case Call::Allgather:
    case Call::Neighbor_allgather:
      return OTF2_COLLECTIVE_OP_ALLGATHER;
    case Call::Allgatherv:
    case Call::Neighbor_allgatherv:
      return OTF2_COLLECTIVE_OP_ALLGATHERV;
    case Call::Alltoall:
    case Call::Neighbor_alltoall:
      return OTF2_COLLECTIVE_OP_ALLTOALL;
    case Call::Alltoallv:
    case Call::Neighbor_alltoallv:
      return OTF2_COLLECTIVE_OP_ALLTOALLV;
    case Call::Alltoallw:
    case Call::Neighbor_alltoallw:
      return OTF2_COLLECTIVE_OP_ALLTOALLW;
    case Call::Reduce_scatter:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case Call::Reduce_scatter_block:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
    case Call::Scan:
      return OTF2_COLLECTIVE_OP_SCAN;
    case Call::Exscan:
      return OTF2_COLLECTIVE_OP_EXSCAN;
    default:
      return OTF2_COLLECTIVE_OP_BARRIER;
  }
}

OTF2_RegionRole role_of(Call call) {
  switch (class_of(call)) {
    case CallClass::collective:
    case CallClass::icollective:
    case CallClass::collective_init:
      if (blocking_form(call) == Call::Barrier) return OTF2_REGION_ROLE_BARRIER;
      if (!has_root(call)) return OTF2_REGION_ROLE_COLL_ALL2ALL;
      switch (blocking_form(call)) {
        case Call::Bcast:
        case Call::Scatter:
        case Call::Scatterv:
          return OTF2_REGION_ROLE_COLL_ONE2ALL;
        default:
          return OTF2_REGION_ROLE_COLL_ALL2ONE;
      }
    case CallClass::send:
    case CallClass::isend:
    case CallClass::recv:
    case CallClass::irecv:
    case CallClass::sendrecv:
    case CallClass::isendrecv:
    case CallClass::persistent:
    case CallClass::start:
    case CallClass::completion:
    case CallClass::probe:
    case CallClass::request_free:
      return OTF2_REGION_ROLE_POINT2POINT;
    case CallClass::comm_create:
    case CallClass::comm_free:
      return OTF2_REGION_ROLE_COLL_OTHER;
    default:
      return OTF2_REGION_ROLE_WRAPPER;
  }
}

bool has_own_lists(Call call) {
  const ListLayout layout = list_layout(call);
  return layout == ListLayout::both || layout == ListLayout::neighbours ||
         layout == ListLayout::neighbours_and_bytes;
}

/// The data common to all ranks.
struct Written {
  const Trace& trace;
  Files& files;
  Tables tables;
  std::int64_t first_ns = 0;
  std::vector<bool> created;  ///< communicators with a record of their creation
  std::vector<std::uint32_t>
      parents;  ///< number of each communicator's parent, or OTF2's number for none
};

struct WrittenLocation {
  OTF2_LocationRef id;
  std::size_t rank;
  std::uint64_t events;
};

/// Writes the events of one rank, one location for each of its threads.
class RankWriter {
 public:
  RankWriter(Written& whole, std::size_t rank, std::span<const Message> received)
      : whole_(whole),
        otf2_(whole.files.otf2()),
        rank_(whole.trace.ranks[rank]),
        number_(rank),
        received_(received),
        paths_(whole.trace, whole.tables),
        attributes_(otf2_, whole.tables),
        has_sites_(!rank_.sites.empty() && !whole.trace.frames.empty()) {}

  /// Adds locations to `locations`; returns the number of calls that belong to no location.
  std::map<std::string, std::uint64_t> run(std::vector<WrittenLocation>& locations) {
    std::map<std::uint16_t, OTF2_EvtWriter*> writers;
    if (rank_.threads.empty()) writers[0] = nullptr;
    for (const std::uint16_t thread : rank_.threads) writers[thread] = nullptr;
    const std::uint16_t first = rank_.threads.empty() ? 0 : rank_.threads.front();
    const auto location = [&](std::uint16_t thread) {
      return std::uint64_t{thread == first ? 0U : thread + 1U} << kOthersThreads | number_;
    };
    for (auto& [thread, writer] : writers) {
      writer = otf2_.OTF2_Archive_GetEvtWriter(whole_.files.get(), location(thread));
      if (writer == nullptr) whole_.files.check(OTF2_ERROR_INVALID_ARGUMENT);
    }
    for (const auto& [name, count] : rank_.call_counts) left_[name] += count;
    for (std::uint32_t id = 0; id < rank_.events.size(); ++id) {
      out_ = writers.at(rank_.threads.empty() ? 0 : rank_.threads[id]);
      event(id);
    }
    for (const auto& [thread, writer] : writers) {
      std::uint64_t events = 0;
      check(otf2_.OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
      locations.push_back({location(thread), number_, events});
      check(otf2_.OTF2_Archive_CloseEvtWriter(whole_.files.get(), writer));
    }
    std::erase_if(left_, [](const auto& counted) { return counted.second == 0; });
    return std::move(left_);
  }

 private:
  void check(OTF2_ErrorCode code) const { whole_.files.check(code); }
  [[noreturn]] void refuse(const Event& event, const char* why) const {
    throw InputError(where(rank_, event) + " cannot be written as OTF2: " + why);
  }
  OTF2_TimeStamp ticks(std::int64_t ns) const {
    return static_cast<OTF2_TimeStamp>(ns - whole_.first_ns);
  }
  static std::uint64_t request_of(std::uint32_t id) { return 2 * std::uint64_t{id} + 2; }
  /// The second request of an Isendrecv, for its receive.
  static std::uint64_t second_request_of(std::uint32_t id) { return request_of(id) + 1; }

  void event(std::uint32_t id) {
    const Event& e = rank_.events[id];
    const CallClass kind = class_of(e.call);
    if ((e.flags & kUnrecorded) != 0) {
      refuse(e, "it names a request that no recorded call has made");
    }
    switch (kind) {
      case CallClass::partitioned:
      case CallClass::ready:
      case CallClass::collective_init:
        refuse(e, "the format has no records of partitioned and of persistent collective calls");
      case CallClass::completion:
        if (requests_of(rank_, e).empty())
          return;  // the call's time is computation, as for a local call
        break;
      default:
        break;
    }
    if (const auto found = left_.find(std::string(name_of(e.call))); found != left_.end()) {
      if (found->second > 0) --found->second;
    }
    enter_ = ticks(e.enter_ns);
    leave_ = ticks(e.leave_ns);
    const std::uint32_t region = whole_.tables.call(e.call);
    const bool unsupported = (e.flags & kUnsupported) != 0;
    if (has_sites_) attributes_.call_path(paths_.of(rank_.sites[id]));
    if (unsupported) attributes_.flag(kNotInGraphs);
    check(otf2_.OTF2_EvtWriter_Enter(out_, attributes_.list(), enter_, region));
    if (!unsupported) records(id, e);
    check(otf2_.OTF2_EvtWriter_Leave(out_, nullptr, leave_, region));
  }

  void records(std::uint32_t id, const Event& e) {
    switch (class_of(e.call)) {
      case CallClass::send:
      case CallClass::recv:
      case CallClass::sendrecv:
        return blocking(e);
      case CallClass::isend:
      case CallClass::irecv:
      case CallClass::isendrecv:
        return post(e, id);
      case CallClass::start:
        return start(e);
      case CallClass::request_free:
        return free(e);
      case CallClass::completion:
        for (const std::uint32_t request : requests_of(rank_, e)) complete(request);
        return;
      case CallClass::collective:
        check(otf2_.OTF2_EvtWriter_MpiCollectiveBegin(out_, nullptr, enter_));
        return collective(e, std::nullopt);
      case CallClass::icollective:
        check(otf2_.OTF2_EvtWriter_NonBlockingCollectiveRequest(out_, nullptr, enter_,
                                                                request_of(id)));
        return;
      case CallClass::comm_create:
        return create(e);
      case CallClass::comm_free:
        return destroy(e);
      default:
        return;  // the call's enter and leave have all the data
    }
  }

  /// The message of the next receive that is not from MPI_PROC_NULL.
  Message next_received(const Event& e) {
    const Message message = received_[next_received_++];
    if (message.peer == kAnySource || message.tag == kAnyTag) {
      refuse(e, "the sender of its message is unknown");
    }
    return message;
  }
  static auto rank_in(const Message& message) { return static_cast<std::uint32_t>(message.peer); }
  static auto tag_in(const Message& message) { return static_cast<std::uint32_t>(message.tag); }

  void blocking(const Event& e) {
    std::optional<Message> in;
    std::optional<Message> out;
    for_each_message(rank_, e, [&](const Event&, bool receives, const Message& message) {
      if (message.peer == kProcNull) return;
      if (receives) {
        in = next_received(e);
      } else {
        out = message;
      }
    });
    if (out) {
      check(otf2_.OTF2_EvtWriter_MpiSend(out_, nullptr, enter_, rank_in(*out), e.comm, tag_in(*out),
                                         out->bytes));
    }
    if (in) {
      check(otf2_.OTF2_EvtWriter_MpiRecv(out_, nullptr, leave_, rank_in(*in), e.comm, tag_in(*in),
                                         in->bytes));
    }
  }

  void post(const Event& e, std::uint32_t id) {
    for_each_message(rank_, e, [&](const Event&, bool receives, const Message& message) {
      posted(e, id, e, receives, message);
    });
  }
  /// Writes an operation that `posting` posts and `made` describes, under the request of event
  /// `id`.
  void posted(const Event& posting, std::uint32_t id, const Event& made, bool receives,
              const Message& message) {
    if (message.peer == kProcNull) return;
    const bool both = class_of(made.call) == CallClass::isendrecv;
    if (receives) {
      const std::uint64_t request = both ? second_request_of(id) : request_of(id);
      open_[request] = {true, next_received(posting)};
      check(otf2_.OTF2_EvtWriter_MpiIrecvRequest(out_, nullptr, enter_, request));
      return;
    }
    open_[request_of(id)] = {false, message};
    const bool starts = class_of(posting.call) == CallClass::start;
    const Call as = starts ? started_as(made.call) : Call::Isend;
    if (as != Call::Isend) attributes_.text(kStarted, std::string(name_of(as)));
    check(otf2_.OTF2_EvtWriter_MpiIsend(out_, attributes_.list(), enter_, rank_in(message),
                                        made.comm, tag_in(message), message.bytes, request_of(id)));
  }

  void start(const Event& e) {
    for (std::size_t slot = 0; slot < requests_of(rank_, e).size(); ++slot) {
      const Started operation = started(rank_, e, slot);
      if ((operation.made.flags & kUnsupported) != 0) continue;
      posted(e, operation.id, operation.made, receives(operation.made.call), operation.message);
    }
  }

  /// Writes a call that frees requests. OTF2 has received messages only in completions, so the
  /// message of a freed receive is lost.
  void free(const Event& e) {
    for (const std::uint32_t id : requests_of(rank_, e)) {
      const auto found = open_.find(request_of(id));
      if (found == open_.end()) continue;
      if (receives(rank_.events[id].call)) refuse(e, "it frees a receive that is not completed");
      open_.erase(found);
    }
  }

  void complete(std::uint32_t id) {
    const Event& made = rank_.events[id];
    if ((made.flags & kUnsupported) != 0) return;
    if (class_of(made.call) == CallClass::icollective) return collective(made, request_of(id));
    for (const std::uint64_t request : {request_of(id), second_request_of(id)}) {
      const auto found = open_.find(request);
      if (found == open_.end()) continue;  // a message with MPI_PROC_NULL
      const auto [receives, message] = found->second;
      open_.erase(found);
      if (receives) {
        check(otf2_.OTF2_EvtWriter_MpiIrecv(out_, nullptr, leave_, rank_in(message), made.comm,
                                            tag_in(message), message.bytes, request));
      } else {
        check(otf2_.OTF2_EvtWriter_MpiIsendComplete(out_, nullptr, leave_, request));
      }
    }
  }

  void collective(const Event& e, std::optional<std::uint64_t> request) {
    const Members& group = whole_.trace.communicators[e.comm].group;
    const std::optional<std::int32_t> place = group.place_of(number_);
    if (!place) refuse(e, "it is called by a rank outside the communicator");
    const auto self = static_cast<std::uint64_t>(*place);
    const Call blocking = blocking_form(e.call);
    const bool in_place = (e.flags & kInPlace) != 0;
    const CollectiveArgs args = collective_of(rank_, e);
    const Sums sums = sums_of(blocking, args, in_place, self, group.size());
    const bool rooted = has_root(blocking);
    const auto root = rooted ? static_cast<std::uint32_t>(args.root)
                             : static_cast<std::uint32_t>(OTF2_COLLECTIVE_ROOT_NONE);
    const Sizes sizes =
        sizes_of(blocking, sums.sent, sums.received, rooted && root == self, self, group.size());
    if (in_place) attributes_.flag(kGivenInPlace);
    if (args.user_op) attributes_.flag(kOwnOperation);
    if (args.element > 1) attributes_.element(args.element);
    if (in_place || has_own_lists(e.call) || own_bytes(blocking, sizes) != args.bytes) {
      attributes_.bytes(args.bytes);
    }
    if (has_own_lists(e.call)) attributes_.text(kLists, list_of(e, args.lists.values));
    const OTF2_CollectiveOp operation = operation_of(blocking);
    if (request) {
      check(otf2_.OTF2_EvtWriter_NonBlockingCollectiveComplete(out_, attributes_.list(), leave_,
                                                               operation, e.comm, root, sums.sent,
                                                               sums.received, *request));
    } else {
      check(otf2_.OTF2_EvtWriter_MpiCollectiveEnd(out_, attributes_.list(), leave_, operation,
                                                  e.comm, root, sums.sent, sums.received));
    }
  }

  /// Event::bytes as they follow from the sums.
  static std::uint64_t own_bytes(Call blocking, const Sizes& sizes) {
    switch (blocking) {
      case Call::Barrier:
        return 0;
      case Call::Gatherv:
      case Call::Allgatherv:
        return sizes.gives;
      case Call::Scatterv:
      case Call::Reduce_scatter:
        return sizes.gets;
      default:
        return std::max(sizes.gives, sizes.gets);
    }
  }

  std::string list_of(const Event& e, std::size_t count) const {
    std::string text;
    if (e.args == kNoArgs) return text;
    for (const std::int64_t value : std::span(rank_.args).subspan(e.args, count)) {
      if (!text.empty()) text += ' ';
      text += std::to_string(value);
    }
    return text;
  }

  void create(const Event& e) {
    const std::optional<std::int64_t> made = communicator_made(rank_, e);
    const bool member = made.value_or(kCommNull) != kCommNull;
    const auto comm = member ? static_cast<std::uint32_t>(*made) : kWorld;
    // Over the parent; if not all members of the parent take part, over the new communicator.
    check(otf2_.OTF2_EvtWriter_MpiCollectiveBegin(out_, nullptr, enter_));
    if (member) {
      whole_.created[comm] = true;
      if (comm != e.comm) whole_.parents[comm] = e.comm;
      check(otf2_.OTF2_EvtWriter_CommCreate(out_, nullptr, leave_, comm));
    }
    check(otf2_.OTF2_EvtWriter_MpiCollectiveEnd(
        out_, nullptr, leave_, OTF2_COLLECTIVE_OP_CREATE_HANDLE,
        made_by_members(e.call) ? comm : e.comm, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
  }

  void destroy(const Event& e) {
    if (!whole_.created[e.comm]) return;
    check(otf2_.OTF2_EvtWriter_MpiCollectiveBegin(out_, nullptr, enter_));
    check(otf2_.OTF2_EvtWriter_CommDestroy(out_, nullptr, leave_, e.comm));
    check(otf2_.OTF2_EvtWriter_MpiCollectiveEnd(out_, nullptr, leave_,
                                                OTF2_COLLECTIVE_OP_DESTROY_HANDLE, e.comm,
                                                OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
  }

  Written& whole_;
  const Library& otf2_;
  const RankTrace& rank_;
  std::size_t number_;
  std::span<const Message> received_;
  std::size_t next_received_ = 0;
  CallPaths paths_;
  Attributes attributes_;
  bool has_sites_;
  OTF2_EvtWriter* out_ = nullptr;
  OTF2_TimeStamp enter_ = 0;
  OTF2_TimeStamp leave_ = 0;
  struct Open {
    bool receives;
    Message message;
  };
  std::unordered_map<std::uint64_t, Open> open_;  ///< by request
  std::map<std::string, std::uint64_t> left_;  ///< number of calls that have not been written yet
};

/// For each location, the number of its process's calls that are not in the archive.
using Left = std::vector<std::map<std::string, std::uint64_t>>;

/// Writes the objects to which events refer.
class WrittenDefinitions {
 public:
  WrittenDefinitions(Written& whole, const std::vector<WrittenLocation>& locations,
                     const Left& left)
      : whole_(whole), otf2_(whole.files.otf2()), locations_(locations), left_(left) {}

  void write(std::int64_t length_ns) {
    out_ = otf2_.OTF2_Archive_GetGlobalDefWriter(whole_.files.get());
    if (out_ == nullptr) check(OTF2_ERROR_INVALID_ARGUMENT);
    check(otf2_.OTF2_GlobalDefWriter_WriteClockProperties(out_, kTicksPerSecond, 0,
                                                          static_cast<std::uint64_t>(length_ns) + 1,
                                                          OTF2_UNDEFINED_TIMESTAMP));
    intern();
    const auto& strings = whole_.tables.strings.in_order();
    for (std::uint32_t i = 0; i < strings.size(); ++i) {
      check(otf2_.OTF2_GlobalDefWriter_WriteString(out_, i, strings[i]->c_str()));
    }
    check(otf2_.OTF2_GlobalDefWriter_WriteParadigm(out_, OTF2_PARADIGM_MPI, text("MPI"),
                                                   OTF2_PARADIGM_CLASS_PROCESS));
    attributes();
    processes();
    regions();
    communicators();
    paths();
    check(otf2_.OTF2_Archive_CloseGlobalDefWriter(whole_.files.get(), out_));
  }

 private:
  void check(OTF2_ErrorCode code) const { whole_.files.check(code); }
  /// The number of a text; new texts can be added until they are written.
  std::uint32_t text(const std::string& of) { return whole_.tables.strings.of(of); }

  static std::string process(std::size_t rank) { return "MPI Rank " + std::to_string(rank); }
  static std::string thread(OTF2_LocationRef location) {
    const std::uint64_t number = location >> kOthersThreads;
    return number == 0 ? "Master thread" : "Thread " + std::to_string(number);
  }
  static std::string property(const std::string& call) { return std::string(kCalls) + call; }

  void intern() {
    for (const std::string_view* const name : whole_.tables.attributes.in_order()) {
      text(std::string(*name));
    }
    for (const WrittenLocation& location : locations_) {
      text(process(location.rank));
      text(thread(location.id));
    }
    for (const auto& own : left_) {
      for (const auto& [call, count] : own) text(property(call));
    }
    for (const char* name : {"", "MPI", "machine", "MPI_COMM_WORLD"}) text(name);
  }

  void attributes() {
    const auto& names = whole_.tables.attributes.in_order();
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      check(otf2_.OTF2_GlobalDefWriter_WriteAttribute(out_, i, text(std::string(*names[i])),
                                                      text(""), type_of(*names[i])));
    }
  }

  void processes() {
    check(otf2_.OTF2_GlobalDefWriter_WriteSystemTreeNode(out_, 0, text("machine"), text("machine"),
                                                         OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (std::uint32_t rank = 0; rank < whole_.trace.ranks.size(); ++rank) {
      check(otf2_.OTF2_GlobalDefWriter_WriteLocationGroup(out_, rank, text(process(rank)),
                                                          OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                          OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (const WrittenLocation& location : locations_) {
      check(otf2_.OTF2_GlobalDefWriter_WriteLocation(out_, location.id, text(thread(location.id)),
                                                     OTF2_LOCATION_TYPE_CPU_THREAD, location.events,
                                                     static_cast<std::uint32_t>(location.rank)));
      if (location.id >> kOthersThreads != 0) continue;
      for (const auto& [call, count] : left_[location.rank]) {
        OTF2_AttributeValue value;
        value.uint64 = count;
        check(otf2_.OTF2_GlobalDefWriter_WriteLocationProperty(
            out_, location.id, text(property(call)), OTF2_TYPE_UINT64, value));
      }
    }
  }

  void regions() {
    const auto& regions = whole_.tables.regions.in_order();
    for (std::uint32_t i = 0; i < regions.size(); ++i) {
      const Region& region = *regions[i];
      const OTF2_RegionRole role = region.call
                                       ? role_of(*region.call)
                                       : static_cast<OTF2_RegionRole>(OTF2_REGION_ROLE_FUNCTION);
      check(otf2_.OTF2_GlobalDefWriter_WriteRegion(
          out_, i, region.name, region.name, text(""), role,
          region.call ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, region.file,
          0, 0));
    }
  }

  void group(std::uint32_t number, OTF2_GroupType type, const std::vector<std::uint64_t>& members) {
    check(otf2_.OTF2_GlobalDefWriter_WriteGroup(
        out_, number, text(""), type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
        static_cast<std::uint32_t>(members.size()), members.data()));
  }

  void communicators() {
    std::vector<std::uint64_t> members(whole_.trace.ranks.size());
    std::iota(members.begin(), members.end(), std::uint64_t{0});
    group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, members);
    const std::vector<Communicator>& all = whole_.trace.communicators;
    std::map<std::vector<std::int32_t>, std::uint32_t> groups;
    for (const Communicator& communicator : all) {
      const auto number = static_cast<std::uint32_t>(groups.size() + 1);
      if (!groups.try_emplace(communicator.group, number).second) continue;
      members.assign(communicator.group.begin(), communicator.group.end());
      group(number, OTF2_GROUP_TYPE_COMM_GROUP, members);
    }
    // Parents precede the communicators made from them.
    std::vector<bool> written(all.size());
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      for (std::uint32_t comm = i; comm != OTF2_UNDEFINED_COMM && !written[comm];
           comm = whole_.parents[comm]) {
        written[comm] = true;
        open.push_back(comm);
      }
      for (; !open.empty(); open.pop_back()) {
        const std::uint32_t comm = open.back();
        const OTF2_CommFlag flag =
            whole_.created[comm] ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
        check(otf2_.OTF2_GlobalDefWriter_WriteComm(
            out_, comm, text(comm == kWorld ? "MPI_COMM_WORLD" : ""), groups.at(all[comm].group),
            whole_.parents[comm], flag));
      }
    }
  }

  void paths() {
    const auto& lines = whole_.tables.lines.in_order();
    for (std::uint32_t i = 0; i < lines.size(); ++i) {
      check(otf2_.OTF2_GlobalDefWriter_WriteSourceCodeLocation(out_, i, lines[i]->first,
                                                               lines[i]->second));
    }
    const auto& contexts = whole_.tables.contexts.in_order();
    for (std::uint32_t i = 0; i < contexts.size(); ++i) {
      check(otf2_.OTF2_GlobalDefWriter_WriteCallingContext(out_, i, contexts[i]->region,
                                                           contexts[i]->line, contexts[i]->parent));
    }
  }

  Written& whole_;
  const Library& otf2_;
  const std::vector<WrittenLocation>& locations_;
  const Left& left_;
  OTF2_GlobalDefWriter* out_ = nullptr;
};

/// Makes each location's own file of definitions, which is empty: all definitions are global.
void local_definitions(Files& files, const std::vector<WrittenLocation>& locations) {
  const Library& otf2 = files.otf2();
  files.check(otf2.OTF2_Archive_OpenDefFiles(files.get()));
  for (const WrittenLocation& location : locations) {
    OTF2_DefWriter* const out = otf2.OTF2_Archive_GetDefWriter(files.get(), location.id);
    if (out == nullptr) files.check(OTF2_ERROR_INVALID_ARGUMENT);
    files.check(otf2.OTF2_Archive_CloseDefWriter(files.get(), out));
  }
  files.check(otf2.OTF2_Archive_CloseDefFiles(files.get()));
}

std::vector<Warning> not_kept(const Trace& trace) {
  std::string what;
  const auto add = [&](bool there, std::string_view name) {
    if (there) what.append(what.empty() ? "" : ", ").append(name);
  };
  const auto any = [&](auto has) { return std::ranges::any_of(trace.ranks, has); };
  add(any([](const RankTrace& rank) { return rank.wall.has_value(); }),
      "how the ranks' wall time went");
  add(any([](const RankTrace& rank) { return rank.useful_ns.has_value(); }) || trace.whole_ns > 0,
      "the time outside of MPI_Init and MPI_Finalize");
  add(!trace.modules.empty(), "the addresses of call sites");
  add(trace.no_common_clock.empty(), "that one clock gave the times of all ranks");
  std::vector<Warning> warnings;
  if (!what.empty()) warnings.push_back({"not-kept", "OTF2 has no place for " + what});
  return warnings;
}

}  // namespace

std::vector<Warning> write(const Trace& trace, const std::string& folder, unsigned threads) {
  library();  // names the package to install, before the work begins
  const std::vector<std::vector<Message>> messages = received(trace, threads);
  Files files(folder, trace.ranks.size());
  Written whole{trace,
                files,
                {},
                0,
                std::vector<bool>(trace.communicators.size()),
                std::vector<std::uint32_t>(trace.communicators.size(), OTF2_UNDEFINED_COMM)};
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  whole.first_ns = std::numeric_limits<std::int64_t>::max();
  for (const RankTrace& rank : trace.ranks) {
    for (const Event& event : rank.events) {
      whole.first_ns = std::min({whole.first_ns, event.enter_ns, event.leave_ns});
      last_ns = std::max({last_ns, event.enter_ns, event.leave_ns});
    }
  }
  std::vector<WrittenLocation> locations;
  Left left;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    left.push_back(RankWriter(whole, rank, messages[rank]).run(locations));
  }
  files.check(files.otf2().OTF2_Archive_CloseEvtFiles(files.get()));
  local_definitions(files, locations);
  WrittenDefinitions(whole, locations, left)
      .write(std::max<std::int64_t>(0, last_ns - whole.first_ns));
  files.close();
  return not_kept(trace);
}

}  // namespace latitude::trace::otf2
