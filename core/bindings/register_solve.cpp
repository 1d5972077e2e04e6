#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <variant>

#include "core/bindings/register.hpp"
#include "core/error.hpp"
#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/release.hpp"
#include "core/solve/arrivals.hpp"
#include "core/solve/breakpoints.hpp"
#include "core/solve/coded.hpp"
#include "core/solve/compile.hpp"
#include "core/solve/cpu_order.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/efficiency.hpp"
#include "core/solve/lanes.hpp"
#include "core/solve/message_dag.hpp"
#include "core/solve/path_columns.hpp"
#include "core/solve/replay.hpp"
#include "core/solve/runtime.hpp"
#include "core/solve/schedule.hpp"
#include "core/solve/slack_groups.hpp"
#include "core/solve/slack_sums.hpp"
#include "core/solve/sweep_plan.hpp"
#include "core/solve/tolerance.hpp"
#include "core/solve/top_paths.hpp"

namespace latitude::bindings {

struct Compiled {
  solve::SweepPlan plan;
  model::Theta theta;
  double baseline;
};

struct PathResult {
  explicit PathResult(const graph::Graph& graph) : pairs(graph) {}

  solve::CriticalPath path;  ///< without its steps, which are in `columns`
  solve::PathColumns columns;
  solve::PairsOnPath pairs;
  std::shared_ptr<const solve::Work> work;
};

void check_theta(std::span<const double> theta) {
  for (const double value : theta) {
    if (!std::isfinite(value) || value < 0) {
      throw InputError("θ = " + std::to_string(value) + "; give finite values of 0 or more");
    }
  }
}

solve::Direction direction_of(const model::Network& network, model::Theta theta,
                              const std::optional<Input>& fixed,
                              const std::optional<Input>& weight) {
  if (!fixed.has_value() && !weight.has_value()) return solve::direction(network, theta);
  if (!fixed.has_value() || !weight.has_value() || fixed->size() != weight->size()) {
    throw InputError("fixed and weight belong together: one value each per link class");
  }
  std::vector<solve::Affine> along;
  for (std::size_t i = 0; i < fixed->size(); ++i) {
    along.push_back({fixed->data()[i], weight->data()[i]});
  }
  return solve::direction(network, theta, along);
}

namespace {

using namespace nb::literals;

constexpr int kDefaultLanes = 8;

std::span<const double> span_of(const Input& input) { return {input.data(), input.size()}; }

Array<double> runtime(const Compiled& self, const Input& theta, int lanes) {
  std::vector<double> result;
  {
    const nb::gil_scoped_release release;
    check_theta(span_of(theta));
    result = self.plan.runtimes(span_of(theta), lanes);
  }
  return to_array(std::move(result));
}

double runtime_at(const Compiled& self, double theta) {
  const nb::gil_scoped_release release;
  check_theta({&theta, 1});
  return self.plan.runtimes({&theta, 1}, 1).front();
}

Array<double> tolerance(const Compiled& self, const Input& limits, double start) {
  std::vector<double> result;
  {
    const nb::gil_scoped_release release;
    result = solve::tolerances(self.plan, span_of(limits), start);
  }
  return to_array(std::move(result));
}

template <class T, class Rows, class Get>
Array<T> column(const Rows& rows, Get get) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(static_cast<T>(get(row)));
  return to_array(std::move(values));
}

template <auto Member>
Array<double> column_of(std::span<const solve::Tangent> tangents) {
  return column<double>(tangents, [](const solve::Tangent& at) { return at.*Member; });
}

std::tuple<Array<double>, Array<double>, Array<double>> slopes(const Compiled& self,
                                                               const Input& theta,
                                                               unsigned threads) {
  std::vector<solve::Tangent> found;
  {
    const nb::gil_scoped_release release;
    check_theta(span_of(theta));
    std::vector<double> both(theta.data(), theta.data() + theta.size());
    both.insert(both.end(), theta.data(), theta.data() + theta.size());
    found = solve::tangents_of(self.plan, both, theta.size(), threads);
  }
  using solve::Tangent;
  const std::span left = std::span(found).first(theta.size());
  const std::span right = std::span(found).last(theta.size());
  return {column_of<&Tangent::value>(left), column_of<&Tangent::slope>(left),
          column_of<&Tangent::slope>(right)};
}

std::tuple<Array<double>, Array<double>> tangents(const Compiled& self, const Input& theta,
                                                  unsigned threads) {
  std::vector<solve::Tangent> found;
  {
    const nb::gil_scoped_release release;
    check_theta(span_of(theta));
    found = solve::tangents_of(self.plan, span_of(theta), 0, threads);
  }
  using solve::Tangent;
  return {column_of<&Tangent::value>(found), column_of<&Tangent::slope>(found)};
}

template <auto Member>
auto breakpoint_column() {
  return [](const solve::CurveFound& self) {
    return column<double>(self.breakpoints, [](const solve::Breakpoint& b) { return b.*Member; });
  };
}

template <auto Member>
auto beyond_column() {
  return [](const solve::CurveFound& self) { return column_of<Member>(self.beyond); };
}

using Columns = std::tuple<Array<double>, Array<double>, Array<double>, Array<double>>;

Columns breakpoints(const Compiled& self, double low, double high, unsigned threads) {
  solve::CurveFound found;
  {
    const nb::gil_scoped_release release;
    found = solve::curve_of(self.plan, low, high, {.threads = threads});
  }
  using solve::Breakpoint;
  return {breakpoint_column<&Breakpoint::theta>()(found),
          breakpoint_column<&Breakpoint::value>()(found),
          breakpoint_column<&Breakpoint::left>()(found),
          breakpoint_column<&Breakpoint::right>()(found)};
}

solve::CurveFound curve(const Compiled& self, double low, double high,
                        std::optional<std::size_t> most, double within, unsigned threads,
                        std::function<void(double)> progress) {
  const nb::gil_scoped_release release;
  return solve::curve_of(self.plan, low, high,
                         {.most = most.value_or(solve::CurveSearch::kAll),
                          .within = within,
                          .threads = threads,
                          .progress = std::move(progress)});
}

using InPasses = std::function<std::pair<std::vector<double>, std::vector<double>>(
    const std::vector<double>&, std::size_t)>;

solve::CurveFound curve_in_passes(const InPasses& evaluate, double low, double high,
                                  std::optional<std::size_t> most, double within,
                                  std::function<void(double)> progress) {
  const auto tangents = [&](std::span<const double> theta, std::size_t left) {
    const auto [T_ns, slope] = evaluate({theta.begin(), theta.end()}, left);
    std::vector<solve::Tangent> found;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      found.push_back({theta[i], T_ns.at(i), slope.at(i)});
    }
    return found;
  };
  return solve::curve_of(tangents, low, high,
                         {.most = most.value_or(solve::CurveSearch::kAll),
                          .within = within,
                          .progress = std::move(progress)});
}

/// Returns to the system the memory that a pass through a large graph left in the allocator.
void release_compiled(const Model& model) {
  constexpr std::size_t kLarge = std::size_t{1} << 18;
  if (model.graph.vertices.size() >= kLarge) release_freed();
}

/// The stored Work of the model, or a new one.
std::shared_ptr<const solve::Work> work_of(const Model& model) {
  if (model.work) return model.work;
  return std::make_shared<const solve::Work>(solve::work(model.graph, model.network));
}

PathResult find_path(const Model& model) {
  const graph::Graph& graph = model.graph;
  const std::shared_ptr<const solve::Schedule> schedule = model.scheduled();
  PathResult result(graph);
  result.columns.reserve(schedule->path_vertices());
  result.path = solve::critical_path(*schedule, [&](const solve::PathStep& step) {
    result.columns.add(graph, step);
    result.pairs.add(step);
  });
  result.work = work_of(model);
  return result;
}

/// The stored path of the model, or a new one, which is then stored.
std::shared_ptr<const PathResult> path_of(Model& model) {
  if (model.path) return model.path;
  std::shared_ptr<const PathResult> found;
  {
    const nb::gil_scoped_release release;
    found = std::make_shared<const PathResult>(find_path(model));
    release_compiled(model);
  }
  model.work = found->work;
  model.path = std::move(found);
  return model.path;
}

/// Finds and stores, with one compiled graph, the slack of all messages and the requested number of
/// longest paths. No other part of the model is used, so another thread can find the path
/// meanwhile.
void find_slack(Model& model, std::size_t paths) {
  if (model.slack) return;
  std::vector<solve::MessagePath> longest;
  std::shared_ptr<solve::MessageSlack> slack;
  {
    const nb::gil_scoped_release release;
    solve::MessageGraph messages =
        solve::compile_messages(model.graph, model.network, solve::Joins::all);
    release_compiled(model);
    if (paths > 0) longest = solve::top_paths(messages, model.network.classes[0].L, paths);
    slack = std::make_shared<solve::MessageSlack>(
        solve::message_slack(model.graph, model.network, std::move(messages)));
    release_compiled(model);
  }
  if (paths > 0) model.longest[paths] = std::move(longest);
  model.slack = std::move(slack);
}

/// The stored slack, or a new one, with the parts of the critical path between pairs of ranks.
std::shared_ptr<const solve::MessageSlack> slack_of(Model& model, std::size_t paths) {
  find_slack(model, paths);
  solve::add_path(*model.slack, path_of(model)->pairs);
  return model.slack;
}

template <auto Member>
auto pair_view() {
  return [](nb::handle_t<solve::MessageSlack> self) {
    const auto& pairs = nb::cast<const solve::MessageSlack&>(self).pairs;
    using T = std::remove_cvref_t<decltype(std::declval<solve::PairSlack>().*Member)>;
    return member_view<T>(pairs, pairs.empty() ? nullptr : &(pairs[0].*Member), self);
  };
}

template <class Of, auto Elements>
auto whole_view() {
  return [](nb::handle_t<Of> self) {
    const auto& elements = Elements(nb::cast<const Of&>(self));
    using T = typename std::remove_cvref_t<decltype(elements)>::value_type;
    return member_view<T>(elements, elements.data(), self);
  };
}

Array<double> slack(const solve::MessageDag& self, double theta) {
  std::unique_ptr<solve::Slack> held;
  {
    const nb::gil_scoped_release release;
    check_theta({&theta, 1});
    held = std::make_unique<solve::Slack>(self.slack(theta));
  }
  double* const values = held->data();
  const nb::capsule owner(held.release(),
                          [](void* p) noexcept { delete static_cast<solve::Slack*>(p); });
  return Array<double>(values, {self.receives().size()}, owner);
}

template <auto Member>
auto step_view() {
  return whole_view<PathResult,
                    [](const PathResult& self) -> const auto& { return self.columns.*Member; }>();
}

/// The plain list, or the codes of its numbers and the numbers that they encode.
template <auto Member>
auto coded_view() {
  using Codes = View<std::uint16_t>;
  using Values = View<double>;
  return [](nb::handle_t<PathResult> self) -> std::variant<Values, std::tuple<Codes, Values>> {
    const solve::Coded& coded = nb::cast<const PathResult&>(self).columns.*Member;
    const auto array = [&](const auto& elements) {
      return member_view(elements, elements.data(), self);
    };
    if (!coded.is_coded()) return array(coded.plain());
    return std::tuple(array(coded.codes()), array(coded.values()));
  };
}

/// The time at which each step begins, or ends.
template <std::size_t First>
auto time_view() {
  return [](nb::handle_t<PathResult> self) {
    const solve::PathColumns& columns = nb::cast<const PathResult&>(self).columns;
    return View<double>(columns.vertex.empty() ? nullptr : columns.time_ns.data() + First,
                        {columns.vertex.size()}, self);
  };
}

void register_messages(nb::module_& module, ModelClass& model) {
  nb::class_<solve::MessageDag>(module, "MessageDag",
                                "T(L) with every message kept, for queries of the slack of "
                                "each message.")
      .def_prop_ro(
          "receive",
          [](const solve::MessageDag& self) { return to_array(std::vector(self.receives())); },
          kOwned, "(messages,) receive vertex of each message")
      .def("slack", &slack, "theta"_a,
           "(messages,) ns of extra latency that the message can take alone before T grows, with L "
           "of class 0 at θ and the other classes as far from it as in the network.");
  model.def(
      "messages",
      [](const Model& self) {
        return solve::MessageDag(solve::compile_messages(self.graph, self.network));
      },
      nb::call_guard<nb::gil_scoped_release>(),
      "Compiled again each time, because the compiled graph takes more memory than its single "
      "result.");

  nb::class_<solve::MessagePath>(
      module, "MessagePath",
      "One of the longest paths, identified by the messages whose latencies it has.")
      .def_ro("length_ns", &solve::MessagePath::length_ns)
      .def_prop_ro(
          "receive",
          [](const solve::MessagePath& self) { return to_array(std::vector(self.receives)); },
          kOwned, "receive vertices of these messages, in time order");
  model.def(
      "top_paths",
      [](Model& self, std::size_t k) {
        if (auto known = self.longest.extract(k)) return std::move(known.mapped());
        const solve::MessageGraph messages =
            solve::compile_messages(self.graph, self.network, solve::Joins::all);
        return solve::top_paths(messages, self.network.classes[0].L, k);
      },
      "k"_a, nb::call_guard<nb::gil_scoped_release>(),
      "The k longest paths that differ in their messages, longest first; fewer if no more "
      "exist. The length of a set of messages is that of the longest path along exactly these "
      "messages.");
}

void register_path(nb::module_& module, ModelClass& model) {
  using solve::PairSlack;
  nb::class_<PathResult>(module, "CriticalPath",
                         "The longest path at one network: its vertices in time order, and the "
                         "parts of its time.\n\nArrays of steps, pairs and messages are views of "
                         "the path itself. An array of a step's parts has a number per step (n,) "
                         "or, if few values differ, an index per step into an array of values.")
      .def_prop_ro("T_ns", [](const PathResult& self) { return self.path.T_ns; })
      .def_prop_ro(
          "latency_count", [](const PathResult& self) { return self.path.latencies; }, "λ_L")
      .def_prop_ro(
          "byte_count", [](const PathResult& self) { return self.path.bytes; }, "λ_G")
      .def_prop_ro(
          "overhead_count", [](const PathResult& self) { return self.path.overheads; }, "λ_o")
      .def_prop_ro("calc_ns", [](const PathResult& self) { return self.path.calc_ns; })
      .def_prop_ro(
          "overhead_ns",
          [](const PathResult& self) { return self.path.overhead_ns + self.path.recorded_ns; })
      .def_prop_ro("latency_ns", [](const PathResult& self) { return self.path.latency_ns; })
      .def_prop_ro("bandwidth_ns", [](const PathResult& self) { return self.path.gap_ns; })
      .def_prop_ro("vertex", step_view<&solve::PathColumns::vertex>(), kOwned, "(n,)")
      .def_prop_ro("rank", step_view<&solve::PathColumns::rank>(), kOwned, "(n,)")
      .def_prop_ro("start_ns", time_view<0>(), kOwned,
                   "(n,) time at which the path enters the vertex")
      .def_prop_ro("end_ns", time_view<1>(), kOwned,
                   "(n,) time at which the path leaves the "
                   "vertex")
      .def_prop_ro("step_calc_ns", coded_view<&solve::PathColumns::calc_ns>(), kOwned)
      .def_prop_ro("step_overhead_ns", coded_view<&solve::PathColumns::overhead_ns>(), kOwned,
                   "cost of o, g and O")
      .def_prop_ro("step_network_ns", coded_view<&solve::PathColumns::network_ns>(), kOwned,
                   "latency, and bytes on the wire")
      .def_prop_ro("step_latency_ns", coded_view<&solve::PathColumns::latency_ns>(), kOwned,
                   "the latency alone")
      .def_prop_ro("step_latencies", coded_view<&solve::PathColumns::latencies>(), kOwned,
                   "as a count")
      .def_prop_ro(
          "rank_end_ns",
          [](const PathResult& self) { return to_array(std::vector(self.path.rank_end_ns)); },
          kOwned, "(ranks,) end of each rank")
      .def_prop_ro(
          "rank_lines_ns",
          [](const PathResult& self) { return to_array(std::vector(self.path.rank_lines_ns)); },
          kOwned)
      .def_prop_ro(
          "rank_calc_ns",
          [](const PathResult& self) { return to_array(std::vector(self.work->calc_ns)); }, kOwned,
          "(ranks,) computation of each rank")
      .def_prop_ro(
          "rank_overhead_ns",
          [](const PathResult& self) { return to_array(std::vector(self.work->overhead_ns)); },
          kOwned, "(ranks,) time of each rank in o (the rest, up to its end, is waiting)");
  using solve::MessageSlack;
  nb::class_<MessageSlack>(
      module, "MessageSlack",
      "Extra latency that single messages can take, on each of their latencies, before T grows.")
      .def_prop_ro("pair_source", pair_view<&PairSlack::source>(), kOwned,
                   "(pairs,) by source, then destination")
      .def_prop_ro("pair_destination", pair_view<&PairSlack::destination>(), kOwned, "(pairs,)")
      .def_prop_ro("pair_messages", pair_view<&PairSlack::messages>(), kOwned)
      .def_prop_ro("pair_bytes", pair_view<&PairSlack::bytes>(), kOwned)
      .def_prop_ro(
          "pair_least_slack_ns", pair_view<&PairSlack::least_ns>(), kOwned,
          "(pairs,) extra latency that the tightest message can take on each of its latencies")
      .def_prop_ro("pair_mean_slack_ns", pair_view<&PairSlack::mean_ns>(), kOwned)
      .def_prop_ro("pair_lambda_L", pair_view<&PairSlack::path_latencies>(), kOwned,
                   "(pairs,) latencies of the pair on the critical path")
      .def_prop_ro("pair_lambda_G", pair_view<&PairSlack::path_bytes>(), kOwned,
                   "(pairs,) bytes of the pair on the critical path")
      .def_prop_ro(
          "message_receive",
          whole_view<MessageSlack,
                     [](const MessageSlack& self) -> const auto& { return self.receive; }>(),
          kOwned, "(messages,) the vertex that receives each message")
      .def_prop_ro(
          "message_source",
          whole_view<MessageSlack,
                     [](const MessageSlack& self) -> const auto& { return self.source; }>(),
          kOwned, "(messages,) the rank that sends each message")
      .def_prop_ro(
          "message_destination",
          whole_view<MessageSlack,
                     [](const MessageSlack& self) -> const auto& { return self.destination; }>(),
          kOwned, "(messages,) the rank that receives each message")
      .def_prop_ro(
          "message_slack_ns",
          whole_view<MessageSlack,
                     [](const MessageSlack& self) -> const auto& { return self.slack_ns; }>(),
          kOwned, "(messages,) as MessageDag.slack() at the network's L")
      .def_prop_ro(
          "site_least_slack_ns",
          [](const MessageSlack& self) { return to_array(std::vector(self.site_least_ns)); },
          kOwned, "(sites,) as for pairs, over the messages sent or received there");
  nb::class_<solve::SlackSums>(module, "SlackSums", "The slack of messages with a common property.")
      .def_ro("messages", &solve::SlackSums::messages)
      .def_ro("critical", &solve::SlackSums::critical, "number of messages without slack")
      .def_ro("tight", &solve::SlackSums::tight, "number of messages with less slack than L")
      .def_ro("least_ns", &solve::SlackSums::least_ns)
      .def_ro("sum_ns", &solve::SlackSums::sum_ns);
  model.def(
      "slack_groups",
      [](Model& self, double rounding, double latency) {
        find_slack(self, 0);
        return solve::slack_groups(self.graph, *self.slack, rounding, latency);
      },
      "rounding"_a, "latency"_a,
      "The messages of `slack`: by code of the call that has posted the receive (one beyond all "
      "codes if none has), by communicator (without messages that have none), and by size: 0 for "
      "none, k + 1 for up to 2^k bytes. Slack of at most `rounding` counts as 0; `latency` is L.");
  model.def("find_slack", &find_slack, "paths"_a = 0,
            "Does the work of `slack`. It may run on one thread while another one uses the model, "
            "but for messages and `top_paths`.");
  model.def("slack", &slack_of, "paths"_a = 0,
            "The slack of all messages, and, from the same compiled graph, this number of "
            "`top_paths`. The compiled graph takes much memory for a while.");
  model.def("critical_path", &path_of);
  model.def(
      "forget_compiled",
      [](Model& self) {
        self.along.clear();
        release_compiled(self);
      },
      "Releases the graphs compiled along L, G and o of the network.");
}

using Classes = std::vector<std::tuple<std::string, double, double>>;
template <class Value>
using OfClasses = std::vector<std::optional<Value>>;
using Nodes = Given<std::uint32_t>;
using NodePairs = Given<std::uint16_t, 2>;

void make_network(model::Network* self, double L, double o, double G, std::uint64_t S,
                  const std::optional<std::uint64_t>& S_isend, double g, double O,
                  const std::string& rendezvous, const std::optional<std::string>& gap,
                  double compute_scale, const Classes& classes,
                  const std::optional<Nodes>& node_of_rank,
                  const std::optional<NodePairs>& class_of,
                  const OfClasses<std::uint64_t>& S_of_class, const OfClasses<double>& o_of_class,
                  const OfClasses<double>& O_of_class, const OfClasses<double>& g_of_class) {
  const bool spaced =
      g > 0 || std::ranges::any_of(g_of_class, [](const auto& own) { return own > 0.0; });
  const model::Gap held = gap.has_value() ? model::gap_named(*gap)
                          : spaced        ? model::Gap::send
                                          : model::Gap::none;
  model::Network network(
      model::LogGPS{L, o, g, G, O, S, S_isend, model::rendezvous_named(rendezvous), held});
  network.base.compute_scale = compute_scale;
  network.base.check();
  if (!classes.empty()) network.classes.clear();
  for (const auto& [name, latency, gap] : classes) network.classes.push_back({name, latency, gap});
  const auto set = [&](const char* name, const auto& values, auto member) {
    if (!values.empty() && values.size() != network.classes.size()) {
      throw InputError(std::string(name) + " has one entry per link class");
    }
    for (std::size_t i = 0; i < values.size(); ++i) network.classes[i].*member = values[i];
  };
  set("S_of_class", S_of_class, &model::LinkClass::S);
  set("o_of_class", o_of_class, &model::LinkClass::o);
  set("O_of_class", O_of_class, &model::LinkClass::O);
  set("g_of_class", g_of_class, &model::LinkClass::g);
  if (node_of_rank.has_value() != class_of.has_value()) {
    throw InputError("node_of_rank and class_of belong together: give both or neither");
  }
  if (node_of_rank.has_value()) {
    network.node_of_rank.assign(node_of_rank->data(), node_of_rank->data() + node_of_rank->size());
    network.nodes = static_cast<std::uint32_t>(class_of->shape(0));
    network.class_of.assign(class_of->data(), class_of->data() + class_of->size());
  }
  network.check(static_cast<std::uint32_t>(network.node_of_rank.size()));
  new (self) model::Network(std::move(network));
}

/// The link class of every pair of nodes, owned by the array.
nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>> class_matrix(const model::Network& self) {
  auto* held = new std::vector<model::ClassId>(self.class_of);
  const nb::capsule owner(
      held, [](void* p) noexcept { delete static_cast<std::vector<model::ClassId>*>(p); });
  return nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>>(held->data(), {self.nodes, self.nodes},
                                                            owner);
}

/// A price for each link class, ns or ns/byte.
template <double (model::Network::*Of)(model::ClassId) const noexcept>
auto of_each_class() {
  return [](const model::Network& self) {
    std::vector<double> values;
    for (std::size_t c = 0; c < self.classes.size(); ++c) {
      values.push_back((self.*Of)(static_cast<model::ClassId>(c)));
    }
    return to_array(std::move(values));
  };
}

/// T along a parameter of the network, or along `fixed` + `weight` · θ of each link class.
std::shared_ptr<const Compiled> along(Model& self, const std::string& theta,
                                      const std::optional<Input>& fixed,
                                      const std::optional<Input>& weight) {
  const model::Theta parameter = model::theta_named(theta);
  const bool plain = !fixed.has_value() && !weight.has_value();
  const auto known = self.along.find(parameter);
  if (plain && known != self.along.end()) return known->second;
  solve::Direction direction = direction_of(self.network, parameter, fixed, weight);
  std::shared_ptr<const Compiled> compiled;
  {
    const nb::gil_scoped_release release;
    release_compiled(self);  // frees memory of the schedule, the path and the waits
    compiled = std::make_shared<const Compiled>(
        solve::SweepPlan(solve::compile(self.graph, self.network, std::move(direction))), parameter,
        model::value_of(self.network.base, parameter));
    release_compiled(self);
  }
  if (plain) self.along[parameter] = compiled;
  return compiled;
}

void register_cpu_order(nb::module_& module, ModelClass& model) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<solve::Service>(module, "Service", "The order in which CPUs serve operations.");
  model.def(
      "service",
      [](const Model& self, double at, const std::string& theta, const std::optional<Input>& fixed,
         const std::optional<Input>& weight) {
        const model::Theta parameter = model::theta_named(theta);
        solve::Direction direction = direction_of(self.network, parameter, fixed, weight);
        const nb::gil_scoped_release release;
        check_theta({&at, 1});
        return solve::service(self.graph, self.network, std::move(direction), at);
      },
      "at"_a, "theta"_a = "L", "fixed"_a = nb::none(), "weight"_a = nb::none(),
      "The order if each CPU serves first come, first served, at this value of θ (as in `along`); "
      "existing orders of CPUs in the graph do not count.");
  model.def(
      "overlapping", [](const Model& self) { return solve::overlapping(*self.scheduled()); },
      Release(),
      "Number of operations that begin on a CPU held by another one, on the network as it is.");
  nb::class_<solve::Arrivals>(module, "Arrivals",
                              "The messages of the receives that a graph leaves open, and the "
                              "calls that completed requests.");
  module.def("arrivals", &solve::arrivals, "graph"_a, "network"_a, "factor"_a = 1.0, Release(),
             "Choices of a simulation on this network, with all latencies `factor` times as long. "
             "InputError if a message or a receive is left over.");
  module.def("matched", &solve::matched, "graph"_a, "arrivals"_a, Release(),
             "The graph with these messages and completions.");
  nb::class_<solve::OpenChoices>(module, "OpenChoices")
      .def_ro("sources", &solve::OpenChoices::sources,
              "Number of receives from any source for which a rank must be chosen.")
      .def_ro("requests", &solve::OpenChoices::requests,
              "Number of requests for which one of several calls must be chosen.");
  module.def("open_choices", &solve::open_choices, "graph"_a, Release(), "Numbers of choices.");
  module.def(
      "chosen_otherwise",
      [](const graph::Graph& graph, const solve::Arrivals& arrivals, const solve::Arrivals& low,
         const solve::Arrivals& high) {
        return solve::chosen_otherwise(graph, arrivals, {low, high});
      },
      "graph"_a, "arrivals"_a, "low"_a, "high"_a, Release(),
      "Numbers of choices that differ from `arrivals` in `low` or `high`.");
  module.def("in_file_order", &solve::in_file_order, "graph"_a, "network"_a, Release(),
             "The graph in which each CPU takes operations in the order of the file; "
             "InputError if operations then wait in a cycle.");
  module.def("in_order_of", &solve::in_order_of, "graph"_a, "service"_a, Release(),
             "The graph in which each CPU takes operations in the order of `Model.service`.");
  module.def("choices", &solve::choices, "graph"_a, Release(),
             "Number of pairs of operations on a CPU to which an order was added.");
  module.def("otherwise", &solve::otherwise, "graph"_a, "service"_a, Release(),
             "Number of these pairs that `service` serves in reverse order.");
}

}  // namespace

void register_solve(nb::module_& module) {
  module.def(
      "vector_units",
      [] {
        std::vector<std::string> names;
        for (const solve::Unit unit : solve::units_here()) names.emplace_back(solve::name_of(unit));
        return names;
      },
      "The units of this processor for which kernels are compiled, the widest last.");
  module.def("vector_unit", [] { return std::string(solve::name_of(solve::unit_in_use())); });
  module.def("release_freed", &release_freed,
             "Returns to the system the freed memory, of the core and of Python, that the "
             "allocator keeps.");
  module.def(
      "use_vector_unit", [](const std::string& name) { solve::use_unit(name); }, "name"_a,
      "Sets the unit from now on, for comparisons; no bit of a result depends on it. InputError if "
      "this processor lacks it.");
  nb::class_<model::Network>(
      module, "Network",
      "LogGPS parameters; L and G by link class if ranks are placed on nodes.\n\nMessage from rank "
      "i to rank j: class_of[node_of_rank[i], node_of_rank[j]] → classes[c].")
      .def("__init__", &make_network, nb::kw_only(), "L"_a, "o"_a, "G"_a, "S"_a,
           "S_isend"_a = nb::none(), "g"_a = 0.0, "O"_a = 0.0, "rendezvous"_a = "handshake",
           "gap"_a = nb::none(), "compute_scale"_a = 1.0, "classes"_a = Classes{},
           "node_of_rank"_a = nb::none(), "class_of"_a = nb::none(),
           "S_of_class"_a = OfClasses<std::uint64_t>{}, "o_of_class"_a = OfClasses<double>{},
           "O_of_class"_a = OfClasses<double>{}, "g_of_class"_a = OfClasses<double>{})
      .def_prop_ro("L", [](const model::Network& self) { return self.base.L; })
      .def_prop_ro("o", [](const model::Network& self) { return self.base.o; })
      .def_prop_ro("g", [](const model::Network& self) { return self.base.g; })
      .def_prop_ro("G", [](const model::Network& self) { return self.base.G; })
      .def_prop_ro("O", [](const model::Network& self) { return self.base.O; })
      .def_prop_ro("S", [](const model::Network& self) { return self.base.S; })
      .def_prop_ro(
          "S_isend", [](const model::Network& self) { return self.base.S_isend; },
          "for messages of MPI_Isend and similar calls; None: S")
      .def(
          "eager_limit",
          [](const model::Network& self, bool immediate) {
            return self.base.eager_limit(immediate);
          },
          "immediate"_a,
          "Largest message sent eagerly, by MPI_Isend and similar calls or by others.")
      .def_prop_ro(
          "rendezvous",
          [](const model::Network& self) {
            return std::string(model::name_of(self.base.rendezvous));
          },
          "\"handshake\", \"put\", \"get\", \"llamp\" or \"sync\"")
      .def_prop_ro(
          "gap",
          [](const model::Network& self) { return std::string(model::name_of(self.base.gap)); },
          "ends that keep a rank's messages max(g, B) apart: \"none\", \"send\" or \"both\"")
      .def_prop_ro(
          "compute_scale", [](const model::Network& self) { return self.base.compute_scale; },
          "factor on the computation in the graph")
      .def_prop_ro(
          "classes",
          [](const model::Network& self) {
            Classes classes;
            for (const model::LinkClass& c : self.classes) classes.emplace_back(c.name, c.L, c.G);
            return classes;
          },
          "name, L (ns), G (ns/byte); one at least")
      .def_prop_ro("o_of_class", of_each_class<&model::Network::o>(), kOwned, "(classes,) ns")
      .def_prop_ro("O_of_class", of_each_class<&model::Network::O>(), kOwned, "ns per byte")
      .def_prop_ro("g_of_class", of_each_class<&model::Network::g>(), kOwned, "ns")
      .def_prop_ro(
          "node_of_rank",
          [](const model::Network& self) { return to_array(std::vector(self.node_of_rank)); },
          kOwned, "(ranks,) empty with one class for all pairs")
      .def_prop_ro("class_of", &class_matrix, kOwned, "(nodes, nodes)");

  nb::class_<Compiled>(
      module, "AffineDag",
      "T(θ) as a longest path with affine weights; θ ≥ 0 is L (ns), G (ns/byte) or o (ns).")
      .def_prop_ro("theta",
                   [](const Compiled& self) { return std::string(model::name_of(self.theta)); })
      .def_ro("baseline", &Compiled::baseline, "value of θ in the network of the compilation")
      .def_prop_ro("nodes", [](const Compiled& self) { return self.plan.nodes(); })
      .def_prop_ro("edges", [](const Compiled& self) { return 2 * self.plan.nodes(); })
      .def_prop_ro("memory_bytes", [](const Compiled& self) { return self.plan.memory_bytes(); })
      .def("runtime", &runtime, "theta"_a, "lanes"_a = kDefaultLanes, "T at each θ.")
      .def("runtime_at", &runtime_at, "theta"_a,
           "T at one θ, without NumPy, whose import takes longer than many sweeps.")
      .def("slopes", &slopes, "theta"_a, "threads"_a = 1,
           "T, left derivative and right derivative at each θ.")
      .def("tangents", &tangents, "theta"_a, "threads"_a = 1,
           "T and right derivative at each θ: half of the work of `slopes`.")
      .def("tolerance", &tolerance, "limits"_a, "start"_a,
           "Largest θ ≥ start with T(θ) ≤ limit, for each limit (ns); inf if unbounded.")
      .def("breakpoints", &breakpoints, "low"_a, "high"_a, "threads"_a = 0,
           "All θ in (low, high) at which the slope changes: θ, T, slope to the left and to the "
           "right.")
      .def("curve", &curve, "low"_a, "high"_a, "most"_a = nb::none(),
           "within"_a = solve::CurveSearch{}.within, "threads"_a = 0, "progress"_a = nb::none(),
           "The first `most` of these θ (None: all), and T beyond them, within a share of "
           "T.\n\n`progress` is called with the finished share of the list.");

  module.def("curve_in_passes", &curve_in_passes, "evaluate"_a, "low"_a, "high"_a,
             "most"_a = nb::none(), "within"_a = solve::CurveSearch{}.within,
             "progress"_a = nb::none(),
             "`AffineDag.curve`, to the bit, for a graph that is not in memory.\n\n`evaluate` "
             "returns T at all given θ, and its slope: towards lower θ for the given number of "
             "first ones, towards higher θ for the others.");

  using solve::Breakpoint;
  using solve::Tangent;
  nb::class_<solve::CurveFound>(
      module, "CurveFound",
      "T over an interval. Up to the last of `value`, all θ at which the slope changes are "
      "listed.\n\nBeyond it T lies on or above the tangents, and on or below the lines between "
      "their points; these bounds differ by at most the share `bound` of T. The last tangent is "
      "that at the interval's end. If the whole interval is listed, there are no tangents.")
      .def_prop_ro("value", breakpoint_column<&Breakpoint::theta>(), kOwned)
      .def_prop_ro("T_ns", breakpoint_column<&Breakpoint::value>(), kOwned)
      .def_prop_ro("left", breakpoint_column<&Breakpoint::left>(), kOwned, "slopes")
      .def_prop_ro("right", breakpoint_column<&Breakpoint::right>(), kOwned)
      .def_prop_ro("beyond_value", beyond_column<&Tangent::theta>(), kOwned)
      .def_prop_ro("beyond_T_ns", beyond_column<&Tangent::value>(), kOwned)
      .def_prop_ro("beyond_slope", beyond_column<&Tangent::slope>(), kOwned)
      .def_ro("bound", &solve::CurveFound::bound)
      .def_ro("sweeps", &solve::CurveFound::sweeps, "passes over the graph, of up to 16 θ each");

  nb::class_<solve::Work>(module, "Work",
                          "Computation of a program outside MPI, ns, before any compute_scale; "
                          "computation in collectives belongs to MPI.")
      .def_prop_ro(
          "rank", [](const solve::Work& self) { return to_array(std::vector(self.rank)); }, kOwned,
          "By process: each rank, followed by each further thread of the rank that computes.")
      .def_prop_ro(
          "useful_ns",
          [](const solve::Work& self) { return to_array(std::vector(self.useful_ns)); }, kOwned,
          "By processor.");

  const auto times = [](double (solve::Schedule::*of)(graph::VertexId) const) {
    return [of](const solve::Schedule& self) {
      std::vector<double> ns;
      ns.reserve(self.graph().vertices.size());
      for (graph::VertexId v = 0; v < self.graph().vertices.size(); ++v) {
        ns.push_back((self.*of)(v));
      }
      return to_array(std::move(ns));
    };
  };
  nb::class_<solve::Schedule>(module, "Schedule",
                              "All starts and ends on one network (core/solve/schedule.hpp).")
      .def_prop_ro("start_ns", times(&solve::Schedule::start_ns), kOwned, "(vertices,)")
      .def_prop_ro("end_ns", times(&solve::Schedule::end_ns), kOwned, "(vertices,)");

  ModelClass model(
      module, "Model",
      "A graph on a network: each kind of question about it is compiled once, at its first use.");
  model
      .def(
          "__init__",
          [](Model* self, const graph::Graph& graph, const model::Network& network) {
            auto one = solve::with_one_limit(graph, network);
            if (!one.has_value()) {
              new (self) Model{graph, network};
              return;
            }
            auto own = std::make_unique<const solve::OneLimit>(*std::move(one));
            new (self) Model{own->graph, own->network, std::move(own)};
          },
          "graph"_a, "network"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def_prop_ro("graph", [](const Model& self) -> const graph::Graph& { return self.graph; })
      .def_prop_ro("network",
                   [](const Model& self) -> const model::Network& { return self.network; })
      .def(
          "runtime", [](const Model& self) { return solve::runtime(self.graph, self.network); },
          nb::call_guard<nb::gil_scoped_release>(),
          "T (ns) on the network as it is, without compilation: the value of `along` at the "
          "network's own θ, except for the rounding of sums. InputError as in `along`.")
      .def("along", &along, "theta"_a = "L", "fixed"_a = nb::none(), "weight"_a = nb::none(),
           "T(θ). L (theta=\"L\") or G (theta=\"G\") of link class c is fixed[c] + weight[c] · "
           "θ, which is compiled again each time; without `fixed` and `weight`, θ is the "
           "parameter of class 0, and the other classes keep their distance from it. "
           "InputError if operations wait in a cycle.")
      .def(
          "schedule",
          [](Model& self) {
            std::shared_ptr<const solve::Schedule> schedule;
            {
              const nb::gil_scoped_release release;
              schedule = self.scheduled();
              release_compiled(self);
            }
            self.schedule = schedule;
            return schedule;
          },
          nb::keep_alive<0, 1>(),
          "While this object is kept, critical path, waits and ideal runtime come from one "
          "pass over the graph; 52 bytes per vertex.")
      .def("work",
           [](Model& self) {
             std::shared_ptr<const solve::Work> found;
             {
               const nb::gil_scoped_release release;
               found = work_of(self);
             }
             self.work = found;
             return found;
           })
      .def(
          "ideal_runtime", [](const Model& self) { return self.scheduled()->ideal_ns(); },
          nb::call_guard<nb::gil_scoped_release>(),
          "T (ns) if messages cost nothing and compute_scale is 1; the order of waiting stays.")
      .def(
          "replayed", [](const Model& self) { return solve::replayed(self.graph, self.network); },
          nb::call_guard<nb::gil_scoped_release>(),
          "The graph of a traced run, with each computation lengthened so that it ends no earlier "
          "than in the run (core/solve/replay.hpp); InputError for a graph built without "
          "traced_times.");
  register_path(module, model);
  register_messages(module, model);
  register_cpu_order(module, model);
  register_random(module, model);
  register_placement(module);
  register_planes(module, model);
  register_waits(module, model);
}

}  // namespace latitude::bindings
