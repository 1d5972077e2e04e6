#include "core/trace/otf2/format.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/trace/otf2/assemble.hpp"
#include "core/trace/otf2/log.hpp"
#include "core/trace/otf2/write.hpp"

namespace latitude::trace::otf2 {
namespace {

constexpr std::string_view kMagic = "OTF2";
constexpr std::size_t kMagicAt = 2;  // after the marks of a chunk and of the byte order
constexpr std::string_view kSuffix = ".otf2";
constexpr std::string_view kWritten[] = {"traces.otf2", "traces.def", "traces", "traces/*.def",
                                         "traces/*.evt"};

bool begins(std::string_view head) {
  return head.size() > kMagicAt && head.substr(kMagicAt).starts_with(kMagic);
}

std::vector<std::string> parts(const Place& place) {
  std::vector<std::string> anchors;
  for (const std::string& name : place.files) {
    if (name.ends_with(kSuffix) && begins(place.head(name))) anchors.push_back(name);
  }
  std::ranges::sort(anchors);
  if (anchors.size() > 1) {
    throw InputError(place.name + ": '" + anchors[0] + "' and '" + anchors[1] +
                     "' are both anchor files of OTF2; give one of them by its path");
  }
  return anchors;
}

Trace read(const std::vector<std::string>& paths, const Chosen& /*chosen*/, unsigned /*threads*/) {
  return read_and_assemble(paths.at(0));
}

}  // namespace

const Format kFormat{
    .name = "otf2",
    .files = "an OTF2 archive's anchor file or folder",
    .example = "traces.otf2",
    .limits = "its C library must be installed; from MPI_Init to MPI_Finalize",
    .intake = Intake::disk,
    .one_file = true,
    .begins = begins,
    .parts = parts,
    .problem = problem,
    .read = read,
    .write = write,
    .written = kWritten,
    .folder_suffix = kSuffix,
    .keeps_places = true,
};

}  // namespace latitude::trace::otf2
