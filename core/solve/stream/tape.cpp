#include "core/solve/stream/tape.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/error.hpp"

namespace latitude::solve {
namespace {

enum Flag : std::uint8_t { kHop = 1, kFirst = 2, kKnown = 4 };  // kKnown << edge

/// State of coding and decoding within a block.
struct Coder {
  std::uint32_t to = 0;
  std::uint32_t receive = 0;
  /// Weights by a hash of their bits: few differ, because all messages of a size cost the same.
  std::array<double, 256> weights{};

  static std::uint8_t place_of(double weight) {
    return static_cast<std::uint8_t>(std::bit_cast<std::uint64_t>(weight) * 0x9e3779b97f4a7c15U >>
                                     56);
  }
  bool knows(double weight) const {
    const double known = weights[place_of(weight)];
    return std::bit_cast<std::uint64_t>(known) == std::bit_cast<std::uint64_t>(weight);
  }
};

class Writer : private Coder {
 public:
  explicit Writer(std::vector<std::uint8_t>& out) : out_(out) {}

  void put(const TapeStep& step) {
    std::uint8_t flags = step.hops() ? kHop : 0;
    if (step.first) flags |= kFirst;
    for (int edge = 0; edge < 2; ++edge) {
      if (knows(step.weight[edge])) flags |= static_cast<std::uint8_t>(kKnown << edge);
    }
    out_.push_back(flags);
    difference(step.to, to);
    for (int edge = 0; edge < 2; ++edge) {
      difference(step.from[edge], step.to);
      if ((flags & (kKnown << edge)) != 0) {
        out_.push_back(place_of(step.weight[edge]));
      } else {
        number(step.weight[edge]);
      }
    }
    for (const double weight : step.weight) weights[place_of(weight)] = weight;
    to = step.to;
    if (!step.hops()) return;
    number(step.arrival);
    out_.push_back(step.latencies);
    difference(step.receive, receive);
    varint(step.kind);
    receive = step.receive;
  }

 private:
  void number(double value) {
    const auto bits = std::bit_cast<std::array<std::uint8_t, sizeof value>>(value);
    out_.insert(out_.end(), bits.begin(), bits.end());
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<std::uint8_t>(value | 0x80));
    out_.push_back(static_cast<std::uint8_t>(value));
  }
  void difference(std::uint32_t value, std::uint32_t from) {
    const std::int64_t by = std::int64_t{value} - from;
    varint(static_cast<std::uint64_t>(by < 0 ? -2 * by - 1 : 2 * by));
  }

  std::vector<std::uint8_t>& out_;
};

/// For bytes that a Writer has written: nothing is checked.
class Reader : private Coder {
 public:
  explicit Reader(const std::uint8_t* at) : at_(at) {}

  TapeStep take() {
    TapeStep step;
    const std::uint8_t flags = *at_++;
    step.first = (flags & kFirst) != 0;
    step.to = near(to);
    for (int edge = 0; edge < 2; ++edge) {
      step.from[edge] = near(step.to);
      step.weight[edge] = (flags & (kKnown << edge)) != 0 ? weights[*at_++] : number();
    }
    for (const double weight : step.weight) weights[place_of(weight)] = weight;
    to = step.to;
    if ((flags & kHop) == 0) return step;
    step.arrival = number();
    step.latencies = *at_++;
    step.receive = near(receive);
    step.kind = static_cast<std::uint32_t>(varint());
    receive = step.receive;
    return step;
  }

 private:
  double number() {
    double value = 0;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint8_t byte = *at_++;
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::uint32_t near(std::uint32_t from) {
    const std::uint64_t by = varint();
    const auto half = static_cast<std::uint32_t>(by >> 1);
    return (by & 1) != 0 ? from - half - 1 : from + half;
  }

  const std::uint8_t* at_;
};

}  // namespace

Tape::Tape(const std::string& folder) : folder_(folder) {
  std::string name = folder + "/latitude-XXXXXX";
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) fail("cannot write there");
  ::unlink(name.c_str());
  file_.reset(::fdopen(descriptor, "w+b"));
  if (!file_) {
    ::close(descriptor);
    fail("cannot write there");
  }
  steps_.reserve(kBlock);
}

void Tape::flush() {
  coded_.clear();
  Writer writer(coded_);
  for (const TapeStep& step : steps_) writer.put(step);
  steps_.clear();
  if (std::fwrite(coded_.data(), 1, coded_.size(), file_.get()) != coded_.size() ||
      std::fflush(file_.get()) != 0) {
    fail("cannot write there");
  }
  blocks_.push_back({bytes_, static_cast<std::uint32_t>(coded_.size())});
  bytes_ += coded_.size();
}

void Tape::read_last() {
  const Block block = blocks_.back();
  blocks_.pop_back();
  coded_.resize(block.bytes);
  if (fseeko(file_.get(), static_cast<off_t>(block.offset), SEEK_SET) != 0 ||
      std::fread(coded_.data(), 1, coded_.size(), file_.get()) != coded_.size()) {
    fail("cannot read what was written there");
  }
  Reader reader(coded_.data());
  for (std::size_t i = 0; i < kBlock; ++i) steps_.push_back(reader.take());
}

void Tape::fail(const char* what) const {
  throw InputError(
      folder_ + ": " + what + " (" + std::generic_category().message(errno) +
      "); the slack of messages takes some 20 bytes per message and step there: name a "
      "folder with room for it");
}

}  // namespace latitude::solve
