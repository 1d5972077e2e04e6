#include "core/trace/liballprof/liballprof.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "core/parallel.hpp"
#include "core/trace/infer/infer.hpp"
#include "core/trace/liballprof/rank_reader.hpp"

namespace latitude::trace {
namespace {

using liballprof::RankReader;

void read_file(const std::string& path, std::size_t rank, LiballprofLoader& loader) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) throw InputError(path + ": cannot be read (" + error.message() + ")");
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"));
  if (!file) throw InputError(path + ": cannot be opened; is it readable?");
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  loader.expect(rank, bytes);
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<char> block(kBlock);
  while (const std::size_t n = std::fread(block.data(), 1, kBlock, file.get())) {
    loader.feed(rank, {block.data(), n});
  }
  if (std::ferror(file.get())) throw InputError(path + ": reading failed");
}

void warn_of_gaps(Trace& trace) {
  const auto longest = std::ranges::max_element(trace.ranks, {}, &RankTrace::final_gap_left_out_ns);
  if (longest->final_gap_left_out_ns == 0) return;
  char ms[32];
  std::snprintf(ms, sizeof ms, "%.3f", static_cast<double>(longest->final_gap_left_out_ns) / 1e6);
  trace.warnings.push_back(
      {"finalize-gap", "the time before MPI_Finalize (up to " + std::string(ms) +
                           " ms a rank, in " + longest->source +
                           ") was left out: liballprof synchronises its clocks there"});
}

}  // namespace

struct LiballprofLoader::State {
  std::vector<RankReader> readers;
  Mpi mpi;
  bool leave_open;
};

LiballprofLoader::LiballprofLoader(std::vector<std::string> names, Mpi mpi, bool leave_open)
    : state_(std::make_unique<State>()) {
  if (names.empty()) {
    throw InputError("no trace files; give the pmpi-trace-rank-*.txt files of one run");
  }
  state_->mpi = mpi;
  state_->leave_open = leave_open;
  state_->readers.reserve(names.size());
  for (std::string& name : names) state_->readers.emplace_back(std::move(name));
}

LiballprofLoader::~LiballprofLoader() = default;
LiballprofLoader::LiballprofLoader(LiballprofLoader&&) noexcept = default;
LiballprofLoader& LiballprofLoader::operator=(LiballprofLoader&&) noexcept = default;

void LiballprofLoader::feed(std::size_t rank, std::string_view bytes) {
  state_->readers[rank].feed(bytes);
}

void LiballprofLoader::expect(std::size_t rank, std::uint64_t bytes) {
  state_->readers[rank].expect(bytes);
}

Trace LiballprofLoader::finish(unsigned threads) {
  std::vector<infer::RankLog> logs;
  for (RankReader& reader : state_->readers) {
    reader.finish();
    logs.push_back(std::move(reader.log()));
  }
  state_->readers.clear();

  Trace trace =
      infer::infer_trace(std::move(logs), "liballprof", state_->mpi, state_->leave_open, threads);
  warn_of_gaps(trace);
  return trace;
}

Trace read_liballprof(const std::vector<std::string>& paths, unsigned threads, Mpi mpi,
                      bool leave_open) {
  LiballprofLoader loader(paths, mpi, leave_open);
  parallel_for(paths.size(), threads, [&](std::size_t r) { read_file(paths[r], r, loader); });
  return loader.finish(threads);
}

}  // namespace latitude::trace
