#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/trace/otf2/attributes.hpp"
#include "core/trace/otf2/library.hpp"
#include "core/trace/otf2/log.hpp"

namespace latitude::trace::otf2 {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr OTF2_CallbackCode kNext = OTF2_CALLBACK_SUCCESS;

/// Global definitions.
struct Definitions {
  struct Location {
    OTF2_LocationRef id;
    OTF2_LocationGroupRef process;
    OTF2_LocationType type;
  };
  struct Group {
    OTF2_GroupType type;
    std::vector<std::uint64_t> members;
  };
  struct Region {
    OTF2_StringRef name;
    OTF2_StringRef file;
    std::uint32_t line;
  };
  struct Context {
    OTF2_RegionRef region;
    OTF2_SourceCodeLocationRef place;
    OTF2_CallingContextRef parent;
  };
  struct Property {
    OTF2_LocationRef location;
    OTF2_StringRef name;
    std::uint64_t value;
  };
  std::map<OTF2_StringRef, std::string> strings;
  std::map<OTF2_RegionRef, Region> regions;
  std::map<OTF2_AttributeRef, OTF2_StringRef> attributes;
  std::map<OTF2_SourceCodeLocationRef, std::pair<OTF2_StringRef, std::uint32_t>> places;
  std::map<OTF2_CallingContextRef, Context> contexts;
  std::vector<Property> properties;  ///< properties that are whole numbers
  std::vector<Location> locations;
  std::map<OTF2_GroupRef, Group> groups;
  std::vector<OTF2_LocationRef> ranks;  ///< locations of MPI_COMM_WORLD's ranks
  std::vector<std::pair<OTF2_CommRef, OTF2_GroupRef>> communicators;
  std::vector<OTF2_CommRef> inter_communicators;
  std::uint64_t ticks_per_s = 0;
  std::uint64_t first_tick = 0;

  /// The text of a string definition; "" if not defined.
  const std::string& text(OTF2_StringRef string) const {
    static const std::string kNone;
    const auto found = strings.find(string);
    return found == strings.end() ? kNone : found->second;
  }
  std::int64_t ns(OTF2_TimeStamp ticks) const {
    constexpr std::uint64_t kNsPerS = 1000000000;
    const std::uint64_t since = ticks > first_tick ? ticks - first_tick : 0;
    const Wide ns = ticks_per_s == kNsPerS ? Wide{since} : Wide{since} * kNsPerS / ticks_per_s;
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 4);
    return static_cast<std::int64_t>(ns < kMost ? static_cast<std::uint64_t>(ns) : kMost);
  }
};

Definitions& definitions_of(void* user) { return *static_cast<Definitions*>(user); }

OTF2_CallbackCode on_clock(void* user, std::uint64_t resolution, std::uint64_t offset,
                           std::uint64_t /*length*/, std::uint64_t /*realtime*/) {
  definitions_of(user).ticks_per_s = resolution;
  definitions_of(user).first_tick = offset;
  return kNext;
}
OTF2_CallbackCode on_string(void* user, OTF2_StringRef self, const char* string) {
  definitions_of(user).strings[self] = string;
  return kNext;
}
OTF2_CallbackCode on_location(void* user, OTF2_LocationRef self, OTF2_StringRef /*name*/,
                              OTF2_LocationType type, std::uint64_t /*events*/,
                              OTF2_LocationGroupRef process) {
  definitions_of(user).locations.push_back({self, process, type});
  return kNext;
}
OTF2_CallbackCode on_region(void* user, OTF2_RegionRef self, OTF2_StringRef name,
                            OTF2_StringRef /*canonical*/, OTF2_StringRef /*description*/,
                            OTF2_RegionRole /*role*/, OTF2_Paradigm /*paradigm*/,
                            OTF2_RegionFlag /*flags*/, OTF2_StringRef file, std::uint32_t begin,
                            std::uint32_t /*end*/) {
  definitions_of(user).regions[self] = {name, file, begin};
  return kNext;
}
OTF2_CallbackCode on_attribute(void* user, OTF2_AttributeRef self, OTF2_StringRef name,
                               OTF2_StringRef /*description*/, OTF2_Type /*type*/) {
  definitions_of(user).attributes[self] = name;
  return kNext;
}
OTF2_CallbackCode on_place(void* user, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
                           std::uint32_t line) {
  definitions_of(user).places[self] = {file, line};
  return kNext;
}
OTF2_CallbackCode on_context(void* user, OTF2_CallingContextRef self, OTF2_RegionRef region,
                             OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef parent) {
  definitions_of(user).contexts[self] = {region, place, parent};
  return kNext;
}
OTF2_CallbackCode on_property(void* user, OTF2_LocationRef location, OTF2_StringRef name,
                              OTF2_Type type, OTF2_AttributeValue value) {
  if (type == OTF2_TYPE_UINT64) {
    definitions_of(user).properties.push_back({location, name, value.uint64});
  }
  return kNext;
}
OTF2_CallbackCode on_group(void* user, OTF2_GroupRef self, OTF2_StringRef /*name*/,
                           OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag /*flags*/,
                           std::uint32_t count, const std::uint64_t* members) {
  Definitions& definitions = definitions_of(user);
  if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
    if (paradigm == OTF2_PARADIGM_MPI) definitions.ranks.assign(members, members + count);
  } else {
    definitions.groups[self] = {type, {members, members + count}};
  }
  return kNext;
}
OTF2_CallbackCode on_comm(void* user, OTF2_CommRef self, OTF2_StringRef /*name*/,
                          OTF2_GroupRef group, OTF2_CommRef /*parent*/, OTF2_CommFlag /*flags*/) {
  definitions_of(user).communicators.emplace_back(self, group);
  return kNext;
}
OTF2_CallbackCode on_inter_comm(void* user, OTF2_CommRef self, OTF2_StringRef /*name*/,
                                OTF2_GroupRef /*a*/, OTF2_GroupRef /*b*/, OTF2_CommRef /*common*/,
                                OTF2_CommFlag /*flags*/) {
  definitions_of(user).inter_communicators.push_back(self);
  return kNext;
}

/// Tables that translate the archive's definition numbers.
struct Meanings {
  struct Path {
    std::uint32_t frame;
    OTF2_CallingContextRef parent;
  };
  std::unordered_map<OTF2_RegionRef, std::uint32_t> calls;   ///< indices of MPI's regions
  std::unordered_map<OTF2_RegionRef, std::uint32_t> frames;  ///< indices of the program's functions
  std::unordered_map<OTF2_CallingContextRef, Path> paths;
  std::unordered_map<OTF2_AttributeRef, std::string_view>
      attributes;  ///< names from attributes.hpp
};

struct Moment {
  OTF2_TimeStamp ticks;
  std::uint64_t position;  ///< number of the event, from 1
};

/// Receives one location's events.
class Location {
 public:
  Location(const Library& otf2, const Definitions& definitions, const Meanings& meanings, Log& log)
      : otf2_(otf2), definitions_(definitions), meanings_(meanings), log_(log) {}

  std::int64_t at(const Moment& moment) {
    position_ = moment.position;
    return log_.end_ns = definitions_.ns(moment.ticks);
  }
  // Events after an error are ignored: their calls may lack their beginnings.
  void enter(const Moment& moment, OTF2_RegionRef region, const OTF2_AttributeList* attributes,
             OTF2_CallingContextRef from = OTF2_UNDEFINED_CALLING_CONTEXT) {
    if (!problem_.empty()) return;
    const std::int64_t ns = at(moment);
    const auto call = meanings_.calls.find(region);
    if (call == meanings_.calls.end()) return open(region);
    if (depth_++ > 0) return;  // an MPI library may call itself
    if (position_ > std::numeric_limits<std::uint32_t>::max()) {
      return fail("has more than 4294967294 events");
    }
    if (!log_.calls.empty() && ns < log_.calls.back().leave_ns) return fail("times run backwards");
    log_.calls.push_back({ns, ns, call->second, static_cast<std::uint32_t>(position_),
                          static_cast<std::uint32_t>(log_.records.size())});
    place(attributes, from, log_.calls.back());
  }
  /// Enters or leaves a region by the path to it (Score-P's unwinding): the path to a call is that
  /// of its callers.
  void enter_by(const Moment& moment, OTF2_CallingContextRef path,
                const OTF2_AttributeList* attributes) {
    const auto found = definitions_.contexts.find(path);
    if (found == definitions_.contexts.end()) return undefined_path(moment);
    enter(moment, found->second.region, attributes, found->second.parent);
  }
  void leave_by(const Moment& moment, OTF2_CallingContextRef path) {
    const auto found = definitions_.contexts.find(path);
    if (found == definitions_.contexts.end()) return undefined_path(moment);
    leave(moment, found->second.region);
  }
  void leave(const Moment& moment, OTF2_RegionRef region) {
    if (!problem_.empty()) return;
    const std::int64_t ns = at(moment);
    if (!meanings_.calls.contains(region)) return close(region);
    if (depth_ == 0) return fail("leaves a call that it has not entered");
    if (ns < log_.calls.back().enter_ns) return fail("times run backwards");
    if (--depth_ == 0) log_.calls.back().leave_ns = ns;
  }
  void record(const Moment& moment, Record record, const OTF2_AttributeList* attributes) {
    if (!problem_.empty()) return;
    at(moment);
    if (depth_ == 0) return fail("has an event of MPI outside the regions of MPI's calls");
    record.extra = extra(attributes);
    log_.records.push_back(record);
  }
  void flush(const Moment& from, OTF2_TimeStamp to) {
    const std::int64_t begin_ns = at(from);
    log_.out.push_back({begin_ns, std::max(begin_ns, definitions_.ns(to))});
  }
  void measure(const Moment& moment, bool on) {
    const std::int64_t ns = at(moment);
    if (on && off_since_) log_.out.push_back({*off_since_, ns});
    off_since_ = on ? std::nullopt : std::optional(off_since_.value_or(ns));
  }
  /// Call after all events: returns the error in them, or nothing.
  std::string finish() {
    if (off_since_) log_.out.push_back({*off_since_, log_.end_ns});
    if (problem_.empty() && depth_ > 0) fail("ends within a call of MPI; is the trace whole?");
    return problem_;
  }
  /// Exceptions cannot pass through the library, so the first error is stored.
  void fail(std::string_view what) {
    if (problem_.empty())
      problem_ = "event " + std::to_string(position_) + ": " + std::string(what);
  }

 private:
  /// A running function of the program.
  struct Open {
    std::uint32_t frame;
    std::uint32_t site;  ///< set when a call needs it, else kNoSite
  };

  void open(OTF2_RegionRef region) {
    const auto frame = meanings_.frames.find(region);
    if (frame != meanings_.frames.end() && depth_ == 0) open_.push_back({frame->second, kNoSite});
  }
  void close(OTF2_RegionRef region) {
    if (meanings_.frames.contains(region) && depth_ == 0 && !open_.empty()) open_.pop_back();
  }

  void undefined_path(const Moment& moment) {
    at(moment);
    fail("names a call path that is not defined");
  }

  /// Sets the origin of a call: from its attributes or its `path`, or else from the open functions.
  void place(const OTF2_AttributeList* attributes, OTF2_CallingContextRef path, LoggedCall& call) {
    for_each(attributes, [&](std::string_view name, OTF2_Type type, OTF2_AttributeValue value) {
      if (name == kCallPath && type == OTF2_TYPE_CALLING_CONTEXT) path = value.callingContextRef;
      if (name == kNotInGraphs && type == OTF2_TYPE_UINT8) call.not_in_graphs = value.uint8 != 0;
    });
    call.site = path == OTF2_UNDEFINED_CALLING_CONTEXT ? innermost() : site_of(path);
  }
  std::uint32_t innermost() {
    std::uint32_t caller = kNoSite;
    for (Open& function : open_) {
      if (function.site == kNoSite) function.site = site_of(function.frame, caller);
      caller = function.site;
    }
    return caller;
  }
  std::uint32_t site_of(OTF2_CallingContextRef path) {
    std::vector<OTF2_CallingContextRef> inner;
    auto found = meanings_.paths.find(path);
    while (found != meanings_.paths.end() && !site_of_path_.contains(path) &&
           inner.size() <= meanings_.paths.size()) {
      inner.push_back(path);
      path = found->second.parent;
      found = meanings_.paths.find(path);
    }
    if (inner.size() > meanings_.paths.size()) {
      fail("has a call path that leads back to itself");
      return kNoSite;
    }
    const auto known = site_of_path_.find(path);
    std::uint32_t site = known == site_of_path_.end() ? kNoSite : known->second;
    for (auto own = inner.rbegin(); own != inner.rend(); ++own) {
      site = site_of(meanings_.paths.at(*own).frame, site);
      site_of_path_[*own] = site;
    }
    return site;
  }
  std::uint32_t site_of(std::uint32_t frame, std::uint32_t caller) {
    const std::uint64_t key = std::uint64_t{caller} << 32 | frame;
    const auto [found, is_new] =
        sites_.try_emplace(key, static_cast<std::uint32_t>(log_.sites.size()));
    if (is_new) log_.sites.push_back({frame, caller});
    return found->second;
  }

  /// Calls take(name, type, value) for each known attribute.
  template <class Take>
  void for_each(const OTF2_AttributeList* attributes, Take take) {
    if (meanings_.attributes.empty()) return;
    const std::uint32_t count = otf2_.OTF2_AttributeList_GetNumberOfElements(attributes);
    for (std::uint32_t i = 0; i < count; ++i) {
      OTF2_AttributeRef number;
      OTF2_Type type;
      OTF2_AttributeValue value;
      if (otf2_.OTF2_AttributeList_GetAttributeByIndex(attributes, i, &number, &type, &value) !=
          OTF2_SUCCESS) {
        return fail("has attributes that cannot be read");
      }
      const auto name = meanings_.attributes.find(number);
      if (name != meanings_.attributes.end()) take(name->second, type, value);
    }
  }

  /// Index of the attributes' values; kNoExtra if the event has none.
  std::uint32_t extra(const OTF2_AttributeList* attributes) {
    Extra extra;
    bool any = false;
    for_each(attributes, [&](std::string_view name, OTF2_Type type, OTF2_AttributeValue value) {
      any = true;
      if (name == kGivenInPlace && type == OTF2_TYPE_UINT8) {
        extra.in_place = value.uint8 != 0;
      } else if (name == kOwnOperation && type == OTF2_TYPE_UINT8) {
        extra.own_operation = value.uint8 != 0;
      } else if (name == kElementBytes && type == OTF2_TYPE_UINT64) {
        extra.element = value.uint64;
      } else if (name == kElementBytes &&
                 type == OTF2_TYPE_UINT32) {  // as former versions wrote it
        extra.element = value.uint32;
      } else if (name == kBytes && type == OTF2_TYPE_UINT64) {
        extra.bytes = value.uint64;
      } else if (name == kStarted && type == OTF2_TYPE_STRING) {
        extra.started = call_named(definitions_.text(value.stringRef));
        const bool sends =
            extra.started != Call::count_ && class_of(extra.started) == CallClass::isend;
        if (!sends) fail("starts a call that does not send");
      } else if (name == kLists && type == OTF2_TYPE_STRING) {
        extra.lists = numbers(definitions_.text(value.stringRef));
      } else {
        fail("has the attribute " + std::string(name) + " where it means nothing");
      }
    });
    if (!any) return kNoExtra;
    log_.extras.push_back(std::move(extra));
    return static_cast<std::uint32_t>(log_.extras.size() - 1);
  }
  std::vector<std::int64_t> numbers(std::string_view text) {
    std::vector<std::int64_t> values;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      std::int64_t value = 0;
      const auto [last, error] = std::from_chars(text.data(), text.data() + end, value);
      if (error != std::errc() || last != text.data() + end) {
        fail("has lists of something other than numbers");
        return {};
      }
      values.push_back(value);
      text.remove_prefix(std::min(text.size(), end + 1));
    }
    return values;
  }

  const Library& otf2_;
  const Definitions& definitions_;
  const Meanings& meanings_;
  Log& log_;
  std::vector<Open> open_;                                  ///< outermost first
  std::unordered_map<std::uint64_t, std::uint32_t> sites_;  ///< by caller and frame
  std::unordered_map<OTF2_CallingContextRef, std::uint32_t> site_of_path_;
  std::uint64_t position_ = 0;
  std::uint32_t depth_ = 0;
  std::optional<std::int64_t> off_since_;
  std::string problem_;
};

Location& location_of(void* user) { return *static_cast<Location*>(user); }

// The library's callbacks begin with: location, time, position, user data, attributes.
#define LATITUDE_OTF2_EVENT                                                         \
  OTF2_LocationRef /*id*/, OTF2_TimeStamp time, std::uint64_t position, void *user, \
      [[maybe_unused]] OTF2_AttributeList *attributes

OTF2_CallbackCode on_unknown(LATITUDE_OTF2_EVENT) {
  location_of(user).at({time, position});
  return kNext;
}
OTF2_CallbackCode on_flush(LATITUDE_OTF2_EVENT, OTF2_TimeStamp until) {
  location_of(user).flush({time, position}, until);
  return kNext;
}
OTF2_CallbackCode on_measurement(LATITUDE_OTF2_EVENT, OTF2_MeasurementMode mode) {
  location_of(user).measure({time, position}, mode == OTF2_MEASUREMENT_ON);
  return kNext;
}
OTF2_CallbackCode on_enter(LATITUDE_OTF2_EVENT, OTF2_RegionRef region) {
  location_of(user).enter({time, position}, region, attributes);
  return kNext;
}
OTF2_CallbackCode on_leave(LATITUDE_OTF2_EVENT, OTF2_RegionRef region) {
  location_of(user).leave({time, position}, region);
  return kNext;
}
OTF2_CallbackCode on_enter_by(LATITUDE_OTF2_EVENT, OTF2_CallingContextRef path,
                              std::uint32_t /*unwound*/) {
  location_of(user).enter_by({time, position}, path, attributes);
  return kNext;
}
OTF2_CallbackCode on_leave_by(LATITUDE_OTF2_EVENT, OTF2_CallingContextRef path) {
  location_of(user).leave_by({time, position}, path);
  return kNext;
}
OTF2_CallbackCode on_send(LATITUDE_OTF2_EVENT, std::uint32_t receiver, OTF2_CommRef comm,
                          std::uint32_t tag, std::uint64_t bytes) {
  location_of(user).record(
      {time, position},
      {.kind = Kind::send, .peer = receiver, .tag = tag, .comm = comm, .bytes = bytes}, attributes);
  return kNext;
}
OTF2_CallbackCode on_isend(LATITUDE_OTF2_EVENT, std::uint32_t receiver, OTF2_CommRef comm,
                           std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
  location_of(user).record({time, position},
                           {.kind = Kind::isend,
                            .peer = receiver,
                            .tag = tag,
                            .comm = comm,
                            .bytes = bytes,
                            .request = request},
                           attributes);
  return kNext;
}
OTF2_CallbackCode on_isend_complete(LATITUDE_OTF2_EVENT, std::uint64_t request) {
  location_of(user).record({time, position}, {.kind = Kind::isend_complete, .request = request},
                           attributes);
  return kNext;
}
OTF2_CallbackCode on_irecv_request(LATITUDE_OTF2_EVENT, std::uint64_t request) {
  location_of(user).record({time, position}, {.kind = Kind::irecv_request, .request = request},
                           attributes);
  return kNext;
}
OTF2_CallbackCode on_recv(LATITUDE_OTF2_EVENT, std::uint32_t sender, OTF2_CommRef comm,
                          std::uint32_t tag, std::uint64_t bytes) {
  location_of(user).record(
      {time, position},
      {.kind = Kind::recv, .peer = sender, .tag = tag, .comm = comm, .bytes = bytes}, attributes);
  return kNext;
}
OTF2_CallbackCode on_irecv(LATITUDE_OTF2_EVENT, std::uint32_t sender, OTF2_CommRef comm,
                           std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
  location_of(user).record({time, position},
                           {.kind = Kind::irecv,
                            .peer = sender,
                            .tag = tag,
                            .comm = comm,
                            .bytes = bytes,
                            .request = request},
                           attributes);
  return kNext;
}
OTF2_CallbackCode on_cancelled(LATITUDE_OTF2_EVENT, std::uint64_t request) {
  location_of(user).record({time, position}, {.kind = Kind::cancelled, .request = request},
                           attributes);
  return kNext;
}
OTF2_CallbackCode on_collective(LATITUDE_OTF2_EVENT, OTF2_CollectiveOp /*op*/, OTF2_CommRef comm,
                                std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
  location_of(user).record(
      {time, position},
      {.kind = Kind::collective, .peer = root, .comm = comm, .bytes = sent, .received = received},
      attributes);
  return kNext;
}
OTF2_CallbackCode on_collective_request(LATITUDE_OTF2_EVENT, std::uint64_t request) {
  location_of(user).record({time, position}, {.kind = Kind::collective_request, .request = request},
                           attributes);
  return kNext;
}
OTF2_CallbackCode on_collective_complete(LATITUDE_OTF2_EVENT, OTF2_CollectiveOp /*op*/,
                                         OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                                         std::uint64_t received, std::uint64_t request) {
  location_of(user).record({time, position},
                           {.kind = Kind::collective_complete,
                            .peer = root,
                            .comm = comm,
                            .bytes = sent,
                            .received = received,
                            .request = request},
                           attributes);
  return kNext;
}

OTF2_CallbackCode on_comm_create(LATITUDE_OTF2_EVENT, OTF2_CommRef comm) {
  location_of(user).record({time, position}, {.kind = Kind::comm_create, .comm = comm}, attributes);
  return kNext;
}

#undef LATITUDE_OTF2_EVENT

class Reader {
 public:
  explicit Reader(const std::string& anchor) : otf2_(library()), anchor_(anchor) {
    reader_.reset(otf2_.OTF2_Reader_Open(anchor.c_str()));
    if (!reader_) throw InputError(anchor + ": cannot be opened as an OTF2 archive");
    check(otf2_.OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get()), "cannot be read");
  }

  void read(Archive& archive, const std::function<void(std::size_t)>& take) {
    read_definitions();
    archive.source = anchor_;
    name_regions(archive);
    name_the_rest(archive);
    const std::vector<OTF2_LocationRef> ranks = rank_locations();
    communicators(ranks, archive);
    archive.inter_communicators.assign(definitions_.inter_communicators.begin(),
                                       definitions_.inter_communicators.end());
    archive.ranks.resize(ranks.size());
    other_calls(ranks, archive);
    read_locations(ranks, archive, take);
  }

 private:
  struct Close {
    void operator()(OTF2_Reader* reader) const { library().OTF2_Reader_Close(reader); }
  };

  void check(OTF2_ErrorCode code, const std::string& what) const {
    if (code == OTF2_SUCCESS) return;
    throw InputError(anchor_ + ": " + what + " (" + otf2_.OTF2_Error_GetDescription(code) +
                     "); is the archive whole?");
  }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(anchor_ + ": " + what); }

  void read_definitions() {
    OTF2_GlobalDefReader* const definitions = otf2_.OTF2_Reader_GetGlobalDefReader(reader_.get());
    if (definitions == nullptr) fail("the file of its definitions cannot be read");
    OTF2_GlobalDefReaderCallbacks* const callbacks = otf2_.OTF2_GlobalDefReaderCallbacks_New();
    otf2_.OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    otf2_.OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    otf2_.OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    otf2_.OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    otf2_.OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    otf2_.OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    otf2_.OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_inter_comm);
    otf2_.OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
    otf2_.OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, on_property);
    otf2_.OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(callbacks, on_place);
    otf2_.OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(callbacks, on_context);
    otf2_.OTF2_Reader_RegisterGlobalDefCallbacks(reader_.get(), definitions, callbacks,
                                                 &definitions_);
    otf2_.OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    std::uint64_t count = 0;
    const OTF2_ErrorCode code =
        otf2_.OTF2_Reader_ReadAllGlobalDefinitions(reader_.get(), definitions, &count);
    otf2_.OTF2_Reader_CloseGlobalDefReader(reader_.get(), definitions);
    check(code, "its definitions cannot be read");
    if (definitions_.ticks_per_s == 0) fail("defines no clock");
  }

  /// Numbers MPI's regions from 0, because the archive's own numbers are arbitrary. All other
  /// regions are functions of the program.
  void name_regions(Archive& archive) {
    for (const auto& [id, region] : definitions_.regions) {
      const auto found = definitions_.strings.find(region.name);
      if (found == definitions_.strings.end()) continue;
      std::string_view text = found->second;
      if (text.starts_with("PMPI_")) text.remove_prefix(1);
      if (!text.starts_with("MPI_")) {
        meanings_.frames[id] = static_cast<std::uint32_t>(archive.frames.size());
        archive.frames.push_back({found->second, definitions_.text(region.file), region.line});
        continue;
      }
      if (!std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; })) {
        fail("region " + std::to_string(id) + " has an invalid name");
      }
      meanings_.calls[id] = static_cast<std::uint32_t>(archive.regions.size());
      archive.regions.emplace_back(text);
    }
    if (meanings_.calls.empty()) fail("defines no region of MPI; was the program run with MPI?");
  }

  /// Names call paths and attributes.
  void name_the_rest(Archive& archive) {
    for (const auto& [id, context] : definitions_.contexts) {
      const auto region = definitions_.regions.find(context.region);
      if (region == definitions_.regions.end()) continue;
      Frame frame{definitions_.text(region->second.name), definitions_.text(region->second.file),
                  region->second.line};
      const auto place = definitions_.places.find(context.place);
      if (place != definitions_.places.end()) {
        frame.file = definitions_.text(place->second.first);
        frame.line = place->second.second;
      }
      meanings_.paths[id] = {static_cast<std::uint32_t>(archive.frames.size()), context.parent};
      archive.frames.push_back(std::move(frame));
    }
    for (const auto& [id, name] : definitions_.attributes) {
      const std::string_view text = definitions_.text(name);
      const auto known = std::ranges::find(kAttributes, text);
      if (known != std::end(kAttributes)) meanings_.attributes[id] = *known;
    }
  }

  /// Counts the calls without events in the archive.
  void other_calls(const std::vector<OTF2_LocationRef>& ranks, Archive& archive) const {
    std::unordered_map<OTF2_LocationRef, std::size_t> rank_of;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) rank_of[ranks[rank]] = rank;
    for (const Definitions::Property& property : definitions_.properties) {
      const std::string& name = definitions_.text(property.name);
      const auto rank = rank_of.find(property.location);
      if (rank == rank_of.end() || !name.starts_with(kCalls)) continue;
      constexpr std::uint64_t kMost = std::uint64_t{1} << 56;
      if (property.value > kMost) fail("has an absurdly high count of a call");
      archive.ranks[rank->second].other_calls.emplace_back(name.substr(kCalls.size()),
                                                           property.value);
    }
  }

  /// The location of each rank of MPI_COMM_WORLD.
  std::vector<OTF2_LocationRef> rank_locations() const {
    const std::vector<OTF2_LocationRef>& ranks = definitions_.ranks;
    if (ranks.empty()) fail("defines no group of MPI's processes");
    std::set<OTF2_LocationRef> left;
    for (const Definitions::Location& location : definitions_.locations) left.insert(location.id);
    for (const OTF2_LocationRef rank : ranks) {
      if (left.erase(rank) == 0) {
        fail("location " + std::to_string(rank) +
             " of MPI's processes is not defined, or is twice");
      }
    }
    return ranks;
  }

  void communicators(const std::vector<OTF2_LocationRef>& ranks, Archive& archive) const {
    std::map<OTF2_GroupRef, Members> known;  // many communicators may have one group
    for (const auto& [id, group] : definitions_.communicators) {
      const auto found = definitions_.groups.find(group);
      if (found == definitions_.groups.end()) {
        fail("communicator " + std::to_string(id) + " has an undefined group");
      }
      const Definitions::Group& members = found->second;
      if (members.type == OTF2_GROUP_TYPE_COMM_SELF) {
        archive.of_one_each.push_back(id);
        continue;
      }
      if (members.type != OTF2_GROUP_TYPE_COMM_GROUP) continue;  // groups of threads, and similar
      const auto [of_group, is_new] = known.try_emplace(group);
      if (is_new) of_group->second = members_of(members, id, ranks.size());
      if (!of_group->second.empty()) archive.communicators.emplace_back(id, of_group->second);
    }
  }

  Members members_of(const Definitions::Group& group, OTF2_CommRef communicator,
                     std::size_t ranks) const {
    std::vector<std::int32_t> members;
    std::set<std::uint64_t> seen;
    for (const std::uint64_t rank : group.members) {
      if (rank >= ranks || !seen.insert(rank).second) {
        fail("communicator " + std::to_string(communicator) + " names rank " +
             std::to_string(rank) + " of " + std::to_string(ranks) + ", or names it twice");
      }
      members.push_back(static_cast<std::int32_t>(rank));
    }
    return members;
  }

  void read_locations(const std::vector<OTF2_LocationRef>& ranks, Archive& archive,
                      const std::function<void(std::size_t)>& take) {
    const auto [of_ranks, of_none] = other_threads(ranks);
    const auto select = [this](const std::vector<OTF2_LocationRef>& locations) {
      for (const OTF2_LocationRef location : locations) {
        check(otf2_.OTF2_Reader_SelectLocation(reader_.get(), location), "cannot be read");
      }
    };
    select(ranks);
    std::ranges::for_each(of_ranks, select);
    select(of_none);
    const bool local = otf2_.OTF2_Reader_OpenDefFiles(reader_.get()) == OTF2_SUCCESS;
    check(otf2_.OTF2_Reader_OpenEvtFiles(reader_.get()), "its events cannot be opened");
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      Log& log = archive.ranks[rank];
      read_location(ranks[rank], local, log);
      for (const OTF2_LocationRef location : of_ranks[rank]) {
        Log thread;
        read_location(location, local, thread);
        if (!thread.calls.empty()) log.threads.push_back(std::move(thread));
      }
      take(rank);
    }
    for (const OTF2_LocationRef location : of_none) {
      Log thread;
      read_location(location, local, thread);
      if (thread.calls.empty()) continue;
      throw InputError(thread.source + ": calls MPI, but its process has no rank, or several");
    }
    if (local) otf2_.OTF2_Reader_CloseDefFiles(reader_.get());
    otf2_.OTF2_Reader_CloseEvtFiles(reader_.get());
  }

  /// Threads that are not a rank's location: for each rank the threads of its process, and the
  /// threads of processes with no rank or with several.
  std::pair<std::vector<std::vector<OTF2_LocationRef>>, std::vector<OTF2_LocationRef>>
  other_threads(const std::vector<OTF2_LocationRef>& ranks) const {
    std::map<OTF2_LocationRef, std::size_t> rank_at;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) rank_at[ranks[rank]] = rank;
    std::map<OTF2_LocationGroupRef, std::set<std::size_t>> ranks_of;
    for (const Definitions::Location& location : definitions_.locations) {
      const auto rank = rank_at.find(location.id);
      if (rank != rank_at.end()) ranks_of[location.process].insert(rank->second);
    }
    std::vector<std::vector<OTF2_LocationRef>> of_ranks(ranks.size());
    std::vector<OTF2_LocationRef> of_none;
    for (const Definitions::Location& location : definitions_.locations) {
      if (location.type != OTF2_LOCATION_TYPE_CPU_THREAD || rank_at.contains(location.id)) continue;
      const std::set<std::size_t>& own = ranks_of[location.process];
      (own.size() == 1 ? of_ranks[*own.begin()] : of_none).push_back(location.id);
    }
    return {std::move(of_ranks), std::move(of_none)};
  }

  void read_location(OTF2_LocationRef location, bool local, Log& log) {
    log.source = anchor_ + " location " + std::to_string(location);
    if (local) read_local_definitions(location);
    read_events(location, log);
  }

  /// Reads the mappings of local numbers to global ones, which the library then applies.
  void read_local_definitions(OTF2_LocationRef location) {
    OTF2_DefReader* const definitions = otf2_.OTF2_Reader_GetDefReader(reader_.get(), location);
    if (definitions == nullptr) return;  // a location without local definitions
    std::uint64_t count = 0;
    const OTF2_ErrorCode code =
        otf2_.OTF2_Reader_ReadAllLocalDefinitions(reader_.get(), definitions, &count);
    otf2_.OTF2_Reader_CloseDefReader(reader_.get(), definitions);
    check(code, "location " + std::to_string(location) + ": its definitions cannot be read");
  }

  void read_events(OTF2_LocationRef id, Log& log) {
    OTF2_EvtReader* const events = otf2_.OTF2_Reader_GetEvtReader(reader_.get(), id);
    if (events == nullptr) {
      fail("location " + std::to_string(id) + ": its events cannot be read; is the archive whole?");
    }
    Location location(otf2_, definitions_, meanings_, log);
    OTF2_EvtReaderCallbacks* const callbacks = otf2_.OTF2_EvtReaderCallbacks_New();
    otf2_.OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
    otf2_.OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks, on_flush);
    otf2_.OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_measurement);
    otf2_.OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    otf2_.OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    otf2_.OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(callbacks, on_enter_by);
    otf2_.OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(callbacks, on_leave_by);
    otf2_.OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
    otf2_.OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_isend);
    otf2_.OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, on_isend_complete);
    otf2_.OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_irecv_request);
    otf2_.OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_recv);
    otf2_.OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_irecv);
    otf2_.OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_cancelled);
    otf2_.OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective);
    otf2_.OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks,
                                                                          on_collective_request);
    otf2_.OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks,
                                                                           on_collective_complete);
    otf2_.OTF2_EvtReaderCallbacks_SetCommCreateCallback(callbacks, on_comm_create);
    otf2_.OTF2_Reader_RegisterEvtCallbacks(reader_.get(), events, callbacks, &location);
    otf2_.OTF2_EvtReaderCallbacks_Delete(callbacks);
    std::uint64_t count = 0;
    const OTF2_ErrorCode code = otf2_.OTF2_Reader_ReadAllLocalEvents(reader_.get(), events, &count);
    otf2_.OTF2_Reader_CloseEvtReader(reader_.get(), events);
    check(code, "location " + std::to_string(id) + ": its events cannot be read");
    const std::string problem = location.finish();
    if (!problem.empty()) throw InputError(log.source + ": " + problem);
  }

  const Library& otf2_;
  std::string anchor_;
  std::unique_ptr<OTF2_Reader, Close> reader_;
  Definitions definitions_;
  Meanings meanings_;
};

/// Checks that all files of an archive are regular, because the library would wait for a pipe's
/// writer.
void check_files(const std::filesystem::path& anchor) {
  namespace fs = std::filesystem;
  std::error_code ignored;  // the library names a file that cannot be examined
  const auto check = [&](const fs::path& path) {
    if (fs::exists(path, ignored) && fs::is_other(path, ignored)) {
      throw InputError(path.string() + ": is a pipe or a device, not a regular file");
    }
  };
  fs::path beside = anchor;
  check(beside.replace_extension(".def"));
  for (const auto& entry : fs::directory_iterator(beside.replace_extension(), ignored)) {
    check(entry.path());
  }
}

}  // namespace

void read_archive(const std::string& anchor, Archive& archive,
                  const std::function<void(std::size_t)>& take) {
  check_files(anchor);
  Reader(anchor).read(archive, take);
}

std::string problem() {
  try {
    library();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace latitude::trace::otf2
