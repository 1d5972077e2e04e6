// Built where OTF2's headers were not found.
#include "core/error.hpp"
#include "core/trace/otf2/log.hpp"

namespace latitude::trace::otf2 {

Archive read_archive(const std::string& anchor) {
  throw InputError(anchor +
                   ": this Latitude was built without OTF2; install its library and headers "
                   "(Debian: libopen-trace-format2-dev) and install Latitude again");
}

std::string problem() { return "built without OTF2's headers (Debian: libopen-trace-format2-dev)"; }

}  // namespace latitude::trace::otf2
