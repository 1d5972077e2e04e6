#pragma once

#include <cstdint>
#include <optional>

#include "core/trace/native/event_reader.hpp"
#include "core/trace/native/native.hpp"
#include "core/trace/native/rank_log.hpp"
#include "core/trace/native/tables.hpp"
#include "core/trace/source.hpp"

namespace latitude::trace::native {

/// The file to expect, and the way to read it.
struct Reading {
  std::size_t rank = 0;
  std::size_t ranks = 1;
  Clock clock = Clock::automatic;
  Incomplete incomplete = Incomplete::refuse;
};

/// Reads one rank's file, merges its threads and resolves its requests. Throws InputError. A file
/// that breaks off ends in Ending::cut_off, whatever the value of `incomplete`.
RankLog read_rank(Source& source, const Reading& reading);

/// Reads the parts of a file, and puts the data of its header and size into the log. InputError if
/// it is not the expected file.
Layout open_rank(Source& source, const Reading& reading, RankLog& log);

/// Whether the file has events of several threads.
bool several_threads(const Layout& layout);

/// Turns a file's chunks into a log, in their order.
class ChunkReader {
 public:
  ChunkReader(Source& source, const Layout& layout, const Reading& reading, RankLog& log);

  /// The chunk's payload. InputError if its checksum is wrong; std::nullopt if the wrong chunk is
  /// the last one of a file that may be incomplete.
  std::optional<Cursor> open(const Chunk& chunk);
  /// Reads all data of the chunk.
  void read(Cursor& in, const Chunk& chunk);
  EventReader& events() noexcept { return events_; }
  /// Call after all chunks have been read, or all but those of events.
  void finish();

 private:
  void read_meta(Cursor& in, const Chunk& chunk);
  void read_end(Cursor& in);
  void read_clocks(Cursor& in, const Chunk& chunk);
  void read_polls(Cursor& in);
  void read_ahead();
  void read_usage(Cursor& in, const Chunk& chunk);
  void check_clocks() const;
  void count_events();

  Source& source_;
  const Layout& layout_;
  Tables tables_;
  EventReader events_;
  const Reading& reading_;
  RankLog& log_;
};

/// Checks that a run begins with MPI_Init, and that no event follows MPI_Finalize: InputError names
/// the event.
class EndsCheck {
 public:
  void next(const RankTrace& trace, const Event& event);
  /// Call after all events.
  void finish(const RankLog& log) const;

 private:
  bool begun_ = false;
  bool finalized_ = false;
};

}  // namespace latitude::trace::native
