#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/bindings/register.hpp"
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

}  // namespace

void register_job(nb::module_& module) {
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
