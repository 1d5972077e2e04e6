#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/native/merge.hpp"
#include "core/trace/native/rank_reader.hpp"
#include "core/trace/native/requests.hpp"
#include "core/trace/source.hpp"

namespace latitude::trace::native {

/// Most events that are read in advance of an event whose wildcard a later event resolves.
inline constexpr std::size_t kMostAhead = std::size_t{1} << 16;

/// A trace in Latitude's own format whose files are read piece by piece, any number of times: the
/// contents of the files apart from the events.
class Pieces {
 public:
  /// Opens a file each time that a piece of it is read, so the number of files may exceed that of
  /// open files. InputError as in read_native, if a header, a table or an end is wrong;
  /// NotInPiecesError if a rank has several threads.
  explicit Pieces(std::vector<std::string> paths, Clock clock = Clock::automatic);
  /// Files in memory, for tests.
  Pieces(std::vector<std::string> names, std::vector<std::string> files);

  /// The trace without the ranks' events.
  const Trace& trace() const noexcept { return trace_; }
  std::size_t ranks() const noexcept { return logs_.size(); }
  /// Number of bytes of all files together.
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// The size of each file, and a CRC-32C over the checksums in its chunks' headers: two files with
  /// equal values are equal, as far as checksums can tell.
  const std::vector<std::pair<std::uint64_t, std::uint32_t>>& checksums() const noexcept {
    return checksums_;
  }
  /// Events in the files, including records that become no event.
  std::uint64_t records() const noexcept { return records_; }

 private:
  friend class RankPieces;

  void open(Clock clock);
  std::unique_ptr<Source> source(std::size_t rank) const;
  Reading reading(std::size_t rank) const;

  std::vector<std::string> paths_;
  std::vector<std::string> files_;  ///< in memory; empty: on disk
  Clock clock_ = Clock::automatic;
  std::vector<RankLog> logs_;
  Numbers comms_;
  Numbers sites_;
  Trace trace_;
  std::uint64_t bytes_ = 0;
  std::uint64_t records_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> checksums_;
};

/// The events of one rank, one after the other. It stores a chunk of the rank's file, events that
/// are read in advance of an unresolved one, and the events whose requests exist.
class RankPieces {
 public:
  RankPieces(const Pieces& pieces, std::size_t rank);

  /// The next event's index in trace(), which is valid until done_with; std::nullopt: no more.
  /// Other events reuse the places of finished ones. InputError as in read_native; NotInPiecesError
  /// if too much would have to be read in advance.
  std::optional<std::uint32_t> next();
  void done_with(std::uint32_t event);

  /// The present events, and the objects that they refer to; communicators and sites are numbered
  /// as in Pieces::trace().
  const RankTrace& trace() const noexcept { return log_.trace; }
  std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  /// Receives so far whose wildcard the trace resolved.
  std::uint64_t wildcards() const noexcept { return log_.wildcards; }

 private:
  /// The state of each place in trace().events.
  struct Place {
    std::uint32_t requests =
        0;  ///< requests that its event posted, and no finished event completed
    std::uint32_t unresolved = 0;  ///< receives among these whose wildcard is not resolved yet
    bool taken = false;
    bool done = false;
  };

  static constexpr std::size_t kUntidy = 1024;

  bool read_more();
  void take_in();
  std::uint32_t place_of_last();
  std::uint32_t wild(const Event& event) const;
  void let_go(std::uint32_t place);
  void tidy();

  const Pieces& pieces_;
  std::size_t rank_;
  std::unique_ptr<Source> source_;
  RankLog log_;
  Reading reading_;
  Layout layout_;
  ChunkReader chunks_;
  Resolver resolver_;
  EndsCheck ends_;
  std::size_t next_chunk_ = 0;
  std::optional<Cursor> cursor_;  ///< in a chunk of events
  std::uint32_t records_left_ = 0;
  bool ended_ = false;
  std::uint64_t bytes_read_ = 0;
  std::size_t untidy_ = kUntidy;  ///< size of RankTrace::args from which tidy() works
  std::vector<Place> places_;
  std::vector<bool> handed_;  ///< by place
  std::vector<std::uint32_t> free_;
  std::deque<std::uint32_t> ahead_;  ///< read and not passed on, in their order
  /// For completions that are read and not finished: the number of requests that each completes,
  /// and the places of the events that posted them.
  std::deque<std::uint32_t> completed_;
  std::deque<std::uint32_t> completed_at_;
};

}  // namespace latitude::trace::native
