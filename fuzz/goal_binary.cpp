// Any bytes are either a sound graph, which survives being written and read, or an InputError.
#include <span>

#include "fuzz/goal_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace latitude::graph;
  Graph graph;
  try {
    graph = parse_goal_binary(std::as_bytes(std::span(data, size)), "fuzz.bin");
  } catch (const latitude::InputError&) {
    return 0;
  }
  check_graph(graph);
  check_round_trips(graph);
  return 0;
}
