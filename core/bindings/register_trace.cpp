#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/bindings/register.hpp"
#include "core/trace/event.hpp"
#include "core/trace/liballprof/liballprof.hpp"
#include "core/trace/liballprof/write/write.hpp"
#include "core/trace/native/native.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;
using trace::LiballprofLoader;
using trace::Trace;

trace::Mpi mpi_named(const std::string& name) {
  if (name == "detect") return trace::Mpi::detect;
  if (name == "openmpi") return trace::Mpi::openmpi;
  if (name == "mpich") return trace::Mpi::mpich;
  throw InputError("unknown MPI '" + name + "'; use one of detect, openmpi, mpich");
}

trace::Clock clock_named(const std::string& name) {
  if (name == "auto") return trace::Clock::automatic;
  if (name == "wall") return trace::Clock::wall;
  if (name == "cpu") return trace::Clock::cpu;
  throw InputError("unknown clock '" + name + "'; use one of auto, wall, cpu");
}

trace::Incomplete what_to_do(bool incomplete) {
  return incomplete ? trace::Incomplete::cut : trace::Incomplete::refuse;
}

std::map<std::string, std::uint64_t> call_counts(const Trace& self) {
  std::map<std::string, std::uint64_t> counts;
  for (const trace::RankTrace& rank : self.ranks) {
    for (const auto& [name, count] : rank.call_counts) counts[name] += count;
  }
  return counts;
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

}  // namespace

void register_trace(nb::module_& module) {
  nb::class_<Trace>(module, "Trace")
      .def_ro("format", &Trace::format)
      .def_prop_ro("ranks", [](const Trace& self) { return self.ranks.size(); })
      .def_prop_ro("events", &event_count)
      .def_prop_ro("wall_ns", &wall_ns)
      .def_prop_ro("call_counts", &call_counts)
      .def_ro("warnings", &Trace::warnings)
      .def_ro("no_common_clock", &Trace::no_common_clock);
  nb::class_<LiballprofLoader>(module, "LiballprofLoader")
      .def(
          "__init__",
          [](LiballprofLoader* self, std::vector<std::string> names, const std::string& mpi) {
            new (self) LiballprofLoader(std::move(names), mpi_named(mpi));
          },
          "names"_a, "mpi"_a = "detect")
      .def(
          "feed",
          [](LiballprofLoader& self, std::size_t rank, const nb::bytes& data) {
            const std::string_view text(data.c_str(), data.size());
            const nb::gil_scoped_release release;
            self.feed(rank, text);
          },
          "rank"_a, "data"_a)
      .def(
          "finish", [](LiballprofLoader& self) { return self.finish(); },
          nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "read_liballprof",
      [](const std::vector<std::string>& paths, unsigned threads, const std::string& mpi) {
        return trace::read_liballprof(paths, threads, mpi_named(mpi));
      },
      "paths"_a, "threads"_a = 0, "mpi"_a = "detect", nb::call_guard<nb::gil_scoped_release>());
  using trace::NativeLoader;
  nb::class_<NativeLoader>(module, "NativeLoader")
      .def(
          "__init__",
          [](NativeLoader* self, std::vector<std::string> names, const std::string& clock,
             bool incomplete) {
            new (self) NativeLoader(std::move(names), clock_named(clock), what_to_do(incomplete));
          },
          "names"_a, "clock"_a = "auto", "incomplete"_a = false)
      .def(
          "read",
          [](NativeLoader& self, std::size_t rank, const nb::bytes& file) {
            const std::span bytes(reinterpret_cast<const std::uint8_t*>(file.c_str()), file.size());
            const nb::gil_scoped_release release;
            self.read(rank, bytes);
          },
          "rank"_a, "file"_a)
      .def(
          "finish", [](NativeLoader& self) { return self.finish(); },
          nb::call_guard<nb::gil_scoped_release>());
  module.def("write_liballprof", &trace::write_liballprof, "trace"_a, "directory"_a,
             "threads"_a = 0, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "read_native",
      [](const std::vector<std::string>& paths, unsigned threads, const std::string& clock,
         bool incomplete) {
        return trace::read_native(paths, threads, clock_named(clock), what_to_do(incomplete));
      },
      "paths"_a, "threads"_a = 0, "clock"_a = "auto", "incomplete"_a = false,
      nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace latitude::bindings
