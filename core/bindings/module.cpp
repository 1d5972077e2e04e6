#include <nanobind/stl/string.h>

#include "core/bindings/register.hpp"
#include "core/error.hpp"

NB_MODULE(_core, module) {
  using latitude::Warning;
  module.doc() = "The compiled core of Latitude; see _core.pyi.";
  nanobind::exception<latitude::InputError>(module, "InputError", PyExc_ValueError);
  nanobind::class_<Warning>(module, "Warning")
      .def_ro("code", &Warning::code)
      .def_prop_ro("message",
                   [](const Warning& self) { return latitude::bindings::text(self.message); });
  latitude::bindings::register_trace(module);
  latitude::bindings::register_graph(module);
  latitude::bindings::register_model(module);
  latitude::bindings::register_solve(module);
  latitude::bindings::register_exact(module);
  latitude::bindings::register_stream(module);
}
