#include "core/trace/paraver/format.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "core/error.hpp"
#include "core/trace/paraver/assemble.hpp"
#include "core/trace/paraver/names.hpp"
#include "core/trace/paraver/records.hpp"

namespace latitude::trace::paraver {
namespace {

constexpr std::string_view kMagic = "#Paraver";
constexpr std::string_view kRecords = ".prv";
constexpr std::string_view kNames = ".pcf";
constexpr std::string_view kCompressions[] = {".gz", ".xz", ".bz2", ".zst"};

constexpr std::string_view kComputations[] = {"between-calls",
                                              "outside-mpi"};  // in the order of Computation
constexpr FormatOption kComputation{
    "computation", kComputations, "between-calls",
    "definition of computation in a Paraver trace: the time between calls that communicate, from "
    "MPI_Init to MPI_Finalize (default: between-calls), or outside-mpi, all that lies outside "
    "MPI's calls, before MPI_Init and after MPI_Finalize too, as Dimemas counts"};
constexpr FormatOption kOptions[] = {kComputation};

bool begins(std::string_view head) { return head.starts_with(kMagic); }

/// run.prv.gz and run.prv give run.pcf.
std::vector<std::string> beside(std::string_view file) {
  for (const std::string_view suffix : kCompressions) {
    if (file.ends_with(suffix)) file.remove_suffix(suffix.size());
  }
  if (!file.ends_with(kRecords)) return {};
  file.remove_suffix(kRecords.size());
  return {std::string(file) + std::string(kNames)};
}

std::vector<std::string> parts(const Place& place) {
  std::vector<std::string> found;
  for (const std::string& name : place.files) {
    if (!beside(name).empty() && begins(place.head(name))) found.push_back(name);
  }
  std::ranges::sort(found);
  if (found.empty()) return {};
  if (found.size() > 1) {
    throw InputError(place.name + ": '" + found[0] + "' and '" + found[1] +
                     "' are both Paraver traces; give one of them by its path");
  }
  for (const std::string& name : beside(found[0])) {
    if (std::ranges::find(place.files, name) != place.files.end()) found.push_back(name);
  }
  return found;
}

/// The file of the records, then that of the names, if any.
class Files : public Loader {
 public:
  Files(std::vector<std::string> names, const Chosen& chosen)
      : files_(std::move(names)),
        records_(files_.at(0)),
        computation_(static_cast<Computation>(choice_of(kComputation, chosen))) {}

  void feed(std::size_t part, std::span<const std::uint8_t> bytes) override {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (part == 0) {
      records_.feed(text);
    } else {
      names_.feed(text);
    }
  }
  Trace finish(unsigned threads) override {
    names_.read(files_.back());
    return assemble(records_.finish(), names_, computation_, threads);
  }

 private:
  std::vector<std::string> files_;
  RecordReader records_;
  Names names_;
  Computation computation_;
};

std::unique_ptr<Loader> loader(std::vector<std::string> names, const Chosen& chosen) {
  return std::make_unique<Files>(std::move(names), chosen);
}

Trace read(const std::vector<std::string>& paths, const Chosen& chosen, unsigned threads) {
  Files files(paths, chosen);
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<std::uint8_t> block(kBlock);
  for (std::size_t part = 0; part < paths.size(); ++part) {
    const auto close = [](std::FILE* file) { std::fclose(file); };
    const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(paths[part].c_str(), "rb"));
    if (!file) throw InputError(paths[part] + ": cannot be opened; is it readable?");
    std::setvbuf(file.get(), nullptr, _IONBF, 0);
    while (const std::size_t n = std::fread(block.data(), 1, kBlock, file.get())) {
      files.feed(part, {block.data(), n});
    }
    if (std::ferror(file.get())) throw InputError(paths[part] + ": reading failed");
  }
  return files.finish(threads);
}

}  // namespace

const Format kFormat{
    .name = "paraver",
    .files = "a Paraver .prv file",
    .example = "run.prv",
    .limits =
        "one application, one thread a task that calls MPI, at most 4,294,967,294 lines; messages "
        "of a process to itself are not in it",
    .intake = Intake::streams,
    .one_file = true,
    .options = kOptions,
    .begins = begins,
    .parts = parts,
    .beside = beside,
    .read = read,
    .loader = loader,
};

}  // namespace latitude::trace::paraver
