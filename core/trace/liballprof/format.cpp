#include "core/trace/liballprof/format.hpp"

#include "core/trace/liballprof/liballprof.hpp"
#include "core/trace/liballprof/write/write.hpp"
#include "core/trace/numbered.hpp"

namespace latitude::trace::liballprof {
namespace {

constexpr std::string_view kMpis[] = {"detect", "openmpi", "mpich"};  // in the order of Mpi
constexpr FormatOption kMpi{
    "mpi", kMpis, "detect",
    "the MPI that wrote a trace, if the trace does not record it (default: detect)"};
constexpr FormatOption kOptions[] = {kMpi};
constexpr std::string_view kWritten[] = {"pmpi-trace-rank-*.txt"};

bool begins(std::string_view head) {
  return head.starts_with("MPI_") || head.find("\nMPI_") != std::string_view::npos;
}

Mpi mpi_of(const Chosen& chosen) { return static_cast<Mpi>(choice_of(kMpi, chosen)); }

Trace read(const std::vector<std::string>& paths, const Chosen& chosen, unsigned threads) {
  return read_liballprof(paths, threads, mpi_of(chosen), leaves_open(chosen));
}

class Texts : public Loader {
 public:
  Texts(std::vector<std::string> names, const Chosen& chosen)
      : loader_(std::move(names), mpi_of(chosen), leaves_open(chosen)) {}
  void feed(std::size_t part, std::span<const std::uint8_t> bytes) override {
    loader_.feed(part, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  Trace finish(unsigned threads) override { return loader_.finish(threads); }

 private:
  LiballprofLoader loader_;
};

std::unique_ptr<Loader> loader(std::vector<std::string> names, const Chosen& chosen) {
  return std::make_unique<Texts>(std::move(names), chosen);
}

std::vector<Warning> write(const Trace& trace, const std::string& folder, unsigned threads) {
  write_liballprof(trace, folder, threads);
  return {};
}

}  // namespace

const Format kFormat{
    .name = "liballprof",
    .files = "one with a liballprof file per rank",
    .example = "pmpi-trace-rank-0.txt",
    .limits = "at most 4,294,967,294 lines per rank, a line of 16 MiB at most",
    .intake = Intake::streams,
    .one_file = false,
    .options = kOptions,
    .begins = begins,
    .parts = numbered_files,  // whatever its contents: the reader reports the error
    .read = read,
    .loader = loader,
    .write = write,
    .written = kWritten,
};

}  // namespace latitude::trace::liballprof
