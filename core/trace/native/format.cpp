#include "core/trace/native/format.hpp"

#include <algorithm>

#include "core/trace/native/native.hpp"
#include "core/trace/numbered.hpp"

namespace latitude::trace::native {
namespace {

constexpr std::string_view kMagic = "LATITUDE";

constexpr std::string_view kClocks[] = {"auto", "wall", "cpu"};  // in the order of Clock
constexpr FormatOption kClock{
    "clock", kClocks, "auto",
    "clock that measures computation in a trace of latitude trace: the wall clock, or the CPU time "
    "of the thread (default: auto, CPU time if the trace has it)"};
constexpr FormatOption kIncomplete{
    "incomplete", {}, "", "analyse the part of a killed job's trace that all ranks completed"};
constexpr FormatOption kOptions[] = {kClock, kIncomplete};

}  // namespace

Clock clock_of(const Chosen& chosen) {
  if (chosen.contains(kAsRecorded)) return Clock::recorded;
  return static_cast<Clock>(choice_of(kClock, chosen));
}

namespace {

bool begins(std::string_view head) { return head.starts_with(kMagic); }

std::vector<std::string> parts(const Place& place) {
  std::vector<std::string> names = numbered_files(place);
  // A rank that was killed early has an empty file, so one valid first file suffices.
  const auto ours = [&](const std::string& name) { return begins(place.head(name)); };
  if (!std::ranges::any_of(names, ours)) names.clear();
  return names;
}

Incomplete incomplete_of(const Chosen& chosen) {
  return is_on(kIncomplete, chosen) ? Incomplete::cut : Incomplete::refuse;
}

Trace read(const std::vector<std::string>& paths, const Chosen& chosen, unsigned threads) {
  return read_native(paths, threads, clock_of(chosen), incomplete_of(chosen));
}

class Files : public Loader {
 public:
  Files(std::vector<std::string> names, const Chosen& chosen)
      : loader_(std::move(names), clock_of(chosen), incomplete_of(chosen)) {}
  void feed(std::size_t part, std::span<const std::uint8_t> bytes) override {
    loader_.read(part, bytes);
  }
  Trace finish(unsigned threads) override { return loader_.finish(threads); }

 private:
  NativeLoader loader_;
};

std::unique_ptr<Loader> loader(std::vector<std::string> names, const Chosen& chosen) {
  return std::make_unique<Files>(std::move(names), chosen);
}

}  // namespace

const Format kFormat{
    .name = "latitude",
    .files = "the directory that latitude trace wrote",
    .example = "rank-0000000.lat",
    .limits =
        "at most 4,294,967,294 events per rank; out of an archive each rank's file must fit "
        "into memory",
    .intake = Intake::whole,
    .one_file = false,
    .options = kOptions,
    .begins = begins,
    .parts = parts,
    .read = read,
    .loader = loader,
};

}  // namespace latitude::trace::native
