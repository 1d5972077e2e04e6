#include "core/trace/native/tables.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "core/trace/native/shapes.hpp"

namespace latitude::trace::native {
namespace {

bool printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

constexpr std::size_t kMostCallers = 64;
constexpr auto kMostIndex = std::numeric_limits<std::uint32_t>::max() - 1;

}  // namespace

bool operator==(const Group& a, const Group& b) noexcept {
  if (a.size != b.size) return false;
  if (a.strided() && b.strided()) {
    return a.size == 0 || (a.first == b.first && (a.size == 1 || a.step == b.step));
  }
  for (std::size_t i = 0; i < a.size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

std::int32_t place_in(const Group& group, std::int32_t rank) noexcept {
  if (!group.strided()) {
    const auto found = std::ranges::find(group.listed, rank);
    return found == group.listed.end() ? -1
                                       : static_cast<std::int32_t>(found - group.listed.begin());
  }
  if (group.size <= 1) return group.size == 1 && group.first == rank ? 0 : -1;
  const std::int64_t beyond = rank - group.first;
  const std::int64_t place = beyond / group.step;
  const bool member = beyond % group.step == 0 && place >= 0 && place < group.size;
  return member ? static_cast<std::int32_t>(place) : -1;
}

Tables::Tables(const Source& source, const Header& header, RankLog& log)
    : source_(source), header_(header), log_(log) {
  LocalComm world;
  world.group = {header.size, 0, 1, {}};
  world.rank = static_cast<std::int32_t>(header.rank);
  log_.comms.push_back(std::move(world));
  comm_of_number_[0] = 0;
}

void Tables::read_calls(Cursor& in, std::uint32_t records) {
  for (std::uint32_t i = 0; i < records; ++i) {
    const std::uint64_t offset = in.offset();
    CallEntry entry;
    entry.name = in.string();
    entry.shape = in.string();
    if (!printable(entry.name) || !printable(entry.shape)) in.fail("a call has an invalid name");
    if (!known_letters(entry.shape)) {
      source_.fail(offset, entry.name + " has fields '" + entry.shape +
                               "' with a letter this latitude does not know; use the one that "
                               "traced the program");
    }
    entry.call = call_named(entry.name);
    entry.absence = entry.name == kAbsenceName;
    entry.pause = entry.absence || entry.name == kPauseName;
    entry.polls = entry.name == kPollsName;
    std::string_view expected = entry.shape;
    if (entry.pause) expected = entry.absence ? "w" : "";
    if (entry.polls) expected = "n";
    if (entry.call != Call::count_) {
      entry.call_class = class_of(entry.call);
      // Fields of calls that no reader uses may change from one version to the next.
      const bool looked_into =
          entry.call_class != CallClass::local && entry.call_class != CallClass::unsupported;
      if (looked_into) expected = shape_of(entry.call);
    }
    if (entry.shape != expected) {
      source_.fail(offset, entry.name + " has fields '" + entry.shape + "', this latitude reads '" +
                               std::string(expected) + "'; use the one that traced the program");
    }
    calls_.push_back(std::move(entry));
  }
}

void Tables::read_modules(Cursor& in, std::uint32_t records) {
  mapped_.clear();
  for (std::uint32_t i = 0; i < records; ++i) {
    const std::uint64_t first = in.varint();
    const std::uint64_t end = in.varint();
    const std::uint64_t bias = in.varint();
    std::pair<std::string, std::string> file;
    file.first = in.string();
    file.second = in.string();
    if (first >= end || bias > first) in.fail("a module has invalid addresses");
    const auto [at, fresh] =
        modules_.try_emplace(file, static_cast<std::uint32_t>(log_.modules.size()));
    if (fresh) log_.modules.push_back({file.first, file.second});
    mapped_[first] = {end, bias, at->second};
  }
}

void Tables::read_sites(Cursor& in, std::uint32_t records) {
  for (std::uint32_t i = 0; i < records; ++i) {
    const std::uint64_t address = in.varint();
    const std::uint64_t caller = header_.version == kVersionWithCallers ? in.varint() : 0;
    if (caller > log_.sites.size()) {
      in.fail("a call site names caller " + std::to_string(caller) + " of " +
              std::to_string(log_.sites.size()));
    }
    const std::size_t callers = caller > 0 ? callers_[caller - 1] + std::size_t{1} : 0;
    if (callers > kMostCallers) {
      in.fail("a call site has more callers than the " + std::to_string(kMostCallers) +
              " that are recorded at most");
    }
    callers_.push_back(static_cast<std::uint8_t>(callers));
    const auto after = mapped_.upper_bound(address);
    CallSite site{.module = kNoSite, .offset = address};
    if (caller > 0) site.caller = static_cast<std::uint32_t>(caller - 1);
    if (after != mapped_.begin()) {
      const Mapped& below = std::prev(after)->second;
      if (address < below.end) {
        site.module = below.module;
        site.offset = address - below.bias;
      }
    }
    if (log_.sites.size() >= kMostIndex) in.fail("there are more than 2^32 call sites");
    log_.sites.push_back(site);
  }
}

void Tables::read_communicators(Cursor& in, std::uint32_t records) {
  for (std::uint32_t i = 0; i < records; ++i) {
    const std::uint64_t offset = in.offset();
    LocalComm comm = communicator(in);
    comm.offset = offset;
    if (comm.number == 0) {
      if (comm.kind != CommKind::intra || comm.group != log_.comms[0].group) {
        source_.fail(offset,
                     "communicator 0 is not MPI_COMM_WORLD; the file is damaged, copy it "
                     "or trace the program again");
      }
      log_.comms[0] = std::move(comm);
      continue;
    }
    if (!comm_of_number_.try_emplace(comm.number, static_cast<std::uint32_t>(log_.comms.size()))
             .second) {
      source_.fail(offset, "communicator " + std::to_string(comm.number) +
                               " is described twice; the file is damaged, copy it or trace the "
                               "program again");
    }
    log_.comms.push_back(std::move(comm));
  }
}

LocalComm Tables::communicator(Cursor& in) const {
  LocalComm comm;
  comm.number = in.varint();
  comm.leader = in.varint();
  comm.count = in.varint();
  const std::uint64_t kind = in.varint();
  if (kind > 2) in.fail("a communicator is of unknown kind " + std::to_string(kind));
  comm.kind = static_cast<CommKind>(kind);
  comm.group = group(in, comm.kind, comm.rank);
  return comm;
}

Group Tables::group(Cursor& in, CommKind kind, std::int32_t& own) const {
  const std::uint64_t size = in.varint();
  const std::uint64_t form = in.varint();
  const std::int64_t world = header_.size;
  // Only an intercommunicator has members outside MPI_COMM_WORLD, which are listed one by one.
  const bool outside = kind != CommKind::intra && form == 1;
  if (size > (outside ? in.left() : header_.size)) {
    in.fail("a communicator has more members than MPI_COMM_WORLD");
  }
  Group group;
  group.size = static_cast<std::uint32_t>(size);
  if (form == 0) {
    group.first = in.zigzag();
    group.step = in.zigzag();
    const bool lone = size <= 1;  // the step has no meaning
    const bool sensible = group.first >= 0 && group.first < world &&
                          (lone || (group.step > -world && group.step < world && group.step != 0));
    const std::int64_t last =
        sensible && !lone ? group.first + static_cast<std::int64_t>(size - 1) * group.step : 0;
    if (size > 0 && (!sensible || last < 0 || last >= world)) {
      in.fail("a communicator has members that MPI_COMM_WORLD lacks");
    }
  } else if (form == 1) {
    std::int64_t member = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      const std::int64_t step = in.zigzag();
      if (step < -world || step > world) in.fail("a communicator's member is out of range");
      member += step;
      if ((member < 0 || member >= world) && !(member == -1 && outside)) {
        in.fail("a communicator has members that MPI_COMM_WORLD lacks");
      }
      group.listed.push_back(static_cast<std::int32_t>(member));
    }
    std::vector<std::int32_t> ascending = group.listed;
    std::ranges::sort(ascending);
    const auto first = std::ranges::lower_bound(ascending, 0);
    if (std::adjacent_find(first, ascending.end()) != ascending.end()) {
      in.fail("a communicator has a member twice");
    }
  } else {
    in.fail("a communicator's members are listed in unknown form " + std::to_string(form));
  }
  own = place_in(group, static_cast<std::int32_t>(header_.rank));
  if (kind == CommKind::intra && own < 0) {
    in.fail("a communicator of this process does not have it as a member");
  }
  return group;
}

std::uint32_t Tables::comm(std::uint64_t number) const {
  const auto found = comm_of_number_.find(number);
  return found == comm_of_number_.end() ? kNoComm : found->second;
}

}  // namespace latitude::trace::native
