// Any text is either a sound graph, which survives being written and read, or an InputError.
#include <string_view>

#include "fuzz/goal_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace latitude::graph;
  Graph graph;
  try {
    graph = parse_goal_text({reinterpret_cast<const char*>(data), size}, "fuzz.goal");
  } catch (const latitude::InputError&) {
    return 0;
  }
  check_graph(graph);
  check_round_trips(graph);
  return 0;
}
