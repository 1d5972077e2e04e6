#include "core/trace/paraver/names.hpp"

#include <vector>

#include "core/error.hpp"
#include "core/trace/quote.hpp"

namespace latitude::trace::paraver {
namespace {

/// Extrae's numbers, which are the same in every type of events.
constexpr std::string_view kExtrae[] = {
    "",
    "MPI_Send",
    "MPI_Recv",
    "MPI_Isend",
    "MPI_Irecv",
    "MPI_Wait",
    "MPI_Waitall",
    "MPI_Bcast",
    "MPI_Barrier",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Comm_create",
    "MPI_Comm_dup",
    "MPI_Comm_split",
    "MPI_Comm_group",
    "MPI_Comm_free",
    "MPI_Comm_remote_group",
    "MPI_Comm_remote_size",
    "MPI_Comm_test_inter",
    "MPI_Comm_compare",
    "MPI_Scan",
    "MPI_Init",
    "MPI_Finalize",
    "MPI_Bsend",
    "MPI_Ssend",
    "MPI_Rsend",
    "MPI_Ibsend",
    "MPI_Issend",
    "MPI_Irsend",
    "MPI_Test",
    "MPI_Cancel",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
    "MPI_Cart_create",
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

/// A number at the beginning of `text`, which is removed; false if `text` begins with another
/// character.
bool take_number(std::string_view& text, std::uint32_t& value) {
  text = trimmed(text);
  std::size_t digits = 0;
  std::uint64_t wide = 0;
  while (digits < text.size() && is_digit(text[digits]) && wide <= 0xFFFFFFFFU) {
    wide = wide * 10 + static_cast<std::uint64_t>(text[digits++] - '0');
  }
  if (digits == 0 || wide > 0xFFFFFFFFU) return false;
  value = static_cast<std::uint32_t>(wide);
  text = trimmed(text.substr(digits));
  return true;
}

constexpr std::size_t kMostLists = 1000;        // lists of one type, which usually has one
constexpr std::uint32_t kFunctions = 70000000;  // types of events: and the level
constexpr std::uint32_t kLines = 80000000;

/// Extrae's text for unknown values.
bool is_unknown(std::string_view name) {
  return name.empty() || name == "Unresolved" || name == "_NOT_Found" || name == "End";
}

/// Extrae shortens names, and adds the full ones in brackets: "solve..x [solver_MOD_x]".
std::string_view whole(std::string_view name) {
  const std::size_t open = name.find(" [");
  if (open == std::string_view::npos || !name.ends_with(']')) return name;
  return name.substr(open + 2, name.size() - open - 3);
}

}  // namespace

/// Among the sections, those of event types matter. Such a section has EVENT_TYPE, one line
/// "gradient type name" per type, VALUES, and one line "value name" per value. A value holds for
/// all the types of its section.
void Names::read(const std::string& file) {
  enum class Part { other, types, values } part = Part::other;
  std::vector<std::uint32_t> types;
  std::size_t line_number = 0;
  for (std::string_view rest = text_; !rest.empty();) {
    const std::size_t newline = rest.find('\n');
    const std::string_view line = trimmed(rest.substr(0, newline));
    rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
    ++line_number;
    if (line == "EVENT_TYPE") {
      part = Part::types;
      types.clear();
      continue;
    }
    if (line == "VALUES") {
      if (part != Part::types) continue;
      part = Part::values;
      for (const std::uint32_t type : types) {
        std::vector<std::size_t>& lists = lists_of_[type];
        if (!lists.empty() && lists.back() == values_.size())
          continue;  // the type occurs twice in the section
        if (lists.size() == kMostLists) {
          throw InputError(file + ":" + std::to_string(line_number) + ": type " +
                           std::to_string(type) + " has more than " + std::to_string(kMostLists) +
                           " lists of values; this is not the .pcf file of a trace");
        }
        lists.push_back(values_.size());
      }
      values_.emplace_back();
      continue;
    }
    if (line.empty() || part == Part::other) continue;
    std::string_view text = line;
    std::uint32_t number = 0;
    if (!is_digit(line.front())) {
      part = Part::other;  // the next section
      continue;
    }
    if (!take_number(text, number) || (part == Part::types && !take_number(text, number))) {
      throw InputError(file + ":" + std::to_string(line_number) + ": " + quote(line) +
                       " is not a line of a .pcf file for " +
                       (part == Part::types ? "a type" : "a value") + " of events");
    }
    if (part == Part::types) {
      types.push_back(number);
      continue;
    }
    values_.back().try_emplace(number, text);
  }
  text_.clear();
}

std::string_view Names::text(std::uint32_t type, std::uint32_t value) const {
  const auto lists = lists_of_.find(type);
  if (lists == lists_of_.end()) return "";
  for (const std::size_t list : lists->second) {
    const auto found = values_[list].find(value);
    if (found != values_[list].end()) return found->second;
  }
  return "";
}

std::string_view Names::call(std::uint32_t type, std::uint32_t value) const {
  const std::string_view named = text(type, value);
  if (!named.empty()) return named;
  return value < std::size(kExtrae) ? kExtrae[value] : "";
}

// For a line Extrae writes "71 (balance.F90, epoch2d)": line, file, executable.
Frame Names::caller(const Caller& caller) const {
  Frame frame;
  const std::string_view function = whole(text(kFunctions + caller.level, caller.function));
  if (!is_unknown(function)) frame.function = function;
  std::string_view line = whole(text(kLines + caller.level, caller.line));
  std::uint32_t number = 0;
  if (!take_number(line, number) || number == 0 || !line.starts_with('(')) return frame;
  const std::string_view file = trimmed(line.substr(1, line.find_first_of(",)") - 1));
  if (is_unknown(file)) return frame;
  frame.file = file;
  frame.line = number;
  return frame;
}

}  // namespace latitude::trace::paraver
