#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/bindings/register.hpp"
#include "core/error.hpp"
#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/random/compile.hpp"
#include "core/solve/random/sampler.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;

constexpr int kDefaultSampleLanes = 16;

struct Random {
  solve::RandomModel model;
  double quantum;
  solve::Sampler sampler;
};

using Numbers = std::span<const double>;
using Pair = std::tuple<double, double>;
using Groups = Given<std::uint32_t>;

Numbers span_of(const std::optional<Input>& input) {
  return input.has_value() ? Numbers{input->data(), input->size()} : Numbers{};
}

solve::Bounds bounds_of(const char* what, Numbers table, const std::optional<Pair>& given) {
  if (table.empty()) throw InputError(std::string(what) + ": the table is empty");
  solve::Bounds bounds{std::ranges::min(table), std::ranges::max(table)};
  if (given.has_value()) std::tie(bounds.low, bounds.high) = *given;
  if (!(bounds.low >= 0 && bounds.low <= bounds.high && bounds.high < 0x1p63)) {
    throw InputError(std::string(what) + ": needs finite values of 0 or more");
  }
  return bounds;
}

Random compile_random(const Model& self, const Input& table, const std::string& where,
                      const std::string& per, const std::optional<Input>& noise,
                      const std::string& noise_per, bool prune, const std::optional<Pair>& bounds,
                      const std::optional<Pair>& noise_bounds) {
  solve::RandomModel model;
  model.where = solve::where_named(where);
  model.per = solve::per_named(per);
  model.prune = prune;
  if (noise_per != "vertex" && noise_per != "rank") {
    throw InputError("noise is drawn per 'vertex' or 'rank', not '" + noise_per + "'");
  }
  model.noise_per_rank = noise_per == "rank";
  const Numbers latency{table.data(), table.size()};
  model.latency = bounds_of("latency", latency, bounds);
  if (noise.has_value()) model.noise = bounds_of("noise", span_of(noise), noise_bounds);
  const nb::gil_scoped_release release;
  const solve::CompiledRandom compiled = solve::compile_random(self.graph, self.network, model);
  auto plan = std::make_shared<const solve::RandomPlan>(compiled.dag);
  return {model, compiled.quantum,
          solve::Sampler(std::move(plan), model, compiled.quantum, latency, span_of(noise))};
}

Random with_table(const Random& self, const Input& table, const std::optional<Input>& noise) {
  if (self.model.noise.has_value() != noise.has_value()) {
    throw InputError("noise: give a table exactly when the graph was compiled with noise");
  }
  return {self.model, self.quantum,
          solve::Sampler(self.sampler.shared_plan(), self.model, self.quantum,
                         {table.data(), table.size()}, span_of(noise))};
}

Array<double> sampled_runtimes(const Random& self, std::uint64_t seed, std::uint64_t first,
                               std::size_t count, unsigned threads, int lanes) {
  std::vector<double> result;
  {
    const nb::gil_scoped_release release;
    result = self.sampler.runtimes(seed, first, count, threads, lanes);
  }
  return to_array(std::move(result));
}

using Criticality = std::vector<std::tuple<Array<std::uint64_t>, Array<std::uint64_t>>>;
using CriticalSamples = std::tuple<Array<double>, Criticality>;

CriticalSamples sampled_critical(const Random& self, std::uint64_t seed, std::uint64_t first,
                                 std::size_t count, const std::vector<Groups>& groups,
                                 unsigned threads) {
  std::vector<std::span<const std::uint32_t>> spans;
  const std::size_t needed = self.sampler.vertices_needed();
  for (const Groups& group : groups) {
    if (group.size() < needed) {
      throw InputError("groups: one number per vertex is needed, " + std::to_string(needed) +
                       " or more, not " + std::to_string(group.size()));
    }
    spans.emplace_back(group.data(), group.size());
  }
  solve::CriticalSamples found;
  {
    const nb::gil_scoped_release release;
    found = self.sampler.critical(seed, first, count, threads, spans);
  }
  Criticality groupings;
  for (solve::GroupCriticality& grouping : found.groupings) {
    groupings.emplace_back(to_array(std::move(grouping.samples)),
                           to_array(std::move(grouping.latencies)));
  }
  return {to_array(std::move(found.runtimes)), std::move(groupings)};
}

}  // namespace

void register_random(nb::module_& module, ModelClass& model) {
  nb::class_<Random>(
      module, "RandomDag",
      "T of a sample as a longest path, with a random latency on each message.\n\nA table is 4,096 "
      "equally likely values. The draw of a message in a sample is a function of (seed, message, "
      "sample) alone, and sums are exact (every instant is a multiple of quantum_ns): the same "
      "bits for any threads, lanes and ranges of samples, pruned or not.")
      .def_prop_ro("nodes", [](const Random& self) { return self.sampler.plan().steps.size(); })
      .def_prop_ro(
          "draws", [](const Random& self) { return self.sampler.plan().draws(); },
          "Number of draws of a sample.")
      .def_prop_ro("memory_bytes",
                   [](const Random& self) { return self.sampler.plan().memory_bytes(); })
      .def_ro("quantum_ns", &Random::quantum)
      .def_prop_ro(
          "bounds_ns",
          [](const Random& self) { return Pair{self.model.latency.low, self.model.latency.high}; },
          "Bounds of the values in a table for with_table().")
      .def(
          "lower_ns", [](const Random& self) { return self.sampler.at_means(); },
          "T if every draw is its table's mean: no more than E[T] (Jensen).")
      .def(
          "upper_ns", [](const Random& self) { return self.sampler.at_most(); },
          "T if every draw is its table's largest: no sample exceeds it.")
      .def("with_table", &with_table, "table"_a, "noise"_a = nb::none(),
           "The same graph with other tables within its bounds.")
      .def("runtimes", &sampled_runtimes, "seed"_a, "first"_a, "count"_a, "threads"_a = 0,
           "lanes"_a = kDefaultSampleLanes,
           "T, ns, of samples first … first + count − 1; lanes are 1, 2, 4, 8 or 16.")
      .def("critical", &sampled_critical, "seed"_a, "first"_a, "count"_a, "groups"_a,
           "threads"_a = 0,
           "T of samples as in `runtimes`, and for each grouping: the number of samples with a "
           "message of each group on the critical path, and the number of latencies of these "
           "messages over all samples. groups[i][v] is the group of the message that vertex v "
           "receives, NO_GROUP for none.");
  module.attr("NO_GROUP") = solve::Sampler::kNoGroup;
  model.def("random", &compile_random, "table"_a, nb::kw_only(), "where"_a = "flow",
            "per"_a = "message", "noise"_a = nb::none(), "noise_per"_a = "vertex", "prune"_a = true,
            "bounds"_a = nb::none(), "noise_bounds"_a = nb::none(),
            "With tables of additions to latencies (ns) and of factors on computation. "
            "`where`: \"flow\" (on the wire) or \"sender\" (on the posting CPU); `per`: "
            "\"message\", \"pair\" or \"rank\" share a draw in a sample; `noise_per`: "
            "\"vertex\" or \"rank\". `bounds`: the bounds of later tables; by default the "
            "bounds of this table.");
}

}  // namespace latitude::bindings
