#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/graph/graph.hpp"

/// GOAL, the schedules of LogGOPSim (Hoefler et al. 2010): text and binary, in and out.
/// docs/internals/goal.md has the grammar, the byte layout, and the translation of each DepKind.
namespace latitude::graph {

/// Reading. InputError names path:line (text) or path:byte offset (binary). Operations keep the
/// file's order as far as their local dependencies allow; messages are matched in that order.
Graph read_goal_text(const std::string& path);
Graph read_goal_binary(const std::string& path);

/// Reading from memory; `name` replaces the path in messages.
Graph parse_goal_text(std::string_view text, const std::string& name);
Graph parse_goal_binary(std::span<const std::byte> bytes, const std::string& name);

/// Writing. Messages above `eager_limit` bytes are rendezvous messages: GOAL has no `released` and
/// no `posted`, so their translation depends on this limit. An existing file is replaced only after
/// all data are written.
void write_goal_text(const Graph& graph, const std::string& path, std::uint64_t eager_limit);
void write_goal_binary(const Graph& graph, const std::string& path, std::uint64_t eager_limit);

}  // namespace latitude::graph
