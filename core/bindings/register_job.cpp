#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/bindings/register.hpp"
#include "core/graph/job/job.hpp"
#include "core/graph/nccl/job.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;
using graph::nccl::Collective;
using graph::nccl::Job;

/// The algorithms of each collective, the default first.
nb::typed<nb::dict, nb::str, Texts> algorithms() {
  nb::dict found;
  for (const graph::nccl::NamedOperation& operation : graph::nccl::operations()) {
    nb::list names;
    for (const auto* algorithm : operation.algorithms) names.append(text(algorithm->name));
    found[text(operation.name)] = names;
  }
  return found;
}

std::vector<std::string> protocols() {
  const auto names = graph::nccl::protocols();
  return {names.begin(), names.end()};
}

template <class T>
std::span<const T> span_of(const Given<T>& column) {
  return {column.data(), column.size()};
}

/// A job's collectives, of which each may have several algorithms.
class JobCollectives {
 public:
  JobCollectives(const Given<std::uint32_t>& kind, const Given<std::uint32_t>& group,
                 const Given<std::int64_t>& ns, const Given<double>& size,
                 const Given<std::uint32_t>& trips, const Given<std::uint32_t>& group_begin,
                 const Given<std::uint32_t>& group_ranks)
      : begin_(group_begin.data(), group_begin.data() + group_begin.size()),
        ranks_(group_ranks.data(), group_ranks.data() + group_ranks.size()) {
    for (std::size_t i = 0; i < kind.size(); ++i) {
      each_.push_back({kind(i), group(i), ns(i), size(i), trips(i)});
    }
  }

  std::vector<graph::JobCollective> by(const Given<std::uint32_t>& algorithm) const {
    std::vector<graph::JobCollective> every = each_;
    for (std::size_t i = 0; i < every.size(); ++i) every[i].algorithm = algorithm(i);
    return every;
  }

  graph::Groups groups(std::span<const std::uint32_t> node = {}) const {
    return {.begin = begin_, .ranks = ranks_, .node = node};
  }

  graph::Routes routes(const Given<std::uint32_t>& algorithm,
                       const Given<std::uint32_t>& node) const {
    return graph::routes_of(by(algorithm), groups(span_of(node)));
  }

  Array<std::uint8_t> fits(std::uint32_t algorithm, const Given<std::uint32_t>& node) const {
    return to_array(graph::fits_of(each_, groups(span_of(node)), algorithm));
  }

 private:
  std::vector<graph::JobCollective> each_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> ranks_;
};

/// The hops of all collectives, one after the other: collective, source, destination, times and
/// bytes of each hop.
std::tuple<Array<std::uint32_t>, Array<std::uint32_t>, Array<std::uint32_t>, Array<double>,
           Array<double>>
hops_of(const graph::Routes& self) {
  std::vector<std::uint32_t> collective;
  std::vector<std::uint32_t> source;
  std::vector<std::uint32_t> destination;
  std::vector<double> times;
  std::vector<double> bytes;
  for (std::uint32_t i = 0; i < self.transfers.size(); ++i) {
    const graph::Transfer& transfer = self.transfers[i];
    for (std::uint32_t h = transfer.first_hop; h < transfer.first_hop + transfer.hops; ++h) {
      collective.push_back(i);
      source.push_back(self.hops[h].source);
      destination.push_back(self.hops[h].destination);
      times.push_back(self.hops[h].times);
      bytes.push_back(self.hops[h].times * transfer.bytes);
    }
  }
  return {to_array(std::move(collective)), to_array(std::move(source)),
          to_array(std::move(destination)), to_array(std::move(times)), to_array(std::move(bytes))};
}

void register_recorded_jobs(nb::module_& module) {
  using graph::JobGraph;
  module.def(
      "resource_kinds",
      [] {
        using Kind = graph::Resource::Kind;
        std::vector<nb::str> names;
        for (std::size_t code = 0; code < static_cast<std::size_t>(Kind::count_); ++code) {
          names.push_back(text(graph::name_of(static_cast<Kind>(code))));
        }
        return names;
      },
      "Names of the kinds of resources, by code (core/graph/graph.hpp).");
  module.def(
      "collective_kinds",
      [] {
        std::vector<nb::str> names;
        for (const graph::CollectiveKind& kind : graph::collective_kinds()) {
          names.push_back(text(kind.name));
        }
        return names;
      },
      "Kinds of a job's collectives, in the order of their numbers (core/graph/job/job.hpp).");
  module.def(
      "job_algorithms",
      [] {
        std::vector<nb::str> names;
        for (const std::string_view name : graph::job_algorithms()) names.push_back(text(name));
        return names;
      },
      "NCCL's algorithms for a job's collectives; the first stands for each kind's own "
      "algorithm (core/graph/job/collectives.hpp).");
  nb::class_<JobCollectives>(module, "JobCollectives",
                             "A job's collectives and groups (core/graph/job/collectives.hpp).")
      .def(nb::init<const Given<std::uint32_t>&, const Given<std::uint32_t>&,
                    const Given<std::int64_t>&, const Given<double>&, const Given<std::uint32_t>&,
                    const Given<std::uint32_t>&, const Given<std::uint32_t>&>(),
           nb::kw_only(), "kind"_a, "group"_a, "ns"_a, "size"_a, "trips"_a, "group_begin"_a,
           "group_ranks"_a, "By collective, and the ranks of each group; numbers must be in range.")
      .def("routes", &JobCollectives::routes, "algorithm"_a, "node_of_rank"_a,
           "The links that each collective crosses by an algorithm; an empty `node_of_rank` gives "
           "each rank a node of its own.")
      .def("fits", &JobCollectives::fits, "algorithm"_a, "node_of_rank"_a,
           "Whether NCCL could use the algorithm, by collective.");
  nb::class_<graph::Routes>(module, "Routes", "The links that collectives cross.")
      .def("hops", &hops_of,
           "Links one after the other: collective, source, destination, times and bytes.")
      .def(
          "over",
          [](const graph::Routes& self, const graph::Graph& graph,
             const Given<std::uint32_t>& vertex, const Given<std::int64_t>& ns) {
            return graph::rerouted(graph, self, span_of(vertex), span_of(ns));
          },
          "graph"_a, "vertex"_a, "ns"_a,
          "The graph with these routes and recorded times (0: not recorded) of its transfers; "
          "`vertex` has the vertex of each transfer, or NO_VERTEX.");
  module.def(
      "job_graph",
      [](std::uint32_t ranks, const Given<std::uint32_t>& rank,
         const Given<std::uint32_t>& resource, const Given<std::uint8_t>& resource_kind,
         const Given<std::int64_t>& ns, const Given<std::uint32_t>& collective,
         const Given<std::uint32_t>& after, const Given<std::uint32_t>& before,
         const JobCollectives& collectives, const Given<std::uint32_t>& algorithm) {
        graph::Job job{.ranks = ranks,
                       .rank = span_of(rank),
                       .resource = span_of(resource),
                       .resource_kind = {},
                       .ns = span_of(ns),
                       .collective = span_of(collective),
                       .after = span_of(after),
                       .before = span_of(before),
                       .collectives = collectives.by(algorithm),
                       .groups = collectives.groups()};
        for (const std::uint8_t each : span_of(resource_kind)) {
          job.resource_kind.push_back(static_cast<graph::Resource::Kind>(each));
        }
        JobGraph made = graph::graph_of(job);
        return std::tuple(std::move(made.graph), to_array(std::move(made.vertex)),
                          to_array(std::move(made.transfer)));
      },
      "ranks"_a, nb::kw_only(), "rank"_a, "resource"_a, "resource_kind"_a, "ns"_a, "collective"_a,
      "after"_a, "before"_a, "collectives"_a, "algorithm"_a,
      "The graph of a job (core/graph/job/job.hpp), whose numbers must be in range.\n\nReturns:\n  "
      "  The graph, the vertex of each operation, and the transfer of each collective (NO_VERTEX: "
      "none).");
}

}  // namespace

void register_job(nb::module_& module) {
  register_recorded_jobs(module);
  module.def("nccl_algorithms", &algorithms,
             "The algorithms of each of NCCL's collectives, the default first.");
  module.def("nccl_protocols", &protocols);
  nb::class_<Job>(module, "Job", "Builds the graph of a job on GPUs (core/graph/nccl/job.hpp).")
      .def(nb::init<std::uint32_t, std::uint32_t, std::uint32_t, double>(), "ranks"_a, "streams"_a,
           "nics"_a, "combine_ns_per_byte"_a)
      .def_prop_ro("operations", &Job::operations)
      .def("compute", &Job::compute, "rank"_a, "stream"_a, "ns"_a)
      .def("wait", &Job::wait, "rank"_a, "stream"_a, "event"_a)
      .def("record", &Job::record, "rank"_a, "stream"_a)
      .def(
          "collective",
          [](Job& self, const std::vector<std::uint32_t>& members, std::uint32_t stream,
             std::string_view operation, std::string_view algorithm, std::string_view protocol,
             std::uint32_t channels, std::uint64_t size, std::uint32_t root,
             std::uint32_t ranks_per_node, std::int64_t launch_ns) {
            const auto& named = graph::nccl::operation_named(operation);
            self.collective(members, stream,
                            {.protocol = graph::nccl::protocol_named(protocol),
                             .ranks = static_cast<std::uint32_t>(members.size()),
                             .ranks_per_node = ranks_per_node,
                             .channels = channels,
                             .bytes = size,
                             .root = root},
                            graph::nccl::algorithm_named(named, algorithm), launch_ns);
          },
          "members"_a, "stream"_a, "operation"_a, "algorithm"_a, "protocol"_a, "channels"_a,
          "size"_a, "root"_a, "ranks_per_node"_a, "launch_ns"_a)
      .def("finish", &Job::finish);
}

}  // namespace latitude::bindings
