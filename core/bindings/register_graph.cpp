#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/bindings/register.hpp"
#include "core/error.hpp"
#include "core/graph/format.hpp"
#include "core/graph/from_trace.hpp"
#include "core/graph/graph.hpp"
#include "core/graph/rank_lines.hpp"
#include "core/graph/scaled.hpp"
#include "core/solve/key_table.hpp"

namespace latitude::bindings {

graph::Selection selection_of(const std::vector<std::string>& options) {
  graph::Selection selection;
  for (const std::string& option : options) selection.apply(option);
  return selection;
}

namespace {

using namespace nb::literals;
using graph::Graph;
using graph::GraphFormat;

const GraphFormat& graph_format_named(std::string_view name) {
  for (const GraphFormat& format : graph::graph_formats()) {
    if (format.name == name) return format;
  }
  throw InputError("unknown graph format '" + std::string(name) + "'");
}

std::map<std::string, std::vector<std::string>> collective_algorithms() {
  std::map<std::string, std::vector<std::string>> result;
  for (std::size_t code = 0; code < trace::kCallCount; ++code) {
    const auto call = static_cast<trace::Call>(code);
    if (trace::class_of(call) != trace::CallClass::collective) continue;
    std::string name(trace::name_of(call).substr(4));
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const graph::NamedAlgorithm& algorithm : graph::algorithms_for(call)) {
      result[name].emplace_back(algorithm.name);
    }
  }
  return result;
}

std::vector<std::string> call_names() {
  std::vector<std::string> names;
  for (std::size_t code = 0; code < trace::kCallCount; ++code) {
    names.emplace_back(trace::name_of(static_cast<trace::Call>(code)));
  }
  return names;
}

/// A view of a member of Graph::vertices or deps.
template <class T, auto Elements, auto Member>
auto view() {
  return [](nb::handle_t<Graph> self) {
    const auto& elements = nb::cast<const Graph&>(self).*Elements;
    using Element = typename std::remove_cvref_t<decltype(elements)>::value_type;
    const T* first =
        elements.empty()
            ? nullptr
            : reinterpret_cast<const T*>(&(static_cast<const Element&>(elements[0]).*Member));
    return member_view<T>(elements, first, self);
  };
}

template <class T, auto Elements>
auto whole() {
  return [](nb::handle_t<Graph> self) {
    const std::vector<T>& elements = nb::cast<const Graph&>(self).*Elements;
    return member_view<T>(elements, elements.data(), self);
  };
}

template <class List>
std::vector<std::uint32_t> copied(const List& list, std::size_t size) {
  std::vector<std::uint32_t> values;
  values.reserve(size);
  for (std::size_t i = 0; i < size; ++i) values.push_back(list[i]);
  return values;
}

/// One member of the record of each call, as an array.
template <class T, auto Member>
auto of_calls() {
  return [](const Graph& self) {
    std::vector<T> values;
    values.reserve(self.calls.size());
    for (std::size_t i = 0; i < self.calls.size(); ++i) {
      values.push_back(static_cast<T>(self.calls[i].*Member));
    }
    return to_array(std::move(values));
  };
}

/// The first call of each rank, and the end. Calls are in the order of ranks; a call without
/// vertices belongs to the rank of the call before it.
Array<std::uint32_t> call_begin(const Graph& self) {
  std::vector<std::uint32_t> begin(self.ranks() + std::size_t{1},
                                   static_cast<std::uint32_t>(self.calls.size()));
  for (std::uint32_t rank = self.ranks(); rank-- > 0;) {
    begin[rank] = begin[rank + 1];
    for (auto v = self.rank_begin[rank]; v < self.rank_begin[rank + 1]; ++v) {
      begin[rank] = std::min(begin[rank], self.vertices[v].origin);
    }
  }
  begin[0] = 0;
  return to_array(std::move(begin));
}

/// The number of the kind of each call in [begin, end), which are the calls of a rank. Calls of one
/// kind have the same function, place, communicator and rank at the other end of the first message.
Array<std::uint32_t> call_kinds(const Graph& self, std::uint32_t rank, std::uint32_t begin,
                                std::uint32_t end) {
  std::vector<std::int64_t> partner(end - begin, -1);
  for (auto v = self.rank_begin[rank]; v < self.rank_begin[rank + 1]; ++v) {
    const graph::Vertex& vertex = self.vertices[v];
    if (vertex.origin == graph::kNoOrigin || vertex.partner == graph::kNoVertex) continue;
    std::int64_t& first = partner[vertex.origin - begin];
    if (first == -1) first = self.rank_of(vertex.partner);
  }
  using What = std::tuple<trace::Call, std::uint32_t, std::uint32_t, std::int64_t>;
  std::vector<std::pair<What, std::uint32_t>>
      found;  // each kind, and its number in order of appearance
  solve::KeyTable<std::uint32_t> known;
  std::vector<std::uint32_t> numbers;
  numbers.reserve(end - begin);
  for (std::uint32_t i = begin; i < end; ++i) {
    const auto other = static_cast<std::uint32_t>(partner[i - begin] + 1);
    const auto fresh = static_cast<std::uint32_t>(found.size());
    const auto [number, is_new] =
        known.try_emplace(std::uint64_t{self.calls.kind(i)} << 32 | other, fresh);
    if (is_new) {
      const graph::CallRecord call = self.calls[i];
      found.push_back({{call.call, call.site, call.comm, partner[i - begin]}, fresh});
    }
    numbers.push_back(number);
  }
  std::ranges::sort(found);
  std::vector<std::uint32_t> place(found.size());
  for (std::uint32_t i = 0; i < found.size(); ++i) place[found[i].second] = i;
  for (std::uint32_t& number : numbers) number = place[number];
  return to_array(std::move(numbers));
}

/// An array of a flag of each vertex, one byte each: flags are bit-fields, so they are copied.
template <class Get>
auto flags(Get get) {
  return [get](const Graph& self) {
    std::vector<std::uint8_t> values;
    values.reserve(self.vertices.size());
    for (const graph::Vertex& v : self.vertices) values.push_back(get(v) ? 1 : 0);
    return to_array(std::move(values));
  };
}

/// One member of the resource of each vertex, as an array.
template <class T, auto Of, auto Member>
auto of_resources() {
  return [](const Graph& self) {
    std::vector<T> values;
    values.reserve(self.vertices.size());
    for (const graph::Vertex& v : self.vertices) {
      values.push_back(static_cast<T>((self.units[v.unit].*Of).*Member));
    }
    return to_array(std::move(values));
  };
}

/// Raises the UnsupportedCallsError as a Python error with the tallies of the rejected calls.
void raise_unsupported(const std::exception_ptr& error, void* type) {
  try {
    std::rethrow_exception(error);
  } catch (const graph::UnsupportedCallsError& unsupported) {
    const nb::object raised = nb::handle(static_cast<PyObject*>(type))(text(unsupported.what()));
    raised.attr("tallies") = nb::cast(unsupported.tallies);
    PyErr_SetObject(static_cast<PyObject*>(type), raised.ptr());
  }
}

void register_tallies(nb::module_& module) {
  using graph::Tallies;
  using graph::Tally;
  nb::class_<Tally>(
      module, "Tally",
      "Calls of one name that the graph does not hold in their original form, over all ranks.")
      .def_prop_ro("call", [](const Tally& self) { return trace::name_of(self.call); })
      .def_ro("calls", &Tally::calls)
      .def_ro("ns", &Tally::ns, "Time spent in these calls, ns.")
      .def_prop_ro(
          "first", [](const Tally& self) { return text(self.first); },
          "The first of these calls: \"file:line: name\".")
      .def_ro("sites", &Tally::sites,
              "Number of calls at each call site (index into sites, or NO_SITE).");
  nb::class_<Tallies>(module, "Tallies", "The parts of the run that a graph lacks.")
      .def_ro("unsupported", &Tallies::unsupported, "Calls that no graph can express.")
      .def_ro("unrecorded", &Tallies::unrecorded,
              "Calls that name a request without a recorded origin.")
      .def_ro("unfinished", &Tallies::unfinished,
              "Sends that nothing completes: treated as if their request was freed.")
      .def_ro("ranks_ns", &Tallies::ranks_ns, "Sum of the ranks' durations, ns.");
  const std::string name =
      nb::cast<std::string>(module.attr("__name__")) + ".UnsupportedCallsError";
  const nb::object type = nb::steal(PyErr_NewExceptionWithDoc(
      name.c_str(),
      "The trace has calls that cannot be expressed, and the options do not leave them out.",
      module.attr("InputError").ptr(), nullptr));
  module.attr("UnsupportedCallsError") = type;
  nb::register_exception_translator(&raise_unsupported, type.ptr());
}

void register_call_times(nb::module_& module) {
  using graph::CallTimes;
  using End = std::tuple<std::string, std::string, std::uint32_t, double>;
  using Collective = std::tuple<std::string, std::uint32_t, std::uint32_t, double>;
  nb::class_<CallTimes>(
      module, "CallTimes",
      "Durations of a run's calls that had nothing to wait for (core/graph/call_times.hpp).")
      .def(
          "__init__",
          [](CallTimes* self, const std::vector<End>& ends,
             const std::vector<Collective>& collectives, std::uint64_t eager,
             std::vector<std::int64_t> starts_ns) {
            new (self) CallTimes{
                .ends = {}, .collectives = {}, .eager = eager, .starts_ns = std::move(starts_ns)};
            for (const auto& [service, call, log2, ns] : ends) {
              self->ends[{trace::service_named(service), trace::call_named(call), log2}] = ns;
            }
            for (const auto& [call, members, log2, ns] : collectives) {
              self->collectives[{trace::call_named(call), members, log2}] = ns;
            }
          },
          "ends"_a, "collectives"_a, "eager"_a, "starts_ns"_a = std::vector<std::int64_t>{},
          "`ends`: service, call, log2 of the size, and ns per end of a message; `collectives`: "
          "call, members, log2 of the size, and ns; up to `eager` bytes no blocking send waits; "
          "`starts_ns`: by rank, its return from MPI_Init relative to the first one.");
}

/// The links that transfers cross: source, destination, messages and bytes of each.
std::tuple<Array<std::uint32_t>, Array<std::uint32_t>, Array<double>, Array<double>> hops(
    const Graph& self) {
  std::vector<std::uint32_t> source;
  std::vector<std::uint32_t> destination;
  std::vector<double> messages(self.hops.size());
  std::vector<double> bytes(self.hops.size());
  for (const graph::Hop& hop : self.hops) {
    source.push_back(hop.source);
    destination.push_back(hop.destination);
  }
  for (const graph::Transfer& transfer : self.transfers) {
    for (std::uint32_t i = transfer.first_hop; i < transfer.first_hop + transfer.hops; ++i) {
      messages[i] += self.hops[i].times;
      bytes[i] += self.hops[i].times * transfer.bytes;
    }
  }
  return {to_array(std::move(source)), to_array(std::move(destination)),
          to_array(std::move(messages)), to_array(std::move(bytes))};
}

}  // namespace

void register_graph(nb::module_& module) {
  register_tallies(module);
  using graph::CallRecord;
  using graph::Dep;
  using graph::DepKind;
  using graph::Kind;
  using graph::Vertex;
  nb::enum_<Kind>(module, "Kind", nb::is_arithmetic(), "The kind of a vertex.")
      .value("calc", Kind::calc)
      .value("send", Kind::send)
      .value("recv", Kind::recv)
      .value("transfer", Kind::transfer);
  nb::enum_<DepKind>(module, "DepKind", nb::is_arithmetic(),
                     "The kind of a dependency (core/graph/graph.hpp).")
      .value("requires_end", DepKind::requires_end)
      .value("requires_start", DepKind::requires_start)
      .value("released", DepKind::released)
      .value("posted", DepKind::posted)
      .value("served", DepKind::served);
  module.attr("NO_VERTEX") = graph::kNoVertex;
  module.attr("NO_ORIGIN") = graph::kNoOrigin;
  module.attr("NO_SITE") = trace::kNoSite;
  module.attr("NO_MODULE") = trace::kNoModule;
  register_call_times(module);
  auto graph_class = nb::class_<Graph>(
      module, "Graph", "Execution graph: calc, send and recv vertices (core/graph/graph.hpp).");
  def_sites(graph_class);
  graph_class.def_prop_ro("ranks", &Graph::ranks)
      .def(
          "lines",
          [](const Graph& self) {
            const graph::RankLines lines(self);
            std::vector<std::uint32_t> rank;
            std::vector<std::uint8_t> kind;
            std::vector<std::uint32_t> number;
            for (std::uint32_t line = 0; line < lines.count(); ++line) {
              rank.push_back(lines.rank(line));
              kind.push_back(static_cast<std::uint8_t>(lines.resource(line).kind));
              number.push_back(lines.resource(line).number);
            }
            return std::tuple(to_array(std::move(rank)), to_array(std::move(kind)),
                              to_array(std::move(number)));
          },
          "(lines,) by rank: the rank of each line, and the kind (an index into resource_kinds()) "
          "and the number of its resource.")
      .def(
          "lines_of",
          [](const Graph& self, const Given<std::uint32_t>& vertices) {
            const graph::RankLines lines(self);
            std::vector<std::uint32_t> found;
            found.reserve(vertices.size());
            for (std::size_t i = 0; i < vertices.size(); ++i) {
              if (vertices.data()[i] >= self.vertices.size()) throw InputError("no such vertex");
              found.push_back(lines.of(vertices.data()[i]));
            }
            return to_array(std::move(found));
          },
          "vertices"_a, "(vertices,) the line of each, an index into `lines`.")
      .def_prop_ro("vertices", [](const Graph& self) { return self.vertices.size(); })
      .def_prop_ro("edges", &Graph::edges)
      .def_prop_ro("messages", &Graph::messages)
      .def_prop_ro(
          "is_open", [](const Graph& self) { return !self.open.empty() || !self.polls.empty(); },
          "messages or completions are left for `arrivals` to decide")
      .def_prop_ro("bytes", &Graph::bytes)
      .def_prop_ro("communicators", [](const Graph& self) { return self.communicators.size(); })
      .def(
          "received_by_communicator",
          [](const Graph& self) {
            std::vector<std::int64_t> messages;
            std::vector<std::int64_t> bytes;
            for (const graph::Received& each : graph::received_by_communicator(self)) {
              messages.push_back(static_cast<std::int64_t>(each.messages));
              bytes.push_back(static_cast<std::int64_t>(each.bytes));
            }
            return std::tuple(to_array(std::move(messages)), to_array(std::move(bytes)));
          },
          "(communicators + 1,) messages, and their bytes, by communicator of the call that posts "
          "the receive; the last entry has those without one.")
      .def_ro("warnings", &Graph::warnings)
      .def_prop_ro("rank_begin", whole<graph::VertexId, &Graph::rank_begin>(), kOwned,
                   "(ranks + 1,) offsets into the vertex arrays")
      .def_prop_ro(
          "dep_begin",
          [](const Graph& self) { return to_array(copied(self.dep_begin, self.dep_begin.size())); },
          kOwned, "(vertices + 1,) offsets into the dependency arrays")
      .def("hops", &hops,
           "Links that a job's transfers cross: source, destination, messages and bytes of each.")
      .def_prop_ro("kind", view<std::uint8_t, &Graph::vertices, &Vertex::kind>(), kOwned,
                   "(vertices,) of Kind")
      .def_prop_ro("value", view<std::int64_t, &Graph::vertices, &Vertex::value>(), kOwned,
                   "(vertices,) calc ns, else bytes")
      .def_prop_ro("partner", view<std::uint32_t, &Graph::vertices, &Vertex::partner>(), kOwned,
                   "(vertices,) matched vertex or NO_VERTEX")
      .def_prop_ro("tag", view<std::int32_t, &Graph::vertices, &Vertex::tag>(), kOwned)
      .def_prop_ro(
          "completed_in",
          [](const Graph& self) {
            std::vector<std::uint32_t> calls;
            if (!self.completed_in.empty()) calls = copied(self.completed_in, self.vertices.size());
            return to_array(std::move(calls));
          },
          kOwned,
          "(vertices,), or (0,): the call that completes a receive posted by another call, or "
          "NO_ORIGIN")
      .def_prop_ro("origin", view<std::uint32_t, &Graph::vertices, &Vertex::origin>(), kOwned,
                   "(vertices,) index into calls or NO_ORIGIN")
      .def_prop_ro(
          "line", of_resources<std::uint32_t, &graph::Unit::line, &graph::Resource::number>(),
          kOwned, "(vertices,) the number of the resource that runs it: thread, stream, cpu")
      .def_prop_ro("line_kind",
                   of_resources<std::uint8_t, &graph::Unit::line, &graph::Resource::kind>(), kOwned,
                   "(vertices,) the kind of that resource, by its name in resource_kinds()")
      .def_prop_ro("nic",
                   of_resources<std::uint32_t, &graph::Unit::nic, &graph::Resource::number>(),
                   kOwned, "(vertices,) GOAL's nic")
      .def_prop_ro("chained", flags([](const Vertex& v) { return v.chained; }), kOwned,
                   "(vertices,) 1: follows the rank's previous vertex")
      .def_prop_ro("blocking", flags([](const Vertex& v) { return v.blocking; }), kOwned,
                   "(vertices,) 1: a send that releases the CPU only at its end")
      .def_prop_ro("synchronous", flags([](const Vertex& v) { return v.synchronous; }), kOwned,
                   "(vertices,) 1: rendezvous whatever its size")
      .def_prop_ro("immediate", flags([](const Vertex& v) { return v.immediate; }), kOwned,
                   "(vertices,) 1: a message of MPI_Isend or a similar call")
      .def_prop_ro("recorded", flags([](const Vertex& v) { return v.recorded; }), kOwned,
                   "(vertices,) 1: the recorded duration of a call, or a message whose call has "
                   "such a duration.")
      .def_prop_ro("dep_vertex", view<std::uint32_t, &Graph::deps, &Dep::vertex>(), kOwned)
      .def_prop_ro("dep_kind", view<std::uint8_t, &Graph::deps, &Dep::kind>(), kOwned, "of DepKind")
      .def_prop_ro("call_code", of_calls<std::uint16_t, &CallRecord::call>(), kOwned,
                   "(calls,) code of each recorded call")
      .def_prop_ro("call_comm", of_calls<std::uint32_t, &CallRecord::comm>(), kOwned, "(calls,)")
      .def_prop_ro("call_position", of_calls<std::uint32_t, &CallRecord::position>(), kOwned,
                   "(calls,) line (text) or record (binary) in the rank's file")
      .def_prop_ro("call_site", of_calls<std::uint32_t, &CallRecord::site>(), kOwned,
                   "(calls,) index into sites or NO_SITE")
      .def("call_begin", &call_begin, kOwned,
           "(ranks + 1,) the first call of each rank, and the end. A call without vertices belongs "
           "to the rank of the call before it.")
      .def("call_kinds", &call_kinds, "rank"_a, "begin"_a, "end"_a, kOwned,
           "(end - begin,) by call, for the calls [begin, end), which must be the rank's: "
           "equal numbers if function, call site, communicator and the rank at the other end "
           "of the first message are equal.")
      .def_ro("tallies", &Graph::tallies, "The parts of the run that the graph lacks.")
      .def_prop_ro(
          "call_name", [](const Graph&) { return call_names(); }, "call names by code")
      .def(
          "scaled",
          [](const Graph& self, const Input& factor) {
            return graph::scaled(self, {factor.data(), factor.size()});
          },
          "factor"_a, nb::call_guard<nb::gil_scoped_release>(),
          "(vertices,) factors on the durations of calc vertices. Durations stay whole ns, and "
          "their sums on a rank are right to 1 ns. InputError if a factor is negative or not "
          "finite.");

  module.def(
      "build_graph",
      [](trace::Trace& trace, const std::vector<std::string>& collectives,
         double reduce_ns_per_byte, bool skip_unsupported, unsigned threads, bool consume,
         bool traced_times, bool async_progress, bool leave_open,
         const std::optional<graph::CallTimes>& call_times) {
        return graph::build_graph(trace, {.collectives = selection_of(collectives),
                                          .reduce_ns_per_byte = reduce_ns_per_byte,
                                          .skip_unsupported = skip_unsupported,
                                          .threads = threads,
                                          .consume = consume,
                                          .traced_times = traced_times,
                                          .async_progress = async_progress,
                                          .leave_open = leave_open,
                                          .call_times = call_times});
      },
      "trace"_a, "collectives"_a = std::vector<std::string>{}, "reduce_ns_per_byte"_a = 0.0,
      "skip_unsupported"_a = false, "threads"_a = 0, "consume"_a = false, "traced_times"_a = false,
      "async_progress"_a = false, "leave_open"_a = false, "call_times"_a = nb::none(),
      nb::call_guard<nb::gil_scoped_release>(),
      "Trace → execution graph. `collectives` are --collective values; consume=True frees the "
      "trace's events on the way (half the peak memory); traced_times=True keeps the times "
      "that `replayed` needs (InputError if ranks have no common clock); async_progress=False: "
      "a receive answers the RTS of a rendezvous in the next call that may wait; "
      "leave_open=True: `arrivals` decides the messages of receives from any source, and the "
      "completions, that the trace does not record; call_times has costs of calls in place of "
      "o. UnsupportedCallsError if the trace has such calls and skip_unsupported=False.");
  module.def(
      "build_alone",
      [](const trace::Trace& trace, const std::vector<std::uint32_t>& events,
         const std::vector<std::string>& collectives, double reduce_ns_per_byte) {
        if (events.size() != trace.ranks.size()) throw InputError("one event per rank");
        return graph::build_alone(
            trace, events,
            {.collectives = selection_of(collectives), .reduce_ns_per_byte = reduce_ns_per_byte});
      },
      "trace"_a, "events"_a, "collectives"_a = std::vector<std::string>{},
      "reduce_ns_per_byte"_a = 0.0, nb::call_guard<nb::gil_scoped_release>(),
      "The graph of one collective alone, as in CollectiveTimes.first. Its messages take no "
      "overhead on the sending and receiving CPUs.");
  module.def(
      "describe_collectives",
      [](const std::vector<std::string>& options) { return selection_of(options).describe(); },
      "collectives"_a);
  module.def("collective_algorithms", &collective_algorithms,
             "{\"allreduce\": [\"recursive-doubling\", …]}, the default first.");
  module.def("call_names", &call_names,
             "For every known MPI call, in the order of Graph.call_name.");
  using Release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<GraphFormat>(module, "GraphFormat",
                          "A format of whole execution graphs (core/graph/format.hpp).")
      .def_ro("name", &GraphFormat::name)
      .def_ro("title", &GraphFormat::title)
      .def_ro("suffix", &GraphFormat::suffix)
      .def_ro("by_suffix", &GraphFormat::by_suffix)
      .def(
          "begins",
          [](const GraphFormat& self, const nb::bytes& head) {
            return self.begins({head.c_str(), head.size()});
          },
          "head"_a)
      .def(
          "read", [](const GraphFormat& self, const std::string& path) { return self.read(path); },
          "path"_a, Release())
      .def(
          "write",
          [](const GraphFormat& self, const Graph& graph, const std::string& path,
             std::uint64_t eager_limit) { self.write(graph, path, eager_limit); },
          "graph"_a, "path"_a, "eager_limit"_a, Release());
  module.def(
      "graph_formats",
      [] {
        std::vector<const GraphFormat*> formats;
        for (const GraphFormat& format : graph::graph_formats()) formats.push_back(&format);
        return formats;
      },
      nb::rv_policy::reference);
  module.def("graph_format", &graph_format_named, "name"_a, nb::rv_policy::reference);
}

}  // namespace latitude::bindings
