#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/bindings/register.hpp"
#include "core/error.hpp"
#include "core/graph/collectives/expected.hpp"
#include "core/solve/stream/evaluate.hpp"
#include "core/solve/stream/path.hpp"
#include "core/solve/stream/slack.hpp"
#include "core/trace/format.hpp"
#include "core/trace/native/format.hpp"
#include "core/trace/warnings.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;
using solve::MessageKind;
using solve::SlackGroups;
using solve::StreamFound;
using solve::StreamPath;
using solve::StreamSlack;
using solve::Tangent;
using trace::native::Pieces;

template <double Tangent::* member>
auto column() {
  return [](const StreamFound& self) {
    std::vector<double> values;
    for (const Tangent& at : self.right) values.push_back(at.*member);
    return to_array(std::move(values));
  };
}

/// The options of a pass over the trace.
struct Pass {
  graph::BuildOptions build;
  solve::StreamOptions options;

  Pass(const std::vector<std::string>& collectives, double reduce_ns_per_byte,
       bool skip_unsupported, bool async_progress, unsigned threads,
       std::function<void(std::uint64_t)> progress, std::optional<graph::CallTimes> call_times) {
    build.collectives = selection_of(collectives);
    build.reduce_ns_per_byte = reduce_ns_per_byte;
    build.skip_unsupported = skip_unsupported;
    build.async_progress = async_progress;
    build.call_times = std::move(call_times);
    options.threads = threads;
    options.progress = std::move(progress);
  }
};

StreamFound evaluate(const Pieces& self, const model::Network& network, const Input& values,
                     const Pass& pass, std::size_t left, const std::string& theta,
                     const std::optional<Input>& fixed, const std::optional<Input>& weight) {
  const solve::Direction along = direction_of(network, model::theta_named(theta), fixed, weight);
  const std::span<const double> at(values.data(), values.size());
  if (left > at.size()) throw InputError("left: so many values of θ are not given");
  const nb::gil_scoped_release release;
  check_theta(at);
  return solve::evaluate_stream(self, pass.build, network, along, at, left, pass.options);
}

StreamPath critical_path(const Pieces& self, const model::Network& network, const Pass& pass) {
  const nb::gil_scoped_release release;
  return solve::stream_path(self, pass.build, network, pass.options);
}

StreamSlack stream_slack_of(const Pieces& self, const model::Network& network, const Pass& pass,
                            const std::string& folder, double rounding) {
  const nb::gil_scoped_release release;
  return solve::stream_slack(self, pass.build, network, folder, rounding, pass.options);
}

/// Sums of slack by kind of message; `key_of` gives the kind of each message.
template <class KeyOf>
SlackGroups summed(const StreamSlack& self, KeyOf key_of) {
  SlackGroups groups;
  for (std::size_t i = 0; i < self.kinds.size(); ++i) {
    groups[static_cast<std::int64_t>(key_of(self.kinds[i]))].add(self.sums[i]);
  }
  return groups;
}

/// Sums of slack by the call that posts the receive, by communicator, and by size.
std::vector<SlackGroups> slack_groups(const StreamSlack& self) {
  return {summed(self, [&](const MessageKind& kind) { return self.places[kind.received].call; }),
          summed(self, [](const MessageKind& kind) { return kind.comm; }),
          summed(self, [](const MessageKind& kind) { return kind.size; })};
}

/// Sums of slack by site, over messages that are sent or received there.
SlackGroups slack_by_site(const StreamSlack& self) {
  SlackGroups groups;
  for (std::size_t i = 0; i < self.kinds.size(); ++i) {
    const std::uint32_t received = self.places[self.kinds[i].received].site;
    const std::uint32_t sent = self.places[self.kinds[i].sent].site;
    groups[received].add(self.sums[i]);
    if (sent != received) groups[sent].add(self.sums[i]);
  }
  groups.erase(trace::kNoSite);
  return groups;
}

/// Sums of slack by pair of ranks, source << 32 | destination.
SlackGroups slack_by_pair(const StreamSlack& self) {
  return summed(self, [](const MessageKind& kind) {
    return std::uint64_t{kind.source} << 32 | kind.destination;
  });
}

/// The values of `of(row)` for each row of a list.
template <auto Rows, auto Of>
auto each() {
  return [](const StreamPath& self) {
    std::vector<decltype(Of((self.*Rows)[0]))> values;
    for (const auto& row : self.*Rows) values.push_back(Of(row));
    return to_array(std::move(values));
  };
}

using solve::StreamPair;
using solve::StreamPlace;
using solve::StreamRank;
using solve::StreamSender;

template <auto Of>
auto place() {
  return each<&StreamPath::places, Of>();
}
template <double solve::PlaceOnPath::* member>
auto place_ns() {
  return place<[](const StreamPlace& at) { return at.on_path.*member; }>();
}
template <std::uint64_t solve::PlaceOnPath::* member>
auto place_count() {
  return place<[](const StreamPlace& at) {
    return static_cast<std::int64_t>(at.on_path.*member);
  }>();
}
template <std::uint64_t StreamPlace::* member>
auto place_total() {
  return place<[](const StreamPlace& at) { return static_cast<std::int64_t>(at.*member); }>();
}
template <double StreamRank::* member>
auto rank() {
  return each<&StreamPath::ranks, [](const StreamRank& at) { return at.*member; }>();
}
template <auto Of>
auto pair() {
  return each<&StreamPath::pairs,
              [](const StreamPair& at) { return static_cast<std::int64_t>(Of(at)); }>();
}
template <auto member>
auto sender() {
  return each<&StreamPath::senders,
              [](const StreamSender& at) { return static_cast<std::int64_t>(at.*member); }>();
}

void register_path(nb::module_& module) {
  nb::class_<StreamPath>(
      module, "StreamPath",
      "The critical path of a trace in pieces, in sums (core/solve/stream/path.hpp).")
      .def_ro("T_ns", &StreamPath::T_ns)
      .def_ro("ideal_ns", &StreamPath::ideal_ns, "T if messages cost nothing.")
      .def_ro("passes", &StreamPath::passes,
              "Number of passes over the trace: two if the sums of all paths would be too many.")
      .def_ro("survivors", &StreamPath::survivors,
              "Most nodes of the tree of paths that were stored at a time.")
      .def_ro("waits", &StreamPath::waits,
              "Time, waits and delays of its lines by place, without single calls.")
      .def_prop_ro(
          "place_call",
          [](const StreamPath& self) {
            std::vector<std::string> names;
            for (const StreamPlace& at : self.places) {
              const bool none = at.call == trace::Call::count_;
              names.emplace_back(none ? std::string_view() : trace::name_of(at.call));
            }
            return names;
          },
          "By place, which is a call and a site: the call; the first place belongs to no call, "
          "\"\". The following columns are also by place: first of the program, then of the path.")
      .def_prop_ro("place_site", place<[](const StreamPlace& at) { return at.site; }>(), kOwned,
                   "Index into the sites of the trace, or NO_SITE.")
      .def_prop_ro("place_calls", place_total<&StreamPlace::calls>(), kOwned)
      .def_prop_ro("place_bytes_sent", place_total<&StreamPlace::bytes_sent>(), kOwned)
      .def_prop_ro("place_bytes_received", place_total<&StreamPlace::bytes_received>(), kOwned)
      .def_prop_ro("place_steps", place_count<&solve::PlaceOnPath::steps>(), kOwned,
                   "Number of vertices of the path.")
      .def_prop_ro("place_latencies", place_count<&solve::PlaceOnPath::latencies>(), kOwned)
      .def_prop_ro("place_overheads", place_count<&solve::PlaceOnPath::overheads>(), kOwned)
      .def_prop_ro("place_before_ns", place_ns<&solve::PlaceOnPath::before_ns>(), kOwned,
                   "Computation immediately before these calls.")
      .def_prop_ro("place_calc_ns", place_ns<&solve::PlaceOnPath::calc_ns>(), kOwned)
      .def_prop_ro("place_copying_ns", place_ns<&solve::PlaceOnPath::copying_ns>(), kOwned,
                   "Cost of O, ns.")
      .def_prop_ro("place_overhead_ns", place_ns<&solve::PlaceOnPath::overhead_ns>(), kOwned,
                   "Cost of o, ns.")
      .def_prop_ro("place_latency_ns", place_ns<&solve::PlaceOnPath::latency_ns>(), kOwned)
      .def_prop_ro("place_gap_ns", place_ns<&solve::PlaceOnPath::gap_ns>(), kOwned)
      .def_prop_ro("place_path_bytes", place_ns<&solve::PlaceOnPath::bytes>(), kOwned)
      .def_prop_ro("rank_end_ns", rank<&StreamRank::end_ns>(), kOwned,
                   "By rank, like the following columns.")
      .def_prop_ro("rank_calc_ns", rank<&StreamRank::calc_ns>(), kOwned)
      .def_prop_ro("rank_overhead_ns", rank<&StreamRank::overhead_ns>(), kOwned)
      .def_prop_ro("rank_useful_ns", rank<&StreamRank::useful_ns>(), kOwned)
      .def_prop_ro("rank_path_ns", rank<&StreamRank::path_ns>(), kOwned)
      .def_prop_ro("pair_source", pair<[](const StreamPair& at) { return at.source; }>(), kOwned,
                   "By pair of ranks with messages, like the following columns.")
      .def_prop_ro("pair_destination", pair<[](const StreamPair& at) { return at.destination; }>(),
                   kOwned)
      .def_prop_ro("pair_messages", pair<[](const StreamPair& at) { return at.messages; }>(),
                   kOwned)
      .def_prop_ro("pair_bytes", pair<[](const StreamPair& at) { return at.bytes; }>(), kOwned)
      .def_prop_ro("pair_latencies",
                   pair<[](const StreamPair& at) { return at.on_path.latencies; }>(), kOwned,
                   "Latencies and, in the next column, bytes on the path.")
      .def_prop_ro("pair_path_bytes", pair<[](const StreamPair& at) { return at.on_path.bytes; }>(),
                   kOwned)
      .def_prop_ro("sender_received", sender<&StreamSender::received>(), kOwned,
                   "Index of the place at which messages of the path are received.")
      .def_prop_ro("sender_sent", sender<&StreamSender::sent>(), kOwned,
                   "Index of the place at which these messages are sent.")
      .def_prop_ro("sender_latencies", sender<&StreamSender::latencies>(), kOwned,
                   "Latencies of these messages on the path.");
}

}  // namespace

void register_stream(nb::module_& module) {
  nb::exception<NotInPiecesError>(module, "NotInPiecesError", module.attr("InputError").ptr())
      .doc() = "The input is sound, but must be read as a whole.";
  nb::class_<StreamFound>(module, "StreamFound",
                          "The result of one pass over a trace (core/solve/stream/evaluate.hpp).")
      .def_prop_ro("T_ns", column<&Tangent::value>(), kOwned,
                   "By requested θ, like `right`, its slope towards higher θ.")
      .def_prop_ro("right", column<&Tangent::slope>(), kOwned)
      .def_prop_ro(
          "left", [](const StreamFound& self) { return to_array(std::vector(self.left)); }, kOwned,
          "For the first of the requested θ: the slope towards lower θ.")
      .def_prop_ro(
          "far",
          [](const StreamFound& self) { return std::pair(self.far.constant, self.far.slope); },
          "Constant and slope of the line that T follows for large θ.")
      .def_ro("vertices", &StreamFound::vertices,
              "Number in the graph, like the following "
              "numbers.")
      .def_ro("edges", &StreamFound::edges)
      .def_ro("messages", &StreamFound::messages)
      .def_ro("bytes", &StreamFound::bytes)
      .def_prop_ro("warnings",
                   [](const StreamFound& self) {
                     std::vector<Warning> warnings;
                     if (self.wildcards > 0) {
                       warnings.push_back(trace::wildcard_matches(self.wildcards));
                     }
                     return warnings;
                   })
      .def_ro("nodes", &StreamFound::nodes, "Number of evaluated joins.")
      .def_ro("most_held", &StreamFound::most_held, "Most operations that were stored at a time.")
      .def_ro("tallies", &StreamFound::tallies);
  nb::class_<StreamSlack>(
      module, "StreamSlack",
      "The slack of all messages of a trace in pieces, in sums (core/solve/stream/slack.hpp).")
      .def("groups", &slack_groups,
           "By code of the call that posts the receive, by communicator, and by size, as "
           "Model.slack_groups.")
      .def("by_site", &slack_by_site, "By site, over messages that are sent or received there.")
      .def("by_pair", &slack_by_pair, "By source << 32 | destination, in this order.")
      .def_ro("written", &StreamSlack::written, "Number of bytes written to the folder.");
  nb::class_<Pass>(module, "Pass",
                   "Options of a pass over a trace in pieces: the number of threads (0: one per "
                   "core); `progress` is called with the number of bytes read.")
      .def(nb::init<const std::vector<std::string>&, double, bool, bool, unsigned,
                    std::function<void(std::uint64_t)>, std::optional<graph::CallTimes>>(),
           "collectives"_a = std::vector<std::string>{}, "reduce_ns_per_byte"_a = 0.0,
           "skip_unsupported"_a = false, "async_progress"_a = false, "threads"_a = 0U,
           "progress"_a = nb::none(), "call_times"_a = nb::none())
      .def_prop_rw(
          "on_lines", [](const Pass& self) { return self.options.on_lines; },
          [](Pass& self, std::size_t most) { self.options.on_lines = most; },
          "approximate number of stored operations for whose time others may have waited");
  register_path(module);
  nb::class_<Pieces>(module, "Pieces",
                     "A trace of `latitude trace` whose files are read piece by piece. "
                     "InputError as in Format.read; NotInPiecesError if a rank has several "
                     "threads.")
      .def(
          "__init__",
          [](Pieces* self, const std::vector<std::string>& paths, const trace::Chosen& chosen) {
            new (self) Pieces(paths, trace::native::clock_of(chosen));
          },
          "paths"_a, "chosen"_a = trace::Chosen{}, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro(
          "trace", [](const Pieces& self) -> const trace::Trace& { return self.trace(); },
          nb::rv_policy::reference_internal, "The trace without the ranks' events.")
      .def_prop_ro("bytes", &Pieces::bytes, "Size of all files together, bytes.")
      .def_prop_ro("records", &Pieces::records)
      .def_prop_ro("checksums", &Pieces::checksums,
                   "For each file, its size and a checksum over the checksums of its chunks.")
      .def(
          "collective_operations",
          [](const Pieces& self, const std::vector<std::string>& collectives) {
            return graph::expected_operations(self.trace(), selection_of(collectives));
          },
          "collectives"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Estimated number of sends and receives of the trace's collectives, over all ranks.")
      .def("evaluate", &evaluate, "network"_a, "values"_a, "how"_a, "left"_a = 0, "theta"_a = "L",
           "fixed"_a = nb::none(), "weight"_a = nb::none(),
           "One pass: T and its slopes at these θ (`theta`, `fixed`, `weight` as in Model.along), "
           "for the first `left` also to the left. InputError as in build_graph and Model.along; "
           "NotInPiecesError if the whole trace is needed.")
      .def("critical_path", &critical_path, "network"_a, "how"_a,
           "One pass: the critical path on the network. Errors as in `evaluate`.")
      .def("slack", &stream_slack_of, "network"_a, "how"_a, "folder"_a, "rounding"_a,
           "One pass, and a backward pass over the data that the first pass writes into the "
           "folder. Slack up to `rounding` of T counts as 0. Errors as in `evaluate`; also "
           "InputError if the folder cannot be written.");
}

}  // namespace latitude::bindings
