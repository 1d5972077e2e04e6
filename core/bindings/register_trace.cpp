#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/bindings/register.hpp"
#include "core/trace/event.hpp"
#include "core/trace/format.hpp"

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
            self.write(trace, folder, threads);
          },
          "trace"_a, "folder"_a, "threads"_a = 0, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "trace_formats", [] { return std::vector(trace::formats().begin(), trace::formats().end()); },
      nb::rv_policy::reference);
  module.def("trace_format", &format_named, "name"_a, nb::rv_policy::reference);
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

std::int64_t wall_ns(const Trace& self) {
  std::int64_t longest = 0;
  for (const trace::RankTrace& rank : self.ranks) {
    if (rank.events.empty()) continue;
    longest = std::max(longest, rank.events.back().leave_ns - rank.events.front().leave_ns);
  }
  return longest;
}

std::int64_t runtime_ns(const Trace& self) {
  if (self.whole_ns > 0) return self.whole_ns;
  if (!self.no_common_clock.empty()) return wall_ns(self);
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const trace::RankTrace& rank : self.ranks) {
    if (rank.events.empty()) continue;
    first = std::min(first, rank.events.front().leave_ns);
    last = std::max(last, rank.events.back().leave_ns);
  }
  return last > first ? last - first : 0;
}

Array<double> useful_ns(const Trace& self) {
  std::vector<double> result;
  for (const trace::RankTrace& rank : self.ranks) {
    if (rank.useful_ns) result.push_back(static_cast<double>(*rank.useful_ns));
  }
  return to_array(std::move(result));
}

}  // namespace

void register_trace(nb::module_& module) {
  nb::class_<Trace>(module, "Trace")
      .def_ro("format", &Trace::format)
      .def_prop_ro("ranks", [](const Trace& self) { return self.ranks.size(); })
      .def_prop_ro("events", &event_count)
      .def_prop_ro("wall_ns", &wall_ns)
      .def_prop_ro("runtime_ns", &runtime_ns)
      .def_prop_ro("useful_ns", &useful_ns, kOwned)
      .def_prop_ro("call_counts", &call_counts)
      .def_ro("warnings", &Trace::warnings)
      .def_prop_ro("no_common_clock", [](const Trace& self) { return text(self.no_common_clock); });
  register_formats(module);
}

}  // namespace latitude::bindings
