// The list of trace formats.
#include "core/trace/dumpi/format.hpp"
#include "core/trace/format.hpp"
#include "core/trace/liballprof/format.hpp"
#include "core/trace/native/format.hpp"
#include "core/trace/otf2/format.hpp"
#include "core/trace/paraver/format.hpp"

namespace latitude::trace {

std::span<const Format* const> formats() {
  static constexpr const Format* kFormats[] = {
      &otf2::kFormat, &paraver::kFormat, &dumpi::kFormat, &native::kFormat, &liballprof::kFormat,
  };
  return kFormats;
}

}  // namespace latitude::trace
