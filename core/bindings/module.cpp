#include <nanobind/stl/string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/bindings/register.hpp"
#include "core/error.hpp"

namespace {

/// In the analysis of a long trace, two fifths of the page faults are for memory that the process
/// had before. Each time, large arrays are mapped again, and the kernel clears them.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kNever = 0;
  constexpr int kMost = 1 << 30;
  ::mallopt(M_MMAP_MAX, kNever);
  ::mallopt(M_TRIM_THRESHOLD, kMost);
#endif
}

/// A program may end while a thread or a stored traceback still holds a result. nanobind would then
/// report an error of the bindings to the user.
void end_silently() { nanobind::set_leak_warnings(false); }

}  // namespace

NB_MODULE(_core, module) {
  using latitude::Warning;
  end_silently();
  module.doc() =
      "The compiled core. Times are nanoseconds, sizes bytes, unless a name says otherwise.";
  nanobind::exception<latitude::InputError>(module, "InputError", PyExc_ValueError).doc() =
      "Wrong input or options; one line that names the place and the fix.";
  nanobind::class_<Warning>(module, "Warning")
      .def_ro("code", &Warning::code)
      .def_prop_ro("message",
                   [](const Warning& self) { return latitude::bindings::text(self.message); });
  module.attr("version") = LATITUDE_VERSION;
  module.def(
      "keep_freed_memory", &keep_freed_memory,
      "From now on the process keeps freed memory, and reuses it for other arrays.\n\nThis saves a "
      "third of the system time of a long analysis, for a few percent more memory. It affects all "
      "users of malloc, so it is only for a process that belongs to Latitude.");
  latitude::bindings::register_trace(module);
  latitude::bindings::register_graph(module);
  latitude::bindings::register_job(module);
  latitude::bindings::register_model(module);
  latitude::bindings::register_solve(module);
  latitude::bindings::register_exact(module);
  latitude::bindings::register_stream(module);
}
