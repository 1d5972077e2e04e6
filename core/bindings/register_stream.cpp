#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/bindings/register.hpp"
#include "core/error.hpp"
#include "core/solve/stream/evaluate.hpp"
#include "core/trace/format.hpp"
#include "core/trace/native/format.hpp"
#include "core/trace/warnings.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;
using solve::StreamFound;
using solve::Tangent;
using trace::native::Pieces;

template <double Tangent::* member>
auto column() {
  return [](const StreamFound& self) {
    std::vector<double> values;
    for (const Tangent& at : self.right) values.push_back(at.*member);
    return to_array(std::move(values));
  };
}

StreamFound evaluate(const Pieces& self, const model::Network& network, const Input& values,
                     std::size_t left, const std::string& theta, const std::optional<Input>& fixed,
                     const std::optional<Input>& weight,
                     const std::vector<std::string>& collectives, double reduce_ns_per_byte,
                     bool skip_unsupported, unsigned threads,
                     std::function<void(std::uint64_t)> progress) {
  const solve::Direction along = direction_of(network, model::theta_named(theta), fixed, weight);
  graph::BuildOptions build;
  build.collectives = selection_of(collectives);
  build.reduce_ns_per_byte = reduce_ns_per_byte;
  build.skip_unsupported = skip_unsupported;
  solve::StreamOptions options;
  options.threads = threads;
  options.progress = std::move(progress);
  const std::span<const double> at(values.data(), values.size());
  if (left > at.size()) throw InputError("left: so many values of θ are not given");
  const nb::gil_scoped_release release;
  check_theta(at);
  return solve::evaluate_stream(self, build, network, along, at, left, options);
}

}  // namespace

void register_stream(nb::module_& module) {
  nb::exception<NotInPiecesError>(module, "NotInPiecesError", module.attr("InputError").ptr());
  nb::class_<StreamFound>(module, "StreamFound")
      .def_prop_ro("T_ns", column<&Tangent::value>(), kOwned)
      .def_prop_ro("right", column<&Tangent::slope>(), kOwned)
      .def_prop_ro(
          "left", [](const StreamFound& self) { return to_array(std::vector(self.left)); }, kOwned)
      .def_prop_ro(
          "far",
          [](const StreamFound& self) { return std::pair(self.far.constant, self.far.slope); })
      .def_ro("vertices", &StreamFound::vertices)
      .def_ro("edges", &StreamFound::edges)
      .def_ro("messages", &StreamFound::messages)
      .def_ro("bytes", &StreamFound::bytes)
      .def_prop_ro("warnings",
                   [](const StreamFound& self) {
                     std::vector<Warning> warnings;
                     if (self.wildcards > 0) {
                       warnings.push_back(trace::wildcard_matches(self.wildcards));
                     }
                     return warnings;
                   })
      .def_ro("nodes", &StreamFound::nodes)
      .def_ro("most_held", &StreamFound::most_held)
      .def_ro("tallies", &StreamFound::tallies);
  nb::class_<Pieces>(module, "Pieces")
      .def(
          "__init__",
          [](Pieces* self, const std::vector<std::string>& paths, const trace::Chosen& chosen) {
            new (self) Pieces(paths, trace::native::clock_of(chosen));
          },
          "paths"_a, "chosen"_a = trace::Chosen{}, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro(
          "trace", [](const Pieces& self) -> const trace::Trace& { return self.trace(); },
          nb::rv_policy::reference_internal)
      .def_prop_ro("bytes", &Pieces::bytes)
      .def_prop_ro("records", &Pieces::records)
      .def_prop_ro("checksums", &Pieces::checksums)
      .def("evaluate", &evaluate, "network"_a, "values"_a, "left"_a = 0, "theta"_a = "L",
           "fixed"_a = nb::none(), "weight"_a = nb::none(),
           "collectives"_a = std::vector<std::string>{}, "reduce_ns_per_byte"_a = 0.0,
           "skip_unsupported"_a = false, "threads"_a = 0U, "progress"_a = nb::none());
}

}  // namespace latitude::bindings
