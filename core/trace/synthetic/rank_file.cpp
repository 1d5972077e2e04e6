#include "core/trace/synthetic/rank_file.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/trace/event.hpp"

namespace latitude::trace::synthetic {
namespace {

using native::ChunkKind;
using native::Encoder;

constexpr std::uint64_t kRun = 1;
constexpr std::size_t kPiece = std::size_t{1} << 20;

Encoder& begin(Encoder& out, Call call, std::uint64_t gap_ns) {
  return out.varint(static_cast<std::uint64_t>(call))
      .varint(gap_ns)
      .varint(RankFile::kCallNs)
      .varint(0);
}

}  // namespace

RankFile::RankFile(const Program& program, std::uint32_t rank, std::string meta)
    : program_(program), rank_(rank), meta_(std::move(meta)), step_(step_of(program, rank)) {
  step_ns_ = step_.rest_ns;
  for (const Operation& operation : step_.operations) {
    step_ns_ += operation.gap_ns + kCallNs;
    if (operation.call != Call::waitall) requests_per_step_ += operation.requests;
  }
}

std::string RankFile::next() {
  switch (stage_) {
    case Stage::begin:
      stage_ = Stage::steps;
      return beginning();
    case Stage::steps:
      if (done_ < program_.steps) return steps();
      stage_ = Stage::over;
      return ending();
    default:
      return {};
  }
}

std::string RankFile::beginning() {
  Encoder names;
  for (const auto& [name, shape] : kCalls) names.string(name).string(shape);
  Encoder events;
  begin(events, Call::init, 0);
  std::string out = native::file_header({.rank = rank_, .size = program_.ranks, .run = kRun});
  out += chunk(ChunkKind::meta, 1, Encoder().string(meta_));
  out += chunk(ChunkKind::calls, std::size(kCalls), names);
  out += chunk(ChunkKind::events, 1, events);
  now_ns_ = kCallNs;
  return out;
}

// Requests are differences from the previous one, so that all steps of a chunk except its first
// have the same bytes.
std::string RankFile::steps() {
  Encoder events;
  std::uint64_t last = 0;
  encode(events, last, done_ == 0 ? 0 : step_.rest_ns);
  Encoder alike;
  made_ += requests_per_step_;
  encode(alike, last, step_.rest_ns);
  const std::size_t each = std::max<std::size_t>(1, alike.bytes().size());
  const std::uint64_t count = std::min<std::uint64_t>(program_.steps - done_, 1 + kPiece / each);
  for (std::uint64_t i = 1; i < count; ++i) events.raw(alike.bytes());
  made_ += (count - 1) * requests_per_step_;
  const std::uint64_t begun = now_ns_;
  now_ns_ += count * step_ns_ - (done_ == 0 ? step_.rest_ns : 0);
  done_ += count;
  const auto records = static_cast<std::uint32_t>(count * step_.operations.size());
  return chunk(ChunkKind::events, records, events, begun);
}

std::string RankFile::ending() {
  Encoder events;
  begin(events, Call::finalize, program_.steps == 0 ? 0 : step_.rest_ns);
  std::string out = chunk(ChunkKind::events, 1, events, now_ns_);
  std::uint64_t made[std::size(kCalls)] = {};
  for (const Operation& operation : step_.operations) {
    made[static_cast<std::size_t>(operation.call)] += program_.steps;
  }
  ++made[static_cast<std::size_t>(Call::init)];
  ++made[static_cast<std::size_t>(Call::finalize)];
  const auto used = std::size(made) - static_cast<std::size_t>(std::ranges::count(made, 0U));
  Encoder counts;
  counts.varint(0).varint(used);
  for (std::size_t i = 0; i < std::size(made); ++i) {
    if (made[i] > 0) counts.string(kCalls[i].name).varint(made[i]);
  }
  return out + chunk(ChunkKind::end, 1, counts);
}

std::string RankFile::chunk(ChunkKind kind, std::uint32_t records, const Encoder& payload,
                            std::uint64_t time) {
  return native::chunk_of(kind, records, payload.bytes(), sequence_++, 0, time);
}

void RankFile::encode(Encoder& out, std::uint64_t& last, std::uint64_t carried_ns) {
  std::uint64_t request = made_;
  const auto name = [&](std::uint64_t number) {
    out.zigzag(static_cast<std::int64_t>(number - last));
    last = number;
  };
  for (const Operation& operation : step_.operations) {
    begin(out, operation.call, operation.gap_ns + std::exchange(carried_ns, 0));
    switch (operation.call) {
      case Call::irecv:
      case Call::isend:
        out.varint(0).zigzag(operation.peer).zigzag(operation.tag).varint(operation.bytes);
        name(++request);
        break;
      case Call::waitall:
        out.varint(operation.requests);
        for (std::uint64_t i = 1; i <= operation.requests; ++i) {
          name(request - operation.requests + i);
          out.varint(0);  // the status is as requested
        }
        break;
      case Call::recv:
      case Call::send:
        out.varint(0).zigzag(operation.peer).zigzag(operation.tag).varint(operation.bytes);
        if (operation.call == Call::recv) out.varint(0);
        break;
      case Call::allreduce:
        out.varint(0).zigzag(kProcNull).varint(operation.bytes).varint(operation.bytes).varint(0);
        break;
      case Call::init:
      case Call::finalize:
        break;
    }
  }
}

}  // namespace latitude::trace::synthetic
