#include "core/trace/program_events.hpp"

#include <cstdio>
#include <string>

namespace latitude::trace {

void count_calls(std::span<const std::string_view> names, RankTrace& rank) {
  std::map<std::string_view, std::uint64_t> counts;
  for (const std::string_view name : names) ++counts[name];
  for (const auto& [name, count] : counts) rank.call_counts.emplace_back(name, count);
  rank.event_count = names.size();
}

std::uint32_t NamedSites::of(const Frame& frame, std::uint32_t caller) {
  const std::uint64_t number = frames_.try_emplace(frame, frames_.size()).first->second;
  const auto [site, is_new] =
      sites_.try_emplace({number, caller}, static_cast<std::uint32_t>(trace_.sites.size()));
  if (is_new) {
    trace_.sites.push_back({.module = kNoModule, .caller = caller, .offset = number});
    trace_.frames.push_back({frame});
  }
  return site->second;
}

std::map<std::uint64_t, std::uint32_t> add_communicators(std::span<const NumberedGroup> groups,
                                                         std::size_t ranks, Trace& trace) {
  const Members world = Members::all(ranks);
  trace.communicators.push_back({world});
  std::map<std::uint64_t, std::uint32_t> indices;
  bool world_named = false;
  for (const auto& [id, group] : groups) {
    if (!world_named && group == world) {
      indices[id] = kWorld;
      world_named = true;
      continue;
    }
    indices[id] = static_cast<std::uint32_t>(trace.communicators.size());
    trace.communicators.push_back({group});
  }
  return indices;
}

void warn_of_tracer(std::int64_t most_ns, Trace& trace) {
  if (most_ns == 0) return;
  char ms[32];
  std::snprintf(ms, sizeof ms, "%.3f", static_cast<double>(most_ns) / 1e6);
  trace.warnings.push_back({"tracer-left-out", std::string("up to ") + ms +
                                                   " ms a rank, in which the tracer wrote its "
                                                   "buffers or was switched off, were left out"});
}

}  // namespace latitude::trace
