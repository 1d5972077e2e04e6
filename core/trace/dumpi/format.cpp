#include "core/trace/dumpi/format.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/trace/dumpi/dumpi.hpp"
#include "core/trace/dumpi/rank_reader.hpp"
#include "core/trace/numbered.hpp"
#include "core/trace/source.hpp"

namespace latitude::trace::dumpi {
namespace {

constexpr std::string_view kMetaHead =
    "\xff\xaa\xdd"
    "DUMPI";
constexpr std::string_view kMeta = ".meta";
constexpr std::string_view kBinary = ".bin";
constexpr std::string_view kRanks = "numprocs=";
constexpr std::uint64_t kMostMeta = std::uint64_t{1} << 20;

bool begins(std::string_view head) { return head.starts_with(kMetaHead); }

bool is_meta(std::string_view name) { return name.ends_with(kMeta); }

/// Whether libdumpi wrote this .meta file, and not another program.
bool tells_ranks(const Place& place, const std::string& meta) {
  return place.head(meta).find(kRanks) != std::string::npos;
}

/// The ranks' files, and after them the .meta file, if any. The files of a killed run may be empty:
/// their names then show that they belong to it.
std::vector<std::string> parts(const Place& place) {
  std::vector<std::string> metas;
  for (const std::string& name : place.files) {
    if (is_meta(name) && tells_ranks(place, name)) metas.push_back(name);
  }
  Place ranks{place.name, {}, place.head};
  for (const std::string& name : place.files) {
    const bool named = !metas.empty() && name.ends_with(kBinary);
    if (rank_of(name) && (named || begins(place.head(name)))) ranks.files.push_back(name);
  }
  if (ranks.files.empty()) return {};
  if (metas.size() > 1) {
    std::ranges::sort(metas);
    throw InputError(place.name + ": '" + metas[0] + "' and '" + metas[1] +
                     "' are of two runs; keep the files of one run only");
  }
  std::vector<std::string> found = numbered_files(ranks);
  found.insert(found.end(), metas.begin(), metas.end());
  return found;
}

class Files : public Loader {
 public:
  explicit Files(std::vector<std::string> names) : names_(std::move(names)), logs_(names_.size()) {
    has_meta_ = !names_.empty() && is_meta(names_.back());
  }

  void feed(std::size_t part, std::span<const std::uint8_t> bytes) override {
    MemorySource source(names_[part], bytes);
    take(part, source);
  }
  Trace finish(unsigned threads) override {
    if (has_meta_) logs_.pop_back();
    return assemble_dumpi(std::move(logs_), ranks_, threads);
  }

  void read_all(unsigned threads) {
    parallel_for(names_.size(), threads, [&](std::size_t part) {
      FileSource source(names_[part]);
      take(part, source);
    });
  }

 private:
  void take(std::size_t part, Source& source) {
    if (!has_meta_ || part + 1 < names_.size()) {
      logs_[part] = read_rank(source);
      return;
    }
    const std::uint64_t size = std::min(source.size(), kMostMeta);
    const Bytes text = source.read(0, static_cast<std::size_t>(size));
    ranks_ = ranks_in_meta(names_[part], {reinterpret_cast<const char*>(text.data()), text.size()});
  }

  std::vector<std::string> names_;
  bool has_meta_ = false;
  std::vector<Log> logs_;
  std::optional<std::uint32_t> ranks_;
};

Trace read(const std::vector<std::string>& paths, const Chosen& /*chosen*/, unsigned threads) {
  Files files(paths);
  files.read_all(threads);
  return files.finish(threads);
}

std::unique_ptr<Loader> loader(std::vector<std::string> names, const Chosen& /*chosen*/) {
  return std::make_unique<Files>(std::move(names));
}

}  // namespace

const Format kFormat{
    .name = "dumpi",
    .files = "the folder with a DUMPI trace's .meta and .bin files",
    .example = "dumpi-2026.01.31.12.00.00-0000.bin",
    .limits =
        "DUMPI 0.6.9 or later, one thread a process that calls MPI, the calls of MPI-2; out of an "
        "archive each rank's file must fit into memory",
    .intake = Intake::whole,
    .one_file = false,
    .begins = begins,
    .parts = parts,
    .read = read,
    .loader = loader,
};

}  // namespace latitude::trace::dumpi
