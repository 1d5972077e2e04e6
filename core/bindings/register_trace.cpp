#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "core/bindings/register.hpp"
#include "core/trace/collective_times.hpp"
#include "core/trace/event.hpp"
#include "core/trace/format.hpp"
#include "core/trace/message_order.hpp"
#include "core/trace/native/native.hpp"
#include "core/trace/native/sites.hpp"
#include "core/trace/otf2/library.hpp"
#include "core/trace/overheads.hpp"
#include "core/trace/synthetic/rank_file.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;
using trace::Trace;

using trace::Chosen;
using trace::Format;
using trace::FormatOption;
using trace::Loader;

const Format& trace_format_named(std::string_view name) {
  for (const Format* format : trace::formats()) {
    if (format->name == name) return *format;
  }
  throw InputError("unknown trace format '" + std::string(name) + "'");
}

std::span<const std::uint8_t> bytes_of(const nb::bytes& data) {
  return {reinterpret_cast<const std::uint8_t*>(data.c_str()), data.size()};
}

using Files = std::vector<std::string>;

/// The trace at a path: its format, and its files in reading order.
std::optional<std::pair<const Format*, Files>> find_trace(
    std::string name, Files files, const nb::typed<nb::callable, nb::bytes(std::string)>& head) {
  const trace::Place place{std::move(name), std::move(files), [&](const std::string& file) {
                             const auto bytes = nb::cast<nb::bytes>(head(file));
                             return std::string(bytes.c_str(), bytes.size());
                           }};
  const std::optional<trace::Found> found = trace::find_trace(place);
  if (!found) return std::nullopt;
  return std::pair(found->format, found->parts);
}

void register_formats(nb::module_& module) {
  nb::enum_<trace::Intake>(
      module, "Intake", "The way in which a trace format reads its files (core/trace/format.hpp).")
      .value("streams", trace::Intake::streams)
      .value("whole", trace::Intake::whole)
      .value("disk", trace::Intake::disk);
  nb::class_<FormatOption>(
      module, "FormatOption",
      "A choice that a trace format offers: a command line option, and an argument of load.")
      .def_ro("name", &FormatOption::name)
      .def_prop_ro(
          "choices",
          [](const FormatOption& self) {
            return std::vector(self.choices.begin(), self.choices.end());
          },
          "None: a switch.")
      .def_ro("standard", &FormatOption::standard)
      .def_ro("help", &FormatOption::help);
  nb::class_<Loader>(module, "Loader", "Receives the files of one trace from any source.")
      .def(
          "feed",
          [](Loader& self, std::size_t part, const nb::bytes& data) {
            const nb::gil_scoped_release release;
            self.feed(part, bytes_of(data));
          },
          "part"_a, "data"_a,
          "The next bytes of a part, or, for a format with Intake.whole, all of them.")
      .def("finish", &Loader::finish, "threads"_a = 1, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<Format>(module, "Format", "A trace format (core/trace/format.hpp).")
      .def_ro("name", &Format::name)
      .def_ro("files", &Format::files)
      .def_ro("example", &Format::example)
      .def_ro("limits", &Format::limits)
      .def_ro("intake", &Format::intake)
      .def_ro("one_file", &Format::one_file)
      .def_prop_ro(
          "options",
          [](const Format& self) { return std::vector(self.options.begin(), self.options.end()); })
      .def_prop_ro(
          "writes", [](const Format& self) { return self.write != nullptr; },
          "Whether traces can be written in this format.")
      .def_prop_ro(
          "written",
          [](const Format& self) { return std::vector(self.written.begin(), self.written.end()); },
          "Patterns of all files that the format writes, relative to the folder.")
      .def_ro("folder_suffix", &Format::folder_suffix,
              "Suffix of the folder into which a trace is written.")
      .def_ro("keeps_places", &Format::keeps_places,
              "Whether call sites are written, by their places in the source.")
      .def(
          "begins",
          [](const Format& self, const nb::bytes& head) {
            return self.begins({head.c_str(), head.size()});
          },
          "head"_a)
      .def_prop_ro(
          "needs_library", [](const Format& self) { return self.problem != nullptr; },
          "Whether a library that may be missing reads it.")
      .def(
          "problem",
          [](const Format& self) {
            return self.problem == nullptr ? std::string() : self.problem();
          },
          "The reason for which the format cannot be read here, in one line with the software "
          "to install; empty if it can.")
      .def(
          "beside",
          [](const Format& self, std::string_view file) {
            return self.beside == nullptr ? std::vector<std::string>{} : self.beside(file);
          },
          "file"_a, "Names of files next to `file` that are read with it if they exist.")
      .def(
          "read",
          [](const Format& self, const std::vector<std::string>& paths, const Chosen& chosen,
             unsigned threads) { return self.read(paths, chosen, threads); },
          "paths"_a, "chosen"_a = Chosen{}, "threads"_a = 0,
          nb::call_guard<nb::gil_scoped_release>(),
          "The trace in these files, in the order of `find_trace`; threads=0 means one per core.")
      .def(
          "loader",
          [](const Format& self, std::vector<std::string> names, const Chosen& chosen) {
            if (self.loader == nullptr) {
              throw InputError(std::string(self.name) + " is read from files on disk only");
            }
            return self.loader(std::move(names), chosen);
          },
          "names"_a, "chosen"_a = Chosen{},
          "A loader for files from elsewhere; `names` are their names in messages.")
      .def(
          "write",
          [](const Format& self, const Trace& trace, const std::string& folder, unsigned threads) {
            if (self.write == nullptr) {
              throw InputError("nothing writes the format " + std::string(self.name));
            }
            return self.write(trace, folder, threads);
          },
          "trace"_a, "folder"_a, "threads"_a = 0, nb::call_guard<nb::gil_scoped_release>(),
          "Writes a trace into a folder that exists; returns the facts that the format does not "
          "hold.");
  module.def("use_otf2_package", &trace::otf2::use_package, "path"_a,
             "Loads OTF2's library from this file first: OTF2's Python package contains one.");
  module.def(
      "trace_formats", [] { return std::vector(trace::formats().begin(), trace::formats().end()); },
      nb::rv_policy::reference);
  module.def("trace_format", &trace_format_named, "name"_a, nb::rv_policy::reference);
  module.attr("LEAVE_OPEN") = std::string(trace::kLeaveOpen);
  module.attr("AS_RECORDED") = std::string(trace::kAsRecorded);
  module.def("check_chosen", &trace::check_chosen, "chosen"_a,
             "InputError if an option of any format has no such choice.");
  module.def("find_trace", &find_trace, "place"_a, "files"_a, "head"_a, nb::rv_policy::reference,
             "The trace in a folder or archive: its format, and its files in reading order. `head` "
             "gives a file's first bytes, decompressed.");
}

nb::typed<nb::dict, nb::str, std::uint64_t> call_counts(const Trace& self) {
  std::map<std::string, std::uint64_t> counts;
  for (const trace::RankTrace& rank : self.ranks) {
    for (const auto& [name, count] : rank.call_counts) counts[name] += count;
  }
  nb::dict result;
  for (const auto& [name, count] : counts) result[text(name)] = count;
  return result;
}

std::uint64_t event_count(const Trace& self) {
  std::uint64_t count = 0;
  for (const trace::RankTrace& rank : self.ranks) count += rank.event_count;
  return count;
}

/// The time from a rank's return from MPI_Init to its entry into MPI_Finalize, or to the end of its
/// last call.
struct Span {
  std::int64_t begin_ns;
  std::int64_t end_ns;
};

/// The span of each rank, by the clock that measures computation, in the time common to all ranks.
std::vector<Span> spans(const Trace& self) {
  std::vector<Span> result;
  for (const trace::RankTrace& rank : self.ranks) {
    if (rank.events.empty()) continue;
    const trace::Event& last = rank.events.back();
    const bool finalizes = trace::class_of(last.call) == trace::CallClass::finalize;
    result.push_back({rank.common.at(rank.events.front().leave_ns),
                      rank.common.at(finalizes ? last.enter_ns : last.leave_ns)});
  }
  return result;
}

/// The span of each rank by the wall clock, if the format records it.
std::vector<Span> wall_spans(const Trace& self) {
  std::vector<Span> result;
  for (const trace::RankTrace& rank : self.ranks) {
    if (!rank.wall) continue;
    result.push_back({rank.common.at(rank.wall->begin_ns), rank.common.at(rank.wall->end_ns)});
  }
  return result;
}

std::int64_t longest(const std::vector<Span>& spans) {
  std::int64_t result = 0;
  for (const Span& span : spans) result = std::max(result, span.end_ns - span.begin_ns);
  return result;
}

/// Duration of the run: the time during which all ranks were between MPI_Init and MPI_Finalize.
std::int64_t wall_ns(const Trace& self) {
  const std::vector<Span> wall = wall_spans(self);
  const bool is_told = wall.size() == self.ranks.size();
  const bool one_clock = is_told ? self.one_wall_clock : self.no_common_clock.empty();
  const std::vector<Span> own = is_told ? wall : spans(self);
  if (own.empty() || !one_clock) return longest(own);
  std::int64_t begin = own.front().begin_ns;
  std::int64_t end = own.front().end_ns;
  for (const Span& span : own) {
    begin = std::max(begin, span.begin_ns);
    end = std::min(end, span.end_ns);
  }
  return std::max<std::int64_t>(0, end - begin);
}

std::int64_t runtime_ns(const Trace& self) {
  if (self.whole_ns > 0) return self.whole_ns;
  const std::vector<Span> own = spans(self);
  if (!self.no_common_clock.empty()) return longest(own);
  if (own.empty()) return 0;
  std::int64_t first = own.front().begin_ns;
  std::int64_t last = own.front().end_ns;
  for (const Span& span : own) {
    first = std::min(first, span.begin_ns);
    last = std::max(last, span.end_ns);
  }
  return std::max<std::int64_t>(0, last - first);
}

/// The time at which each rank returned from MPI_Init, relative to the first one; empty without a
/// common clock.
std::vector<std::int64_t> starts_ns(const Trace& self) {
  std::vector<std::int64_t> result;
  if (!self.no_common_clock.empty()) return result;
  for (const Span& span : spans(self)) result.push_back(span.begin_ns);
  if (result.size() != self.ranks.size() || result.empty()) return {};
  const std::int64_t first = std::ranges::min(result);
  for (std::int64_t& start : result) start -= first;
  return result;
}

/// Mean over ranks of the parts of their wall time; None if the format does not record them.
template <class Part>
nb::object mean_of(const Trace& self, Part part) {
  double sum = 0;
  for (const trace::RankTrace& rank : self.ranks) {
    if (!rank.wall) return nb::none();
    sum += static_cast<double>(part(*rank.wall));
  }
  if (self.ranks.empty()) return nb::none();
  return nb::float_(sum / static_cast<double>(self.ranks.size()));
}

/// {part: mean over ranks, ns}.
std::optional<nb::typed<nb::dict, nb::str, double>> wall_times(const Trace& self) {
  using trace::WallTimes;
  const nb::object computing = mean_of(self, std::mem_fn(&WallTimes::computing_ns));
  if (computing.is_none()) return std::nullopt;
  nb::dict result;
  result["computing"] = computing;
  result["without_core"] = mean_of(self, std::mem_fn(&WallTimes::without_core_ns));
  result["tracer"] = mean_of(self, std::mem_fn(&WallTimes::tracer_ns));
  result["calls"] = mean_of(self, std::mem_fn(&WallTimes::calls_ns));
  return result;
}

/// Means of times over ranks, ns, and sums of the ranks' counts.
std::optional<nb::typed<nb::dict, nb::str, nb::any>> core_times(const Trace& self) {
  using trace::CoreTimes;
  const auto all = [&](auto test) {
    return std::ranges::all_of(self.ranks, [&](const auto& rank) { return test(rank.cores); });
  };
  if (self.ranks.empty() || !all([](const auto& cores) { return cores.has_value(); })) return {};
  const auto sum = [&](auto part) {
    double all_ranks = 0;
    for (const trace::RankTrace& rank : self.ranks) {
      all_ranks += static_cast<double>(part(*rank.cores));
    }
    return all_ranks;
  };
  const auto ranks = static_cast<double>(self.ranks.size());
  const bool told = all([](const auto& cores) { return cores->waited_ns.has_value(); });
  nb::dict result;
  result["wall_ns"] = sum(std::mem_fn(&CoreTimes::wall_ns)) / ranks;
  result["cpu_ns"] = sum(std::mem_fn(&CoreTimes::cpu_ns)) / ranks;
  result["process_ns"] = sum(std::mem_fn(&CoreTimes::process_ns)) / ranks;
  result["waited_ns"] = nb::none();
  if (told) {
    result["waited_ns"] = sum([](const CoreTimes& cores) { return *cores.waited_ns; }) / ranks;
  }
  for (const auto& [name, count] : {std::pair{"voluntary", &CoreTimes::voluntary},
                                    std::pair{"involuntary", &CoreTimes::involuntary}}) {
    result[name] = nb::int_(static_cast<std::int64_t>(sum(std::mem_fn(count))));
  }
  return result;
}

Array<double> useful_ns(const Trace& self) {
  std::vector<double> result;
  for (const trace::RankTrace& rank : self.ranks) {
    if (rank.useful_ns) result.push_back(static_cast<double>(*rank.useful_ns));
  }
  return to_array(std::move(result));
}

/// The result of the lookup for each site: (function, file, line); "" and 0 if unknown.
using FrameOf = std::tuple<std::string, std::string, std::uint32_t>;
void set_frames(Trace& self, const std::vector<std::vector<FrameOf>>& frames) {
  if (frames.size() != self.sites.size()) throw InputError("one list of frames per site");
  self.frames.assign(frames.size(), {});
  for (std::size_t site = 0; site < frames.size(); ++site) {
    for (const auto& [function, file, line] : frames[site]) {
      self.frames[site].push_back({function, file, line});
    }
  }
}

void register_overheads(nb::module_& module, nb::class_<Trace>& trace_class) {
  using trace::CallCosts;
  using trace::Overheads;
  nb::class_<CallCosts>(
      module, "CallCosts",
      "Calls of one kind, for messages of similar sizes; their duration is their cost on the CPU.")
      .def_prop_ro(
          "service",
          [](const CallCosts& self) { return std::string(trace::name_of(self.service)); },
          "The work of these calls for messages: send, exchange, receive, post, complete or "
          "complete-send.")
      .def_prop_ro("call",
                   [](const CallCosts& self) { return std::string(trace::name_of(self.call)); })
      .def_ro("log2", &CallCosts::log2,
              "Messages have up to 2 to the power of this many bytes, and more than half of that.")
      .def_ro("ends", &CallCosts::ends,
              "Number of message ends that all such calls serve, waiting or not.")
      .def_ro("calls", &CallCosts::calls,
              "Number of calls that did not wait; the arrays have one entry for each of these "
              "calls, or for a selection of very many.")
      .def_prop_ro(
          "ns", [](const CallCosts& self) { return to_array(std::vector(self.ns)); }, kOwned,
          "Duration of a call, per end.")
      .def_prop_ro(
          "bytes", [](const CallCosts& self) { return to_array(std::vector(self.bytes)); }, kOwned,
          "Mean size of the call's messages.")
      .def_prop_ro(
          "share", [](const CallCosts& self) { return to_array(std::vector(self.share)); }, kOwned,
          "Number of ends that the call served.")
      .def_prop_ro(
          "block", [](const CallCosts& self) { return to_array(std::vector(self.block)); }, kOwned,
          "The call's rank, and its part of the run.");
  nb::class_<Overheads>(module, "Overheads",
                        "Costs of calls, and message ends without a known cost, by reason.")
      .def_ro("costs", &Overheads::costs)
      .def_ro("waited", &Overheads::waited)
      .def_ro("rendezvous", &Overheads::rendezvous)
      .def_ro("to_itself", &Overheads::to_itself)
      .def_ro("unknown", &Overheads::unknown)
      .def_ro("largest", &Overheads::largest, "Bytes of the largest message, by any protocol.")
      .def_ro("eager_blocking", &Overheads::eager_blocking,
              "Largest size at which blocking sends were treated as eager, and the same for other "
              "sends.")
      .def_ro("eager_nonblocking", &Overheads::eager_nonblocking)
      .def_ro("one_clock", &Overheads::one_clock);
  trace_class.def(
      "overheads",
      [](const Trace& self, double first_ns, double per_byte_ns, std::uint64_t eager,
         std::uint64_t eager_nonblocking, bool told, unsigned threads) {
        return trace::overheads(self, {first_ns, per_byte_ns, eager, eager_nonblocking, told},
                                threads);
      },
      "first_ns"_a, "per_byte_ns"_a, "eager"_a, "eager_nonblocking"_a, "told"_a = false,
      "threads"_a = 0, nb::call_guard<nb::gil_scoped_release>(),
      "The CPU cost of the trace's point-to-point calls, one by one "
      "(core/trace/overheads.hpp).\n\nA message of one byte travels for at most `first_ns`; "
      "each further byte adds `per_byte_ns`. Messages above `eager` bytes wait for their "
      "receiver, non-blocking ones above `eager_nonblocking`. If sends seem to have waited, "
      "the limits are lower, unless both are `told`.");
  using trace::CollectiveTimes;
  nb::class_<CollectiveTimes>(
      module, "CollectiveTimes",
      "Calls of one collective, with equal numbers of members and similar sizes.")
      .def_prop_ro(
          "call",
          [](const CollectiveTimes& self) { return std::string(trace::name_of(self.call)); })
      .def_ro("members", &CollectiveTimes::members)
      .def_ro("log2", &CollectiveTimes::log2, "As CallCosts.log2.")
      .def_ro("first", &CollectiveTimes::first,
              "For the first of these collectives, by rank: the event of its call, for "
              "`build_alone`.")
      .def_prop_ro(
          "ns", [](const CollectiveTimes& self) { return to_array(std::vector(self.ns)); }, kOwned,
          "Duration of each collective: from the arrival of the last member to the exit of the "
          "last one.");
  trace_class.def("collective_times", &trace::collective_times,
                  nb::call_guard<nb::gil_scoped_release>(),
                  "Durations of collectives that no member leaves before the last one has come.");
}

void register_synthetic(nb::module_& module) {
  using trace::synthetic::RankFile;
  module.def(
      "synthetic_calls_per_step",
      [](std::string_view pattern, std::uint32_t ranks) {
        return calls_per_step(trace::synthetic::pattern_named(pattern), ranks);
      },
      "pattern"_a, "ranks"_a,
      "MPI calls of all ranks in a step of a pattern: halo, wavefront, cg.");
  module.def(
      "synthetic_grid",
      [](std::uint32_t ranks) {
        const auto [columns, rows] = trace::synthetic::grid_of(ranks);
        return std::pair(columns, rows);
      },
      "ranks"_a, "Columns and rows of the wavefront's ranks.");
  nb::class_<RankFile>(module, "SyntheticRank", "One rank's file of a synthesized trace.")
      .def(
          "__init__",
          [](RankFile* self, std::string_view pattern, std::uint32_t ranks, std::uint64_t steps,
             std::uint64_t bytes, std::uint64_t compute_ns, std::uint32_t rank, std::string meta) {
            const trace::synthetic::Program program{trace::synthetic::pattern_named(pattern), ranks,
                                                    steps, bytes, compute_ns};
            new (self) RankFile(program, rank, std::move(meta));
          },
          "pattern"_a, "ranks"_a, "steps"_a, "message_bytes"_a, "compute_ns"_a, "rank"_a, "meta"_a)
      .def(
          "next",
          [](RankFile& self) {
            std::string piece;
            {
              const nb::gil_scoped_release release;
              piece = self.next();
            }
            return nb::bytes(piece.data(), piece.size());
          },
          "The next piece of the file, at most about 1 MiB; empty at its end.");
}

}  // namespace

void register_trace(nb::module_& module) {
  auto trace_class =
      nb::class_<Trace>(module, "Trace", "Events of every rank, peers and communicators resolved.");
  def_sites(trace_class);
  trace_class.def_ro("format", &Trace::format)
      .def_prop_ro("ranks", [](const Trace& self) { return self.ranks.size(); })
      .def_prop_ro("events", &event_count)
      .def_prop_ro("wall_ns", &wall_ns,
                   "Duration of the run: from the last rank's return from MPI_Init to the first "
                   "one's entry into MPI_Finalize, if one clock gave the times of all; else the "
                   "longest duration of one rank.")
      .def_prop_ro(
          "wall_times", &wall_times,
          "Parts of a rank's time between MPI_Init and MPI_Finalize, by the wall clock, ns, "
          "means over ranks: computing, without_core, tracer, calls. None if the format does "
          "not record them.")
      .def_prop_ro("core_times", &core_times,
                   "CPU time and waits for a core between MPI_Init and MPI_Finalize: wall_ns, "
                   "cpu_ns, process_ns, waited_ns (None: not known), means over ranks; "
                   "voluntary, involuntary, their sums. None if the format does not record "
                   "them.")
      .def_prop_ro("runtime_ns", &runtime_ns,
                   "From the first rank's return from MPI_Init to the last one's entry into "
                   "MPI_Finalize, if one clock gave the times of all; else the longest duration of "
                   "one rank; or the duration of the trace, if all of it was requested.")
      .def_prop_ro("starts_ns", &starts_ns,
                   "By rank, its return from MPI_Init relative to the first one; empty without a "
                   "common clock.")
      .def_prop_ro("useful_ns", &useful_ns, kOwned,
                   "Computation by rank, ns, if the format records it; else empty.")
      .def_prop_ro("call_counts", &call_counts)
      .def_ro("warnings", &Trace::warnings)
      .def("set_frames", &set_frames, "frames"_a,
           "Sets site_frames: the result of the lookup of the sites.")
      .def_prop_ro(
          "no_common_clock", [](const Trace& self) { return text(self.no_common_clock); },
          "The reason for which times of different ranks cannot be compared; empty if one clock "
          "gave all of them.");
  using trace::MessageOrder;
  nb::class_<MessageOrder>(
      module, "MessageOrder",
      "Whether messages arrive after they have left, by the common clock of all ranks.")
      .def_ro("messages", &MessageOrder::messages,
              "Number of compared messages: point-to-point, between different ranks, with a "
              "completed receive.")
      .def_ro("reversed", &MessageOrder::reversed,
              "Number of messages that arrive before they leave, by more than the errors of "
              "both ranks' clocks.")
      .def_ro("worst_ns", &MessageOrder::worst_ns,
              "The largest such difference; with `source` and `destination`, 0 if none.")
      .def_ro("source", &MessageOrder::source)
      .def_ro("destination", &MessageOrder::destination);
  trace_class.def("order_of_messages", &trace::order_of_messages, "threads"_a = 0,
                  nb::call_guard<nb::gil_scoped_release>(),
                  "Whether the trace's messages arrive after they have left; for a trace from "
                  "`read_as_recorded` with a common clock.");
  register_overheads(module, trace_class);
  module.def(
      "read_as_recorded",
      [](const std::vector<std::string>& paths, unsigned threads) {
        return trace::read_native(paths, threads, trace::Clock::recorded);
      },
      "paths"_a, "threads"_a = 0, nb::call_guard<nb::gil_scoped_release>(),
      "The files of `latitude trace`, of all ranks in their order, with the recorded times of "
      "calls: by the wall clock, including the tracer's own time between them.");
  module.def("read_sites", &trace::native::read_sites, "paths"_a,
             nb::call_guard<nb::gil_scoped_release>(),
             "The call sites of these files, and their code files, without the events; files that "
             "break off give the part that they have.");
  register_formats(module);
  register_synthetic(module);
}

}  // namespace latitude::bindings
