#include <nanobind/stl/string.h>

#include "core/bindings/register.hpp"
#include "core/error.hpp"

NB_MODULE(_core, module) {
  using latitude::Warning;
  module.doc() = "The compiled core of Latitude; see _core.pyi.";
  // Never released: exceptions may be raised until the interpreter is gone.
  PyObject* const error =
      PyErr_NewException("latitude._core.InputError", PyExc_ValueError, nullptr);
  module.attr("InputError") = nanobind::handle(error);
  nanobind::register_exception_translator(
      [](const std::exception_ptr& thrown, void* type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const latitude::InputError& wrong) {
          PyErr_SetObject(static_cast<PyObject*>(type),
                          latitude::bindings::text(wrong.what()).ptr());
        }
      },
      error);
  nanobind::class_<Warning>(module, "Warning")
      .def_ro("code", &Warning::code)
      .def_prop_ro("message",
                   [](const Warning& self) { return latitude::bindings::text(self.message); })
      .def_ro("hint", &Warning::hint);
  latitude::bindings::register_trace(module);
  latitude::bindings::register_graph(module);
  latitude::bindings::register_model(module);
  latitude::bindings::register_solve(module);
}
