#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/error.hpp"
#include "core/graph/collectives/collective.hpp"
#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/presets.hpp"

namespace latitude::graph {

using trace::Call;
using trace::CallClass;

std::span<const NamedAlgorithm> algorithms_for(Call call) {
  using namespace collectives;
  switch (call) {
    case Call::Barrier:
      return barrier_algorithms();
    case Call::Bcast:
      return bcast_algorithms();
    case Call::Reduce:
      return reduce_algorithms();
    case Call::Allreduce:
      return allreduce_algorithms();
    case Call::Gather:
      return gather_algorithms();
    case Call::Gatherv:
      return gatherv_algorithms();
    case Call::Scatter:
      return scatter_algorithms();
    case Call::Scatterv:
      return scatterv_algorithms();
    case Call::Allgather:
    case Call::Allgatherv:
      return allgather_algorithms();
    case Call::Alltoall:
      return alltoall_algorithms();
    case Call::Alltoallv:
    case Call::Alltoallw:
      return alltoallv_algorithms();
    case Call::Reduce_scatter:
    case Call::Reduce_scatter_block:
      return reduce_scatter_algorithms();
    case Call::Scan:
    case Call::Exscan:
      return scan_algorithms();
    case Call::Neighbor_allgather:
    case Call::Neighbor_allgatherv:
    case Call::Neighbor_alltoall:
    case Call::Neighbor_alltoallv:
    case Call::Neighbor_alltoallw:
      return neighbor_algorithms();
    default:
      return {};
  }
}

namespace {

/// The name of a call in options: "reduce_scatter_block".
std::string option_name(Call call) {
  std::string name(trace::name_of(call).substr(4));
  name[0] = static_cast<char>(name[0] - 'A' + 'a');
  return name;
}

template <class Items, class Name>
std::string joined(const Items& items, Name name) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + std::string(name(item));
  return text;
}

std::vector<Call> collective_calls() {
  std::vector<Call> calls;
  for (std::size_t i = 0; i < trace::kCallCount; ++i)
    if (!algorithms_for(static_cast<Call>(i)).empty()) calls.push_back(static_cast<Call>(i));
  return calls;
}

[[noreturn]] void fail(std::string_view option, const std::string& problem) {
  throw InputError("--collective " + std::string(option) + ": " + problem);
}

const NamedAlgorithm* find(Call call, std::string_view name) {
  const auto algorithms = algorithms_for(call);
  const auto found = std::ranges::find(algorithms, name, &NamedAlgorithm::name);
  return found == algorithms.end() ? nullptr : &*found;
}

/// The named algorithm, or the first offered one that combines in rank order if the operation needs
/// that order.
const NamedAlgorithm& able(const NamedAlgorithm& named, const Collective& collective) {
  if (collective.commutative || !named.needs_commutative) return named;
  return *std::ranges::find(algorithms_for(collective.call), false,
                            &NamedAlgorithm::needs_commutative);
}

}  // namespace

const NamedAlgorithm& collectives::offered(Call call, std::string_view name) {
  const NamedAlgorithm* found = find(call, name);
  if (found == nullptr)
    throw std::logic_error("no algorithm " + std::string(name) + " for " + option_name(call));
  return *found;
}

void Selection::apply(std::string_view option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos) {
    if (option == "default") {
      preset_ = Preset::none;
    } else if (option == "openmpi") {
      preset_ = Preset::openmpi;
    } else if (option == "mpich") {
      preset_ = Preset::mpich;
    } else if (option == "dimemas") {
      preset_ = Preset::dimemas;
    } else {
      fail(option,
           "not a set of algorithms; give default, openmpi, mpich, dimemas, or "
           "OPERATION=ALGORITHM such as allreduce=ring");
    }
    fixed_.clear();
    return;
  }
  const std::string_view operation = option.substr(0, equals);
  const auto calls = collective_calls();
  const auto call = std::ranges::find(calls, operation, option_name);
  if (call == calls.end()) {
    fail(option, "no operation '" + std::string(operation) + "'; there are " +
                     joined(calls, option_name) + " (non-blocking forms follow these)");
  }
  const NamedAlgorithm* algorithm = find(*call, option.substr(equals + 1));
  if (algorithm == nullptr) {
    fail(option, std::string(operation) + " offers " +
                     joined(algorithms_for(*call), [](const auto& a) { return a.name; }));
  }
  std::erase_if(fixed_, [&](const Fixed& fixed) { return fixed.call == *call; });
  fixed_.push_back({*call, *algorithm});
}

NamedAlgorithm Selection::choose(const Collective& collective) const {
  if (has_root(collective.call) && (collective.root < 0 || collective.root >= collective.size)) {
    throw InputError(std::string(trace::name_of(collective.call)) + ": root " +
                     std::to_string(collective.root) + " is not a rank of a communicator of " +
                     std::to_string(collective.size));
  }
  const auto fixed = std::ranges::find(fixed_, collective.call, &Fixed::call);
  if (fixed != fixed_.end()) return able(fixed->algorithm, collective);
  if (preset_ == Preset::openmpi) return collectives::openmpi_choice(collective);
  if (preset_ == Preset::mpich) return collectives::mpich_choice(collective);
  if (preset_ == Preset::dimemas) return collectives::dimemas_choice(collective);
  const auto algorithms = algorithms_for(collective.call);
  if (algorithms.empty())
    throw std::logic_error("not a blocking collective: " +
                           std::string(trace::name_of(collective.call)));
  return able(algorithms.front(), collective);
}

std::vector<std::pair<Collective, NamedAlgorithm>> Selection::creation(bool exchanges, int rank,
                                                                       int size) const {
  std::vector<std::pair<Collective, NamedAlgorithm>> parts;
  if (preset_ == Preset::dimemas) return parts;  // Dimemas does not model this
  const auto add = [&](Call call, std::uint64_t bytes, const NamedAlgorithm* fixed) {
    Collective part;
    part.call = call;
    part.rank = rank;
    part.size = size;
    part.bytes = bytes;
    part.element = bytes;
    parts.emplace_back(part, fixed != nullptr ? *fixed : choose(part));
  };
  if (exchanges) add(Call::Allgather, 8, nullptr);
  if (preset_ == Preset::none) {
    if (!exchanges) add(Call::Allreduce, 8, nullptr);
    return parts;
  }
  // Open MPI proposes a context id, checks the id, and activates the communicator: each time with
  // libnbc's reduction and broadcast (ompi/communicator/comm_cid.c, nbc_iallreduce.c). MPICH's
  // allreduces are over its mask of free ids.
  constexpr int kAgreements = 3;
  constexpr std::uint64_t kId = 4;
  constexpr std::uint64_t kMask = 260;
  const bool openmpi = preset_ == Preset::openmpi;
  const NamedAlgorithm& agree =
      collectives::offered(Call::Allreduce, openmpi ? "reduce-bcast" : "recursive-doubling");
  for (int i = 0; i < kAgreements; ++i) add(Call::Allreduce, openmpi ? kId : kMask, &agree);
  return parts;
}

std::string Selection::describe() const {
  std::string text;
  if (preset_ == Preset::openmpi) text = "openmpi";
  if (preset_ == Preset::mpich) text = "mpich";
  if (preset_ == Preset::dimemas) text = "dimemas";
  for (const Fixed& fixed : fixed_) {
    text += (text.empty() ? "" : ", ") + option_name(fixed.call) + '=' +
            std::string(fixed.algorithm.name);
  }
  return text.empty() ? "default" : text;
}

}  // namespace latitude::graph
