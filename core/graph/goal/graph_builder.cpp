#include "core/graph/goal/graph_builder.hpp"

#include <algorithm>
#include <new>

#include "core/error.hpp"
#include "core/graph/goal/binary_layout.hpp"
#include "core/graph/goal/match.hpp"

namespace latitude::graph::goal {

std::uint32_t GraphBuilder::new_unit_index(Unit unit) {
  if (unit_indices_.empty()) unit_indices_.emplace(0, 0);  // the unit with which a Graph begins
  const std::uint64_t key = std::uint64_t{unit.line.number} << 32 | unit.nic.number;
  const auto next = static_cast<std::uint32_t>(graph_.units.size());
  const auto [known, is_new] = unit_indices_.try_emplace(key, next);
  if (is_new) {
    if (next == kMostUnits) {
      throw InputError(name_ + ": more than " + std::to_string(kMostUnits) +
                       " different pairs of cpu and nic");
    }
    graph_.units.push_back(unit);
  }
  return known->second;
}

/// Warns of numbers beyond 8 bits: LogGOPSim's numbers are as short as those of GOAL binary.
void GraphBuilder::warn_of_wide_units() {
  std::uint32_t cpu = 0;
  std::uint32_t nic = 0;
  for (const Unit& unit : graph_.units) {
    cpu = std::max(cpu, unit.line.number);
    nic = std::max(nic, unit.nic.number);
  }
  if (std::max(cpu, nic) <= kMostInBinary) return;
  const bool cpus = cpu > kMostInBinary;
  graph_.warnings.push_back(
      {"goal-wide-units", name_ + ": numbers of " + (cpus ? "cpu" : "nic") + " go up to " +
                              std::to_string(cpus ? cpu : nic) +
                              ", of which LogGOPSim's txt2bin keeps the lower 8 bits"});
}

void GraphBuilder::expect(double times) {
  constexpr double kMore = 1.1;       // later ranks' numbers and labels are longer, or shorter
  constexpr double kMost = 1U << 28;  // a damaged file may claim more
  const auto enough = [&](std::size_t now) {
    return static_cast<std::size_t>(std::min(static_cast<double>(now) * times * kMore, kMost));
  };
  try {
    graph_.vertices.reserve(enough(graph_.vertices.size()));
    graph_.dep_begin.reserve(enough(graph_.vertices.size()));
    graph_.deps.reserve(enough(graph_.deps.size() + deps_.size()));
  } catch (const std::bad_alloc&) {  // the actual data may fit, although the estimate does not
  }
}

void GraphBuilder::begin_rank(std::uint32_t rank) {
  begin_ = graph_.vertices.size();
  sections_.push_back({rank, static_cast<VertexId>(begin_)});
}

std::vector<std::uint32_t> GraphBuilder::end_rank() {
  const bool sorted =
      std::ranges::all_of(deps_, [](const LocalDep& dep) { return dep.on < dep.vertex; });
  bool grouped = std::ranges::is_sorted(deps_, {}, &LocalDep::vertex);
  if (!sorted) {
    TopologicalOrder found = topological_order(operations(), deps_);
    if (!found.cycle.empty()) return std::move(found.cycle);
    reorder(found.order);
    grouped = false;
  }
  store_deps(grouped);
  deps_.clear();
  return {};
}

void GraphBuilder::reorder(const std::vector<std::uint32_t>& order) {
  const auto first = graph_.vertices.begin() + static_cast<std::ptrdiff_t>(begin_);
  const std::vector<Vertex> before(first, graph_.vertices.end());
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    place[order[k]] = k;
    first[k] = before[order[k]];
  }
  for (LocalDep& dep : deps_) {
    dep.vertex = place[dep.vertex];
    dep.on = place[dep.on];
  }
}

void GraphBuilder::store_deps(bool grouped) {
  const auto base = static_cast<VertexId>(begin_);
  const std::size_t dep_base = graph_.deps.size();
  // One offset per vertex, then a counting sort, which keeps the file's order within a vertex.
  std::vector<std::uint32_t> begin(operations() + std::size_t{1}, 0);
  begin[0] = static_cast<std::uint32_t>(dep_base);
  for (const LocalDep& dep : deps_) ++begin[dep.vertex + 1];
  for (std::uint32_t v = 0; v < operations(); ++v) {
    begin[v + 1] += begin[v];
    graph_.dep_begin.push_back(begin[v + 1]);
  }
  graph_.deps.resize(dep_base + deps_.size());
  if (grouped) {
    std::ranges::transform(deps_, graph_.deps.begin() + static_cast<std::ptrdiff_t>(dep_base),
                           [&](const LocalDep& dep) { return Dep{base + dep.on, dep.kind}; });
    return;
  }
  for (const LocalDep& dep : deps_) graph_.deps[begin[dep.vertex]++] = {base + dep.on, dep.kind};
}

void GraphBuilder::arrange_ranks(std::uint32_t ranks) {
  graph_.rank_begin.assign(std::size_t{ranks} + 1, 0);
  std::vector<Section> ordered = sections_;
  std::ranges::sort(ordered, {}, &Section::rank);
  const auto total = static_cast<VertexId>(graph_.vertices.size());
  if (std::ranges::is_sorted(sections_, {}, &Section::rank)) {
    for (const Section& section : ordered) graph_.rank_begin[section.rank] = section.begin;
    graph_.rank_begin[ranks] = total;
    return;
  }

  sections_.push_back({ranks, total});  // so that each section ends where the next one begins
  std::vector<VertexId> end_of(ranks);
  for (std::size_t i = 0; i + 1 < sections_.size(); ++i) {
    end_of[sections_[i].rank] = sections_[i + 1].begin;
  }
  Graph arranged;
  arranged.rank_begin = std::move(graph_.rank_begin);
  arranged.vertices.reserve(total);
  arranged.dep_begin.reserve(std::size_t{total} + 1);
  arranged.deps.reserve(graph_.deps.size());
  for (const Section& section : ordered) {
    const auto begin = static_cast<VertexId>(arranged.vertices.size());
    arranged.rank_begin[section.rank] = begin;
    for (VertexId v = section.begin; v < end_of[section.rank]; ++v) {
      arranged.vertices.push_back(graph_.vertices[v]);
      for (const Dep& dep : graph_.deps_of(v)) {
        arranged.deps.push_back({dep.vertex - section.begin + begin, dep.kind});
      }
      arranged.dep_begin.push_back(static_cast<std::uint32_t>(arranged.deps.size()));
    }
  }
  arranged.rank_begin[ranks] = total;
  arranged.units = std::move(graph_.units);
  graph_ = std::move(arranged);
}

Graph GraphBuilder::finish(std::uint32_t ranks) {
  arrange_ranks(ranks);
  match_file_messages(graph_, name_);
  warn_of_wide_units();
  return std::move(graph_);
}

}  // namespace latitude::graph::goal
