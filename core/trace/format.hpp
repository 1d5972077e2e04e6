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

/// Something that a format lets its user choose: a command line option and an argument of
/// `latitude.load`, from this one declaration.
struct FormatOption {
  std::string_view name;                      ///< "mpi", for --mpi and mpi=…
  std::span<const std::string_view> choices;  ///< none: a switch, kYes or not given
  std::string_view standard;                  ///< the choice where nothing is said
  std::string_view help;                      ///< what follows the option in --help
};
inline constexpr std::string_view kYes = "yes";

/// What was chosen, by the options' names. Those of other formats may stand in it.
using Chosen = std::map<std::string, std::string, std::less<>>;

/// Stands in Chosen where what a trace does not say is left open for a simulation to decide
/// (`--assume wildcards=arrival`).
inline constexpr std::string_view kLeaveOpen = "leave_open";
/// Times of calls with the tracer's own work between them, where a format leaves that out: what
/// times of different ranks are compared by.
inline constexpr std::string_view kAsRecorded = "as_recorded";
inline bool leaves_open(const Chosen& chosen) { return chosen.contains(kLeaveOpen); }

/// Which of its choices an option has: their index. InputError where it is none of them.
std::size_t choice_of(const FormatOption& option, const Chosen& chosen);
/// Whether a switch is on.
bool is_on(const FormatOption& option, const Chosen& chosen);

/// A place that may hold a trace: a folder or an archive.
struct Place {
  std::string name;                ///< for messages
  std::vector<std::string> files;  ///< names (in an archive with folders), compressed ones too
  /// The first bytes of a file, decompressed; at least 64 where it has as many.
  std::function<std::string(const std::string& file)> head;
};

/// How a format takes the bytes of its files.
enum class Intake : std::uint8_t {
  streams,  ///< piece by piece, from anywhere
  whole,    ///< a file at once, so each must fit into memory when it is not read from disk
  disk,     ///< by path alone: archives and compressed files must be unpacked first
};

/// Takes the files of one trace from wherever they come.
class Loader {
 public:
  virtual ~Loader() = default;
  /// The next bytes of a part, cut anywhere (Intake::streams), or all of them (Intake::whole).
  /// Different parts may be fed by different threads at the same time.
  virtual void feed(std::size_t part, std::span<const std::uint8_t> bytes) = 0;
  /// All parts have been fed. Call once.
  virtual Trace finish(unsigned threads) = 0;
};

/// A trace format, the door through which its traces come. To add one: a folder beside
/// `liballprof` and `native` that defines a Format, without the members that it has nothing for,
/// and its line in formats.cpp.
struct Format {
  std::string_view name;     ///< what commands and messages call it
  std::string_view files;    ///< what to give, for messages: "the directory that … wrote"
  std::string_view example;  ///< a file's name
  std::string_view limits;   ///< what it does not take, one sentence
  Intake intake;
  /// One file, with what it names, is a whole trace and may be given by its path. Otherwise a file
  /// by itself is one rank's part, and the folder is to be given.
  bool one_file;
  std::span<const FormatOption> options = {};
  /// Whether a file that starts with these bytes is one of this format.
  bool (*begins)(std::string_view head);
  /// The files to read, in the order in which a loader counts them; none where the place holds no
  /// trace of this format. InputError where it holds a part of one.
  std::vector<std::string> (*parts)(const Place& place);
  /// Names of files that are read with the one file `file` where they stand beside it; nullptr
  /// where there are none.
  std::vector<std::string> (*beside)(std::string_view file) = nullptr;
  /// Why it cannot be read here, in one line with what to install; empty where it can. nullptr: it
  /// always can.
  std::string (*problem)() = nullptr;
  /// The trace in such files on disk, by `threads` threads (0: one a core). Throws InputError.
  Trace (*read)(const std::vector<std::string>& paths, const Chosen& chosen, unsigned threads);
  /// The same for files that come from elsewhere; `names` is what messages call them. nullptr for
  /// Intake::disk.
  std::unique_ptr<Loader> (*loader)(std::vector<std::string> names, const Chosen& chosen) = nullptr;
  /// Writes a trace into a folder, which exists; nullptr where the format is only read. Warnings
  /// say what the format does not hold. InputError names the first call that it has no words for.
  std::vector<Warning> (*write)(const Trace& trace, const std::string& folder,
                                unsigned threads) = nullptr;
  /// What it writes: patterns of all paths in the folder, and how the folder's name ends.
  std::span<const std::string_view> written = {};
  std::string_view folder_suffix = {};
  bool keeps_places = false;  ///< call sites are written, by Trace::frames
};

/// All formats. What tells its files for sure stands before what takes any file with a number.
std::span<const Format* const> formats();

/// InputError where an option of any format has no such choice.
void check_chosen(const Chosen& chosen);

/// A format's claim to a place.
struct Found {
  const Format* format;
  std::vector<std::string> parts;
};
/// What is in a place, by the first format that finds its files there.
std::optional<Found> find_trace(const Place& place);

}  // namespace latitude::trace
