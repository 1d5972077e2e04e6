#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/model/loggps.hpp"

namespace latitude::model {

/// Links with equal costs: inside a node, between nodes, or h switches apart. A parameter that the
/// class lacks comes from the network.
struct LinkClass {
  std::string name;
  double L = 0;  ///< latency of a message, ns
  double G = 0;  ///< time per byte on the wire, ns/byte
  /// Largest message sent eagerly, bytes, by any call.
  std::optional<std::uint64_t> S = std::nullopt;
  std::optional<double> o = std::nullopt;  ///< CPU overhead of a message at either end, ns
  std::optional<double> O = std::nullopt;  ///< CPU time per byte at either end, ns/byte
  std::optional<double> g = std::nullopt;  ///< time by which a message delays the next one, ns
};

using ClassId = std::uint16_t;

/// LogGPS parameters by link class (Shen et al. 2024, §IV.2): rank → node → class of the node pair.
/// One class if `node_of_rank` is empty.
struct Network {
  LogGPS base;                              ///< for links without their own; L and G of class 0
  std::vector<LinkClass> classes;           ///< at least one
  std::vector<std::uint32_t> node_of_rank;  ///< for each rank of the program
  std::uint32_t nodes = 0;
  std::vector<ClassId> class_of;  ///< nodes × nodes: [source · nodes + destination]

  Network() = default;
  /// One class for all links.
  Network(const LogGPS& parameters)  // NOLINT(google-explicit-constructor): it is one
      : base(parameters), classes{{"all links", parameters.L, parameters.G}} {}

  bool one_class() const noexcept { return node_of_rank.empty(); }

  /// Whether no link class has an eager limit of its own.
  bool one_limit() const noexcept {
    return std::ranges::none_of(classes, [](const LinkClass& link) { return link.S.has_value(); });
  }

  /// Largest message sent eagerly over a link, by MPI_Isend and similar calls or by others, bytes.
  std::uint64_t eager_limit(ClassId link, bool immediate) const noexcept {
    return classes[link].S.value_or(base.eager_limit(immediate));
  }
  /// This network with one eager limit. It is for a program in which those sends are marked as
  /// rendezvous that exceed the `eager_limit` of their link, if any link has a limit of its own.
  Network with_one_limit() const {
    Network result = *this;
    if (one_limit()) return result;
    result.base.S = std::numeric_limits<std::uint64_t>::max();
    result.base.S_isend.reset();
    for (LinkClass& link : result.classes) link.S.reset();
    return result;
  }

  double o(ClassId link) const noexcept { return classes[link].o.value_or(base.o); }
  double O(ClassId link) const noexcept { return classes[link].O.value_or(base.O); }
  double g(ClassId link) const noexcept { return classes[link].g.value_or(base.g); }
  /// CPU time of a message at either end, ns.
  double overhead_ns(ClassId link, std::int64_t size) const noexcept {
    return o(link) + O(link) * gap_bytes(size);
  }
  /// Whether CPU time and gap of a message depend on its link.
  bool prices_ends() const noexcept {
    return std::ranges::any_of(classes, [](const LinkClass& link) {
      return link.o.has_value() || link.O.has_value() || link.g.has_value();
    });
  }

  ClassId link(std::uint32_t source_rank, std::uint32_t destination_rank) const noexcept {
    if (one_class()) return 0;
    const std::size_t row = node_of_rank[source_rank];
    return class_of[row * nodes + node_of_rank[destination_rank]];
  }

  /// Throws InputError if a parameter is negative or not finite, or if the maps do not fit each
  /// other or a program of `ranks` ranks.
  void check(std::uint32_t ranks) const;
};

}  // namespace latitude::model
