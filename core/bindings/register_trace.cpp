#include <nanobind/stl/map.h>
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

const Format& format_named(std::string_view name) {
  for (const Format* format : trace::formats()) {
    if (format->name == name) return *format;
  }
  throw InputError("there is no trace format '" + std::string(name) + "'");
}

std::span<const std::uint8_t> bytes_of(const nb::bytes& data) {
  return {reinterpret_cast<const std::uint8_t*>(data.c_str()), data.size()};
}

/// (format, files) of what is in a place, or None.
nb::object find_trace(std::string name, std::vector<std::string> files, const nb::callable& head) {
  const trace::Place place{std::move(name), std::move(files), [&](const std::string& file) {
                             const auto bytes = nb::cast<nb::bytes>(head(file));
                             return std::string(bytes.c_str(), bytes.size());
                           }};
  const std::optional<trace::Found> found = trace::find_trace(place);
  if (!found) return nb::none();
  return nb::make_tuple(nb::cast(found->format, nb::rv_policy::reference), found->parts);
}

void register_formats(nb::module_& module) {
  nb::enum_<trace::Intake>(module, "Intake")
      .value("streams", trace::Intake::streams)
      .value("whole", trace::Intake::whole)
      .value("disk", trace::Intake::disk);
  nb::class_<FormatOption>(module, "FormatOption")
      .def_ro("name", &FormatOption::name)
      .def_prop_ro("choices",
                   [](const FormatOption& self) {
                     return std::vector(self.choices.begin(), self.choices.end());
                   })
      .def_ro("standard", &FormatOption::standard)
      .def_ro("help", &FormatOption::help);
  nb::class_<Loader>(module, "Loader")
      .def(
          "feed",
          [](Loader& self, std::size_t part, const nb::bytes& data) {
            const nb::gil_scoped_release release;
            self.feed(part, bytes_of(data));
          },
          "part"_a, "data"_a)
      .def("finish", &Loader::finish, "threads"_a = 1, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<Format>(module, "Format")
      .def_ro("name", &Format::name)
      .def_ro("files", &Format::files)
      .def_ro("example", &Format::example)
      .def_ro("limits", &Format::limits)
      .def_ro("intake", &Format::intake)
      .def_ro("one_file", &Format::one_file)
      .def_prop_ro(
          "options",
          [](const Format& self) { return std::vector(self.options.begin(), self.options.end()); })
      .def_prop_ro("writes", [](const Format& self) { return self.write != nullptr; })
      .def_prop_ro(
          "written",
          [](const Format& self) { return std::vector(self.written.begin(), self.written.end()); })
      .def_ro("folder_suffix", &Format::folder_suffix)
      .def_ro("keeps_places", &Format::keeps_places)
      .def(
          "begins",
          [](const Format& self, const nb::bytes& head) {
            return self.begins({head.c_str(), head.size()});
          },
          "head"_a)
      .def_prop_ro("needs_library", [](const Format& self) { return self.problem != nullptr; })
      .def("problem",
           [](const Format& self) {
             return self.problem == nullptr ? std::string() : self.problem();
           })
      .def(
          "beside",
          [](const Format& self, std::string_view file) {
            return self.beside == nullptr ? std::vector<std::string>{} : self.beside(file);
          },
          "file"_a)
      .def(
          "read",
          [](const Format& self, const std::vector<std::string>& paths, const Chosen& chosen,
             unsigned threads) { return self.read(paths, chosen, threads); },
          "paths"_a, "chosen"_a = Chosen{}, "threads"_a = 0,
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "loader",
          [](const Format& self, std::vector<std::string> names, const Chosen& chosen) {
            if (self.loader == nullptr) {
              throw InputError(std::string(self.name) + " is read from files on disk only");
            }
            return self.loader(std::move(names), chosen);
          },
          "names"_a, "chosen"_a = Chosen{})
      .def(
          "write",
          [](const Format& self, const Trace& trace, const std::string& folder, unsigned threads) {
            if (self.write == nullptr) {
              throw InputError("nothing writes the format " + std::string(self.name));
            }
            return self.write(trace, folder, threads);
          },
          "trace"_a, "folder"_a, "threads"_a = 0, nb::call_guard<nb::gil_scoped_release>());
  module.def("use_otf2_package", &trace::otf2::use_package, "path"_a);
  module.def(
      "trace_formats", [] { return std::vector(trace::formats().begin(), trace::formats().end()); },
      nb::rv_policy::reference);
  module.def("trace_format", &format_named, "name"_a, nb::rv_policy::reference);
  module.attr("LEAVE_OPEN") = std::string(trace::kLeaveOpen);
  module.attr("AS_RECORDED") = std::string(trace::kAsRecorded);
  module.def("check_chosen", &trace::check_chosen, "chosen"_a);
  module.def("find_trace", &find_trace, "place"_a, "files"_a, "head"_a);
}

nb::dict call_counts(const Trace& self) {
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

/// From a rank's return from MPI_Init to its entry into MPI_Finalize, or the end of its last call.
struct Span {
  std::int64_t begin_ns;
  std::int64_t end_ns;
};

/// By the clock that computation is measured by, as what is common to all ranks.
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

/// By the wall clock, where the format tells.
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

/// How long the run took: while all ranks were between MPI_Init and MPI_Finalize.
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

/// Of each rank, when it returned from MPI_Init, after the first one; empty without a common clock.
std::vector<std::int64_t> starts_ns(const Trace& self) {
  std::vector<std::int64_t> result;
  if (!self.no_common_clock.empty()) return result;
  for (const Span& span : spans(self)) result.push_back(span.begin_ns);
  if (result.size() != self.ranks.size() || result.empty()) return {};
  const std::int64_t first = std::ranges::min(result);
  for (std::int64_t& start : result) start -= first;
  return result;
}

/// Mean of the ranks, of how their wall time went; None where the format does not tell.
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

/// {what: mean of the ranks, ns}.
nb::object wall_times(const Trace& self) {
  using trace::WallTimes;
  const nb::object computing = mean_of(self, std::mem_fn(&WallTimes::computing_ns));
  if (computing.is_none()) return computing;
  nb::dict result;
  result["computing"] = computing;
  result["without_core"] = mean_of(self, std::mem_fn(&WallTimes::without_core_ns));
  result["tracer"] = mean_of(self, std::mem_fn(&WallTimes::tracer_ns));
  result["calls"] = mean_of(self, std::mem_fn(&WallTimes::calls_ns));
  return result;
}

Array<double> useful_ns(const Trace& self) {
  std::vector<double> result;
  for (const trace::RankTrace& rank : self.ranks) {
    if (rank.useful_ns) result.push_back(static_cast<double>(*rank.useful_ns));
  }
  return to_array(std::move(result));
}

/// Of each site, what was looked up: (function, file, line), "" and 0 where it is not known.
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
  nb::class_<CallCosts>(module, "CallCosts")
      .def_prop_ro("service",
                   [](const CallCosts& self) { return std::string(trace::name_of(self.service)); })
      .def_prop_ro("call",
                   [](const CallCosts& self) { return std::string(trace::name_of(self.call)); })
      .def_ro("log2", &CallCosts::log2)
      .def_ro("ends", &CallCosts::ends)
      .def_ro("calls", &CallCosts::calls)
      .def_prop_ro(
          "ns", [](const CallCosts& self) { return to_array(std::vector(self.ns)); }, kOwned)
      .def_prop_ro(
          "bytes", [](const CallCosts& self) { return to_array(std::vector(self.bytes)); }, kOwned)
      .def_prop_ro(
          "share", [](const CallCosts& self) { return to_array(std::vector(self.share)); }, kOwned)
      .def_prop_ro(
          "block", [](const CallCosts& self) { return to_array(std::vector(self.block)); }, kOwned);
  nb::class_<Overheads>(module, "Overheads")
      .def_ro("costs", &Overheads::costs)
      .def_ro("waited", &Overheads::waited)
      .def_ro("rendezvous", &Overheads::rendezvous)
      .def_ro("to_itself", &Overheads::to_itself)
      .def_ro("unknown", &Overheads::unknown)
      .def_ro("largest", &Overheads::largest)
      .def_ro("eager_blocking", &Overheads::eager_blocking)
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
      "threads"_a = 0, nb::call_guard<nb::gil_scoped_release>());
  using trace::CollectiveTimes;
  nb::class_<CollectiveTimes>(module, "CollectiveTimes")
      .def_prop_ro(
          "call",
          [](const CollectiveTimes& self) { return std::string(trace::name_of(self.call)); })
      .def_ro("members", &CollectiveTimes::members)
      .def_ro("log2", &CollectiveTimes::log2)
      .def_ro("first", &CollectiveTimes::first)
      .def_prop_ro(
          "ns", [](const CollectiveTimes& self) { return to_array(std::vector(self.ns)); }, kOwned);
  trace_class.def("collective_times", &trace::collective_times,
                  nb::call_guard<nb::gil_scoped_release>());
}

void register_synthetic(nb::module_& module) {
  using trace::synthetic::RankFile;
  module.def(
      "synthetic_calls_per_step",
      [](std::string_view pattern, std::uint32_t ranks) {
        return calls_per_step(trace::synthetic::pattern_named(pattern), ranks);
      },
      "pattern"_a, "ranks"_a);
  module.def(
      "synthetic_grid",
      [](std::uint32_t ranks) {
        const auto [columns, rows] = trace::synthetic::grid_of(ranks);
        return std::pair(columns, rows);
      },
      "ranks"_a);
  nb::class_<RankFile>(module, "SyntheticRank")
      .def(
          "__init__",
          [](RankFile* self, std::string_view pattern, std::uint32_t ranks, std::uint64_t steps,
             std::uint64_t bytes, std::uint64_t compute_ns, std::uint32_t rank, std::string meta) {
            const trace::synthetic::Program program{trace::synthetic::pattern_named(pattern), ranks,
                                                    steps, bytes, compute_ns};
            new (self) RankFile(program, rank, std::move(meta));
          },
          "pattern"_a, "ranks"_a, "steps"_a, "message_bytes"_a, "compute_ns"_a, "rank"_a, "meta"_a)
      .def("next", [](RankFile& self) {
        std::string piece;
        {
          const nb::gil_scoped_release release;
          piece = self.next();
        }
        return nb::bytes(piece.data(), piece.size());
      });
}

}  // namespace

void register_trace(nb::module_& module) {
  auto trace_class = nb::class_<Trace>(module, "Trace");
  def_sites(trace_class);
  trace_class.def_ro("format", &Trace::format)
      .def_prop_ro("ranks", [](const Trace& self) { return self.ranks.size(); })
      .def_prop_ro("events", &event_count)
      .def_prop_ro("wall_ns", &wall_ns)
      .def_prop_ro("wall_times", &wall_times)
      .def_prop_ro("runtime_ns", &runtime_ns)
      .def_prop_ro("starts_ns", &starts_ns)
      .def_prop_ro("useful_ns", &useful_ns, kOwned)
      .def_prop_ro("call_counts", &call_counts)
      .def_ro("warnings", &Trace::warnings)
      .def("set_frames", &set_frames, "frames"_a)
      .def_prop_ro("no_common_clock", [](const Trace& self) { return text(self.no_common_clock); });
  using trace::MessageOrder;
  nb::class_<MessageOrder>(module, "MessageOrder")
      .def_ro("messages", &MessageOrder::messages)
      .def_ro("reversed", &MessageOrder::reversed)
      .def_ro("worst_ns", &MessageOrder::worst_ns)
      .def_ro("source", &MessageOrder::source)
      .def_ro("destination", &MessageOrder::destination);
  trace_class.def("order_of_messages", &trace::order_of_messages, "threads"_a = 0,
                  nb::call_guard<nb::gil_scoped_release>());
  register_overheads(module, trace_class);
  module.def(
      "read_as_recorded",
      [](const std::vector<std::string>& paths, unsigned threads) {
        return trace::read_native(paths, threads, trace::Clock::recorded);
      },
      "paths"_a, "threads"_a = 0, nb::call_guard<nb::gil_scoped_release>());
  module.def("read_sites", &trace::native::read_sites, "paths"_a,
             nb::call_guard<nb::gil_scoped_release>());
  register_formats(module);
  register_synthetic(module);
}

}  // namespace latitude::bindings
