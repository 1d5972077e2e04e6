#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/graph/collectives/collective.hpp"
#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/efficiency.hpp"
#include "core/solve/one_limit.hpp"
#include "core/solve/prices.hpp"
#include "core/solve/schedule.hpp"
#include "core/solve/top_paths.hpp"

namespace latitude::bindings {

namespace nb = nanobind;

void register_trace(nb::module_& module);
void register_graph(nb::module_& module);
void register_job(nb::module_& module);
void register_model(nb::module_& module);
void register_solve(nb::module_& module);
void register_exact(nb::module_& module);
void register_stream(nb::module_& module);

struct Compiled;    // register_solve.cpp
struct PathResult;  // register_solve.cpp

/// A graph on a network, with its compiled forms: each kind of question compiles once. The Python
/// object keeps both alive.
struct Model {
  const graph::Graph& graph;
  const model::Network& network;
  /// Graph and network with one eager limit, if link classes of the given network have their own.
  std::unique_ptr<const solve::OneLimit> own{};
  /// T along L, G and o, as the network defines these directions.
  std::map<model::Theta, std::shared_ptr<const Compiled>> along{};
  std::shared_ptr<const PathResult> path{};
  std::shared_ptr<solve::MessageSlack> slack{};
  /// By the number of requested paths; found with the slack, and kept until the caller takes the
  /// paths.
  std::map<std::size_t, std::vector<solve::MessagePath>> longest{};
  std::shared_ptr<const solve::Work> work{};
  /// Kept by callers that ask several questions.
  std::weak_ptr<const solve::Schedule> schedule{};

  /// The stored schedule, or a new one.
  std::shared_ptr<const solve::Schedule> scheduled() const {
    std::shared_ptr<const solve::Schedule> kept = schedule.lock();
    return kept ? kept : std::make_shared<const solve::Schedule>(graph, network);
  }
};
using ModelClass = nb::class_<Model>;

void register_random(nb::module_& module, ModelClass& model);
void register_placement(nb::module_& module);
void register_planes(nb::module_& module, ModelClass& model);
void register_waits(nb::module_& module, ModelClass& model);

/// Text that may come from a file, as a Python string: bytes that are not UTF-8 become `\xNN`.
inline nb::str text(std::string_view bytes) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(
      bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace"));
}

/// Arrays carry their owner, so properties must not add one of their own.
inline constexpr auto kOwned = nb::rv_policy::reference;

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;
/// An array argument: contiguous, of any number of dimensions.
template <class T, int Dimensions = 1>
using Given = nb::ndarray<nb::numpy, const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Input = Given<double>;
using Texts = nb::typed<nb::list, nb::str>;

/// The functions of θ that replace L (or G) of each link class; if none are given, θ itself.
solve::Direction direction_of(const model::Network& network, model::Theta theta,
                              const std::optional<Input>& fixed,
                              const std::optional<Input>& weight);
/// InputError unless θ is 0 or more.
void check_theta(std::span<const double> theta);
/// The algorithms that --collective values choose.
graph::Selection selection_of(const std::vector<std::string>& options);

/// A NumPy array that takes over the memory of a vector.
template <class T>
Array<T> to_array(std::vector<T> values) {
  auto* held = new std::vector<T>(std::move(values));
  const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(held->data(), {held->size()}, owner);
}

/// A view, without a copy, of one member of every element; the array keeps `owner` alive.
template <class T, class Element>
View<T> member_view(const std::vector<Element>& elements, const T* first, nb::handle owner) {
  static_assert(sizeof(Element) % sizeof(T) == 0);
  const std::int64_t stride = sizeof(Element) / sizeof(T);
  return View<T>(first, {elements.size()}, owner, {stride});
}

/// A view of a member of the call sites of a trace or a graph.
template <class Owner, auto Member>
auto site_view() {
  return [](nb::handle_t<Owner> self) {
    const std::vector<trace::CallSite>& sites = nb::cast<const Owner&>(self).sites;
    using T = std::remove_cvref_t<decltype(std::declval<trace::CallSite>().*Member)>;
    return member_view<T>(sites, sites.empty() ? nullptr : &(sites[0].*Member), self);
  };
}

/// The call sites of a trace or a graph, and their files.
template <class Owner>
void def_sites(nb::class_<Owner>& type) {
  using trace::CallSite;
  type.def_prop_ro("site_module", site_view<Owner, &CallSite::module>(), kOwned,
                   "(sites,) index into modules, or NO_MODULE")
      .def_prop_ro("site_offset", site_view<Owner, &CallSite::offset>(), kOwned,
                   "(sites,) return address in the file's own numbering")
      .def_prop_ro("site_caller", site_view<Owner, &CallSite::caller>(), kOwned,
                   "(sites,) site that called its function, below it, or NO_SITE")
      .def_prop_ro(
          "site_frames",
          [](const Owner& self) {
            std::vector<std::vector<std::tuple<nb::str, nb::str, std::uint32_t>>> all;
            for (const std::vector<trace::Frame>& frames : self.frames) {
              auto& own = all.emplace_back();
              for (const trace::Frame& frame : frames) {
                own.emplace_back(text(frame.function), text(frame.file), frame.line);
              }
            }
            return all;
          },
          "(sites,) or, if the format records addresses, none: function, file and line of each "
          "place of the site, innermost first; \"\" and 0 if unknown.")
      .def_prop_ro(
          "module_path",
          [](const Owner& self) {
            std::vector<nb::str> paths;
            for (const trace::Module& file : self.modules) paths.push_back(text(file.path));
            return paths;
          },
          "(modules,) executable or shared library")
      .def_prop_ro(
          "module_build_id",
          [](const Owner& self) {
            std::vector<nb::str> ids;
            for (const trace::Module& file : self.modules) ids.push_back(text(file.build_id));
            return ids;
          },
          "(modules,) hexadecimal, \"\" when it has none");
}

}  // namespace latitude::bindings
