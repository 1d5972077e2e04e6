#include "core/trace/liballprof/grammar.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace latitude::trace::liballprof {
namespace {

struct Row {
  std::string_view name;
  std::string_view fields;
};

constexpr auto kRows = std::to_array<Row>({
#define LIBALLPROF_CALL(name, fields) {"MPI_" #name, fields},
#include "core/trace/liballprof/grammar.def"
#undef LIBALLPROF_CALL
});

constexpr std::size_t kPrefix = 4;  // every name begins with MPI_
constexpr unsigned kSlotBits = 11;  // 2,048 slots for fewer than 400 names: short probes

/// Two overlapping words of the name after MPI_, with its length, distinguish nearly all names.
std::size_t slot_of(std::string_view name) noexcept {
  const char* const p = name.data() + kPrefix;
  const std::size_t n = name.size() - kPrefix;
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  if (n >= 8) {
    std::memcpy(&head, p, 8);
    std::memcpy(&tail, p + n - 8, 8);
  } else {
    for (std::size_t i = 0; i < n; ++i) head = head << 8 | static_cast<unsigned char>(p[i]);
  }
  const std::uint64_t mixed = (head ^ std::rotl(tail, 29) ^ n) * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(mixed >> (64 - kSlotBits));
}

/// Whether the file lacks the results of such a call, on which others depend.
bool untold(Call call) {
  return call == Call::Cancel || call == Call::Mprobe || call == Call::Improbe ||
         call == Call::Mrecv || call == Call::Imrecv;
}

CallClass class_in_text(Call call) {
  if (call == Call::count_) return CallClass::local;
  return untold(call) ? CallClass::unsupported : class_of(call);
}

class Table {
 public:
  Table() {
    slots_.fill(kEmpty);
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      const auto& [name, fields] = kRows[i];
      const Call call = call_named(name);
      rows_[i] = {name,
                  fields,
                  call,
                  class_in_text(call),
                  fields.find('c') < fields.find('x') && fields.find('x') != fields.npos,
                  static_cast<std::uint16_t>(i)};
      std::size_t slot = slot_of(kRows[i].name);
      while (slots_[slot] != kEmpty) slot = (slot + 1) % slots_.size();
      slots_[slot] = static_cast<std::uint16_t>(i);
    }
  }

  const CallSyntax* find(std::string_view name) const noexcept {
    if (name.size() <= kPrefix) return nullptr;
    for (std::size_t slot = slot_of(name); slots_[slot] != kEmpty;
         slot = (slot + 1) % slots_.size()) {
      const CallSyntax& row = rows_[slots_[slot]];
      if (row.name == name) return &row;
    }
    return nullptr;
  }

  const CallSyntax& operator[](std::size_t index) const noexcept { return rows_[index]; }

 private:
  static constexpr std::uint16_t kEmpty = 0xffff;
  std::array<CallSyntax, kRows.size()> rows_;
  std::array<std::uint16_t, std::size_t{1} << kSlotBits> slots_;
};

const Table kTable;

// The capacity of Record, on which reader code relies.
constexpr bool fits(std::string_view fields) {
  for (const auto& [letter, most] : {std::pair{'n', 2},
                                     {'p', 2},
                                     {'t', 2},
                                     {'c', 2},
                                     {'k', 2},
                                     {'v', 2},
                                     {'d', 3},
                                     {'r', 1},
                                     {'m', 1},
                                     {'x', 1},
                                     {'b', 1}}) {
    if (std::ranges::count(fields, letter) > most) return false;
  }
  return fields.find_first_not_of("abxrmndptcovwkih") == std::string_view::npos;
}
static_assert(std::ranges::all_of(kRows, [](const Row& row) { return fits(row.fields); }));

}  // namespace

const CallSyntax* find_call(std::string_view name) noexcept { return kTable.find(name); }

std::size_t call_syntax_count() noexcept { return kRows.size(); }

const CallSyntax& call_syntax(std::size_t index) noexcept { return kTable[index]; }

}  // namespace latitude::trace::liballprof
