#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// A choice that a format offers its user: a command line option and an argument of
/// `latitude.load`, from this one declaration.
struct FormatOption {
  std::string_view name;                      ///< "mpi", for --mpi and mpi=…
  std::span<const std::string_view> choices;  ///< none: a switch, kYes or not given
  std::string_view standard;                  ///< the default choice
  std::string_view help;                      ///< text after the option in --help
};
inline constexpr std::string_view kYes = "yes";

/// The choices, by option name. Choices of other formats may be among them.
using Chosen = std::map<std::string, std::string, std::less<>>;

/// Entry of Chosen: a simulation decides the facts that the trace leaves open (`--assume
/// wildcards=arrival`).
inline constexpr std::string_view kLeaveOpen = "leave_open";
/// Times of calls that include the tracer's own work, for a format that leaves this work out; they
/// serve to compare times of different ranks.
inline constexpr std::string_view kAsRecorded = "as_recorded";
inline bool leaves_open(const Chosen& chosen) { return chosen.contains(kLeaveOpen); }

/// The index of an option's choice. InputError if it is not among the choices.
std::size_t choice_of(const FormatOption& option, const Chosen& chosen);
/// Whether a switch is on.
bool is_on(const FormatOption& option, const Chosen& chosen);

/// A path that may hold a trace: a folder or an archive.
struct Place {
  std::string name;                ///< for messages
  std::vector<std::string> files;  ///< names (in an archive with folders), including compressed
                                   ///< files
  /// The first bytes of a file, decompressed; at least 64 if it has as many.
  std::function<std::string(const std::string& file)> head;
};

/// The way in which a format reads its files.
enum class Intake : std::uint8_t {
  streams,  ///< piece by piece, from anywhere
  whole,    ///< a file at a time, so each must fit into memory if it is not read from disk
  disk,     ///< by path only: archives and compressed files must be unpacked first
};

/// Receives the files of one trace from any source.
class Loader {
 public:
  virtual ~Loader() = default;
  /// The next bytes of a part, cut anywhere (Intake::streams), or all of them (Intake::whole).
  /// Different threads may feed different parts at the same time.
  virtual void feed(std::size_t part, std::span<const std::uint8_t> bytes) = 0;
  /// Call once, after all parts have been fed.
  virtual Trace finish(unsigned threads) = 0;
};

/// A trace format: the interface through which its traces are read. To add one, write a folder next
/// to `liballprof` and `native` that defines a Format, without the members that it does not need,
/// and add its line to formats.cpp.
struct Format {
  std::string_view name;     ///< its name in commands and messages
  std::string_view files;    ///< what to give, for messages: "the directory that … wrote"
  std::string_view example;  ///< a file's name
  std::string_view limits;   ///< the calls that it does not read, in one sentence
  Intake intake;
  /// Whether one file, with the files that it names, is a whole trace, and its path may be given.
  /// Otherwise a file is one rank's part, and the folder must be given.
  bool one_file;
  std::span<const FormatOption> options = {};
  /// Whether a file that starts with these bytes has this format.
  bool (*begins)(std::string_view head);
  /// The files to read, in the order in which a loader counts them; none if the place has no trace
  /// of this format. InputError if it has only a part of one.
  std::vector<std::string> (*parts)(const Place& place);
  /// Names of files next to `file` that are read with it if they exist; nullptr if none.
  std::vector<std::string> (*beside)(std::string_view file) = nullptr;
  /// The reason for which the format cannot be read here, in one line with the software to install;
  /// empty if it can. nullptr: it always can.
  std::string (*problem)() = nullptr;
  /// The trace in such files on disk, read by `threads` threads (0: one per core). Throws
  /// InputError.
  Trace (*read)(const std::vector<std::string>& paths, const Chosen& chosen, unsigned threads);
  /// As `read`, for files from elsewhere; `names` are their names in messages. nullptr for
  /// Intake::disk.
  std::unique_ptr<Loader> (*loader)(std::vector<std::string> names, const Chosen& chosen) = nullptr;
  /// Writes a trace into a folder, which exists; nullptr if the format is only read. Warnings list
  /// the facts that the format does not hold. InputError names the first call that it cannot
  /// express.
  std::vector<Warning> (*write)(const Trace& trace, const std::string& folder,
                                unsigned threads) = nullptr;
  /// The files that the format writes: patterns of all paths in the folder, and the suffix of the
  /// folder's name.
  std::span<const std::string_view> written = {};
  std::string_view folder_suffix = {};
  bool keeps_places = false;  ///< call sites are written, from Trace::frames
};

/// All formats. Those that recognise their files with certainty come before the format that accepts
/// any file with a number.
std::span<const Format* const> formats();

/// InputError if an option of any format has no such choice.
void check_chosen(const Chosen& chosen);

/// A format's claim to a path.
struct Found {
  const Format* format;
  std::vector<std::string> parts;
};
/// The trace at a path, by the first format that finds its files there.
std::optional<Found> find_trace(const Place& place);

}  // namespace latitude::trace
