// Built where OTF2's headers were not found.
#include "core/error.hpp"
#include "core/trace/otf2/log.hpp"
#include "core/trace/otf2/write.hpp"

namespace latitude::trace::otf2 {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw InputError(path +
                   ": this Latitude was built without OTF2; install its library and headers "
                   "(Debian: libopen-trace-format2-dev) and install Latitude again");
}

}  // namespace

void read_archive(const std::string& anchor, Archive& /*archive*/,
                  const std::function<void(std::size_t)>& /*take*/) {
  refuse(anchor);
}

std::vector<Warning> write(const Trace& /*trace*/, const std::string& folder,
                           unsigned /*threads*/) {
  refuse(folder);
}

std::string problem() { return "built without OTF2's headers (Debian: libopen-trace-format2-dev)"; }

}  // namespace latitude::trace::otf2
