#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "core/bindings/register.hpp"
#include "core/solve/waits.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;
using solve::Behind;
using solve::Delay;
using solve::Place;
using solve::RankLine;
using solve::Spent;
using solve::Wait;
using solve::Waits;

template <auto Rows, auto Member, class T>
auto column() {
  return [](const Waits& self) {
    std::vector<T> values;
    values.reserve((self.*Rows).size());
    for (const auto& row : self.*Rows) values.push_back(static_cast<T>(row.*Member));
    return to_array(std::move(values));
  };
}

/// From and to, ns; cells, and lines per row.
using LookRow = std::tuple<double, double, std::uint32_t, std::uint32_t>;
using Cells = nb::ndarray<nb::numpy, double, nb::ndim<3>>;

std::vector<solve::Look> to_looks(const std::vector<LookRow>& rows) {
  std::vector<solve::Look> looks;
  for (const auto& [from, to, cells, lines] : rows) looks.push_back({from, to, cells, lines});
  return looks;
}

Cells to_cells(const solve::Seen& seen) {
  auto* held = new std::vector<double>(seen.ns);
  const nb::capsule owner(held,
                          [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return Cells(held->data(), {seen.rows, seen.look.cells, solve::Seen::kKinds}, owner);
}

/// The names of an enumeration by code.
template <class Names>
auto names() {
  return [](nb::handle) {
    Texts values;
    for (std::size_t code = 0; code < static_cast<std::size_t>(Names::count_); ++code) {
      values.append(text(solve::name_of(static_cast<Names>(code))));
    }
    return values;
  };
}

/// One member of the resource of each line, as an array.
template <class T, auto Member>
auto resources() {
  return [](const Waits& self) {
    std::vector<T> values;
    for (const RankLine& line : self.lines) {
      values.push_back(static_cast<T>(line.resource.*Member));
    }
    return to_array(std::move(values));
  };
}

template <auto Rows>
void add_behind(nb::class_<Waits>& waits, const std::string& name) {
  const auto add = [&](const char* what, auto get) {
    waits.def_prop_ro((name + what).c_str(), get, kOwned);
  };
  add("_delaying", column<Rows, &Behind::delaying, std::uint32_t>());
  add("_waiting", column<Rows, &Behind::waiting, std::uint32_t>());
  add("_direct_ns", column<Rows, &Behind::direct_ns, double>());
  add("_indirect_ns", column<Rows, &Behind::indirect_ns, double>());
}

}  // namespace

void register_waits(nb::module_& module, ModelClass& model) {
  using U32 = std::uint32_t;
  using U8 = std::uint8_t;
  nb::class_<Waits> waits(
      module, "Waits",
      "The time of each line on one network, and the causes of waits (docs/explanation/waits.md): "
      "tables of ns, one row for each entry that is not empty.");
  waits.def_prop_ro_static("causes", names<solve::Cause>(), "of waits, by code")
      .def_prop_ro_static("activities", names<solve::Activity>(), "by code")
      .def_prop_ro("line_rank", column<&Waits::lines, &RankLine::rank, U32>(), kOwned,
                   "(lines,) rank of the line, in the order of ranks")
      .def_prop_ro("line_kind", resources<U8, &graph::Resource::kind>(), kOwned,
                   "(lines,) the kind of the resource that runs its operations, by its name in "
                   "resource_kinds()")
      .def_prop_ro("line_number", resources<U32, &graph::Resource::number>(), kOwned,
                   "(lines,) the number of that resource")
      .def_prop_ro("place_call", column<&Waits::places, &Place::call, std::uint16_t>(), kOwned,
                   "(places,) call code, or one beyond call_name: none recorded")
      .def_prop_ro("place_site", column<&Waits::places, &Place::site, U32>(), kOwned,
                   "(places,) index into sites or NO_SITE")
      .def_prop_ro("place_posted_call",
                   column<&Waits::places, &Place::posted_call, std::uint16_t>(), kOwned)
      .def_prop_ro("place_posted_site", column<&Waits::places, &Place::posted_site, U32>(), kOwned)
      .def_prop_ro("spent_line", column<&Waits::spent, &Spent::line, U32>(), kOwned)
      .def_prop_ro("spent_place", column<&Waits::spent, &Spent::place, U32>(), kOwned)
      .def_prop_ro("spent_activity", column<&Waits::spent, &Spent::activity, U8>(), kOwned)
      .def_prop_ro("spent_ns", column<&Waits::spent, &Spent::ns, double>(), kOwned)
      .def_prop_ro(
          "call_place", [](const Waits& self) { return to_array(std::vector(self.call_place)); },
          kOwned, "(calls,), or (0,) unless single calls are requested: index of the call's place")
      .def_prop_ro(
          "call_before_ns",
          [](const Waits& self) { return to_array(std::vector(self.call_before_ns)); }, kOwned,
          "computation before the call")
      .def_prop_ro(
          "call_within_ns",
          [](const Waits& self) { return to_array(std::vector(self.call_within_ns)); }, kOwned,
          "all of its line's time in the call")
      .def_prop_ro("wait_line", column<&Waits::waits, &Wait::line, U32>(), kOwned)
      .def_prop_ro("wait_place", column<&Waits::waits, &Wait::place, U32>(), kOwned)
      .def_prop_ro("wait_cause", column<&Waits::waits, &Wait::cause, U8>(), kOwned)
      .def_prop_ro("wait_ns", column<&Waits::waits, &Wait::ns, double>(), kOwned)
      .def_prop_ro("delay_line", column<&Waits::delays, &Delay::line, U32>(), kOwned,
                   "the line for which others waited")
      .def_prop_ro("delay_place", column<&Waits::delays, &Delay::place, U32>(), kOwned,
                   "place of the activity; for computation, the place after it")
      .def_prop_ro("delay_activity", column<&Waits::delays, &Delay::activity, U8>(), kOwned)
      .def_prop_ro("delay_direct_ns", column<&Waits::delays, &Delay::direct_ns, double>(), kOwned)
      .def_prop_ro("delay_indirect_ns", column<&Waits::delays, &Delay::indirect_ns, double>(),
                   kOwned)
      .def_ro("unexplained_ns", &Waits::unexplained_ns,
              "time of the waits whose causing activities were no longer stored")
      .def_ro("unpaired_ns", &Waits::unpaired_ns,
              "time of the delays whose waiting line is in no row of line_delaying")
      .def_prop_ro(
          "seen_ns",
          [](const Waits& self) {
            std::vector<Cells> values;
            for (const solve::Seen& seen : self.seen) values.push_back(to_cells(seen));
            return values;
          },
          kOwned, "of each look: (rows, cells, activities and then waits)");
  add_behind<&Waits::behind_lines>(waits, "line");
  add_behind<&Waits::behind_places>(waits, "place");
  model.def(
      "waits",
      [](const Model& self, bool each_call, const std::vector<LookRow>& looks, bool together) {
        std::optional<solve::Effort> effort;
        if (together) effort = {.first = 0, .steps = 1};
        return solve::waits(*self.scheduled(), each_call, to_looks(looks), effort);
      },
      "each_call"_a = false, "looks"_a = std::vector<LookRow>{}, "together"_a = false,
      nb::call_guard<nb::gil_scoped_release>(),
      "The time of each rank. `looks`: from and to (ns), cells, and lines per row. `together`: no "
      "wait is followed by itself, as with very many waits.");
}

}  // namespace latitude::bindings
