// Reads the trace in each folder named, builds its graph and solves it with several threads, for a
// race detector to watch: `read_in_parallel FOLDER…`. One thread must find the same. Then T, the
// slack of messages, and path and waits are found at the same time, as by an analysis.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "core/graph/from_trace.hpp"
#include "core/model/network.hpp"
#include "core/solve/breakpoints.hpp"
#include "core/solve/compile.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/message_dag.hpp"
#include "core/solve/schedule.hpp"
#include "core/solve/waits.hpp"
#include "core/trace/format.hpp"

namespace {

using namespace latitude;
namespace fs = std::filesystem;

constexpr unsigned kThreads = 8;

std::vector<std::uint8_t> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

trace::Place place_of(const std::string& folder) {
  trace::Place place{folder, {}, [folder](const std::string& file) {
                       constexpr std::size_t kHead = 64;
                       std::string head(kHead, '\0');
                       std::ifstream in(fs::path(folder) / file, std::ios::binary);
                       in.read(head.data(), static_cast<std::streamsize>(kHead));
                       head.resize(static_cast<std::size_t>(in.gcount()));
                       return head;
                     }};
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) place.files.push_back(entry.path().filename().string());
  }
  return place;
}

/// The parts fed in pieces, each by a thread of its own.
trace::Trace fed(const trace::Format& format, const std::vector<std::string>& paths) {
  constexpr std::size_t kPiece = 4096;
  const auto loader = format.loader(paths, {});
  {
    std::vector<std::jthread> feeders;
    for (std::size_t part = 0; part < paths.size(); ++part) {
      feeders.emplace_back([&, part] {
        const std::vector<std::uint8_t> bytes = bytes_of(paths[part]);
        const std::size_t step = format.intake == trace::Intake::whole ? bytes.size() : kPiece;
        for (std::size_t at = 0; at < bytes.size(); at += step) {
          const std::size_t size = std::min(step, bytes.size() - at);
          loader->feed(part, std::span(bytes).subspan(at, size));
        }
      });
    }
  }
  return loader->finish(kThreads);
}

constexpr double kLatency = 3000;
const model::Network kNetwork = model::LogGPS{.L = kLatency, .o = 5000, .G = 0.018, .S = 262144};

struct Answer {
  double T = 0;
  double slack = 0;
  double path = 0;
  double waited = 0;

  bool operator==(const Answer&) const = default;
};

/// Calls `run` with the work of each thread of an analysis, which writes its part of `found`.
template <typename Run>
void answer(const graph::Graph& graph, Answer& found, Run run) {
  run([&] {
    const solve::SweepPlan plan(solve::compile(graph, kNetwork, model::Theta::L));
    found.T = plan.tangent(kLatency).value;
  });
  run([&] {
    solve::MessageGraph messages = solve::compile_messages(graph, kNetwork, solve::Joins::all);
    const auto slack = solve::message_slack(graph, kNetwork, std::move(messages));
    for (const double each : slack.slack_ns) found.slack += each;
  });
  run([&] {
    const solve::Schedule schedule(graph, kNetwork);
    found.path = solve::critical_path(schedule).T_ns;
    for (const solve::Wait& each : solve::waits(schedule).waits) found.waited += each.ns;
  });
}

bool same_at_once(const graph::Graph& graph) {
  Answer together;
  {
    std::vector<std::jthread> threads;
    answer(graph, together, [&](auto work) { threads.emplace_back(work); });
  }
  Answer alone;
  answer(graph, alone, [](auto work) { work(); });
  return together == alone;
}

/// T at every change of λ.
std::vector<double> solved(const graph::Graph& graph, unsigned threads) {
  const solve::SweepPlan plan(solve::compile(graph, kNetwork, model::Theta::L));
  std::vector<double> values;
  const solve::CurveFound curve = solve::curve_of(plan, 0, 1e6, {.threads = threads});
  for (const auto& found : curve.breakpoints) values.push_back(found.value);
  values.push_back(plan.tangent(kLatency).value);
  return values;
}

bool same_in_parallel(const std::string& folder) {
  const auto found = trace::find_trace(place_of(folder));
  if (!found) {
    std::fprintf(stderr, "%s: no trace\n", folder.c_str());
    return false;
  }
  std::vector<std::string> paths;
  for (const std::string& part : found->parts) paths.push_back((fs::path(folder) / part).string());
  const trace::Format& format = *found->format;
  trace::Trace trace = format.read(paths, {}, 1);
  const graph::Graph graph = graph::build_graph(trace, {.threads = 1});
  const std::vector<double> alone = solved(graph, 1);
  const auto found_by_all = [](trace::Trace read) {
    return solved(graph::build_graph(read, {.threads = kThreads}), kThreads);
  };
  bool same = found_by_all(format.read(paths, {}, kThreads)) == alone;
  if (format.loader != nullptr) same &= found_by_all(fed(format, paths)) == alone;
  same &= same_at_once(graph);
  std::printf("%s: %zu parts, T = %.0f ns: %s\n", folder.c_str(), paths.size(), alone.back(),
              same ? "the same in parallel" : "DIFFERENT in parallel");
  return same;
}

}  // namespace

int main(int argc, char** argv) try {
  bool same = argc > 1;
  for (int i = 1; i < argc; ++i) same &= same_in_parallel(argv[i]);
  return same ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
