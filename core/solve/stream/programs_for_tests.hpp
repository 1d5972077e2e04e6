#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/graph/from_trace.hpp"
#include "core/model/network.hpp"
#include "core/solve/one_limit.hpp"
#include "core/trace/native/load_for_tests.hpp"
#include "core/trace/native/random_program_for_tests.hpp"

namespace latitude::solve {

/// Options for the files of a trace.
inline std::vector<std::string> names(std::size_t ranks) {
  std::vector<std::string> result;
  for (std::size_t r = 0; r < ranks; ++r) {
    result.push_back(std::string("r").append(std::to_string(r)).append(".lat"));
  }
  return result;
}

/// The result of `of()`; none if it rejects its input.
template <class Of>
auto unless_refused(Of of) -> std::optional<decltype(of())> {
  try {
    return of();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Random networks with all rendezvous protocols, with links of equal costs or of two classes.
inline model::Network random_network(std::mt19937& random, std::size_t ranks) {
  const auto pick = [&](std::initializer_list<double> of) {
    return of.begin()[random() % of.size()];
  };
  model::LogGPS base{.L = 100, .o = pick({0, 3, 1.7}), .G = pick({0.018, 1, 0.3})};
  base.S = random() % 3 == 0 ? 1500 : 1 << 20;
  if (random() % 2 == 0) base.S_isend = 400;
  base.O = pick({0, 0.1});
  base.rendezvous = static_cast<model::Rendezvous>(random() % 5);
  model::Network network = base;
  if (random() % 2 == 0) return network;
  network.classes.push_back(
      {.name = "far", .L = 180, .G = 1.3, .o = base.o + pick({0, 2, 0.4}), .O = pick({0, 0.3})});
  for (model::LinkClass& link : network.classes) {
    if (random() % 3 == 0) link.S = random() % 2 == 0 ? 1 << 20 : 100;
  }
  network.nodes = static_cast<std::uint32_t>(ranks);
  for (std::uint32_t rank = 0; rank < network.nodes; ++rank) network.node_of_rank.push_back(rank);
  for (std::size_t pair = 0; pair < ranks * ranks; ++pair) {
    network.class_of.push_back(static_cast<model::ClassId>(random() % 2));
  }
  return network;
}

/// The program of the files in memory, in the form of a model.
inline OneLimit whole(const std::vector<std::string>& files, const graph::BuildOptions& build,
                      const model::Network& network) {
  trace::Trace trace = trace::native::load(files);
  graph::Graph graph = graph::build_graph(trace, build);
  if (auto one = with_one_limit(graph, network)) return *std::move(one);
  return {std::move(graph), network};
}

/// Two ranks that send a message and wait for it, `steps` times; a chunk of the file has this many.
inline std::vector<std::string> exchange(int steps, bool wildcard, int in_chunk = 1) {
  std::vector<std::string> files;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    trace::native::FileWriter file(rank, 2);
    file.init();
    const int other = rank == 0 ? 1 : 0;
    for (int step = 0; step < steps; ++step) {
      const auto number = static_cast<std::uint64_t>(2 * step + 1);
      file.gap(50).add(
          "MPI_Irecv", "cptbq",
          trace::native::Fields().u(0).z(wildcard ? -1 : other).z(7).u(8).request(number));
      file.add("MPI_Isend", "cptbq",
               trace::native::Fields().u(0).z(other).z(7).u(8).request(number + 1));
      trace::native::Fields done;
      done.u(2).request(number);
      if (wildcard) {
        done.u(1).z(other).z(7).u(8);
      } else {
        done.u(0);
      }
      file.gap(10).add("MPI_Waitall", "Q", done.request(number + 1).u(0));
      if (step % in_chunk == 0) file.flush();
    }
    files.push_back(trace::native::whole(std::move(file)));
  }
  return files;
}

}  // namespace latitude::solve
