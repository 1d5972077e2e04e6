#include "core/model/loggps.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace latitude::model {
namespace {

constexpr std::array<std::pair<std::string_view, Rendezvous>, 5> kReadings = {{
    {"handshake", Rendezvous::handshake},
    {"put", Rendezvous::put},
    {"get", Rendezvous::get},
    {"llamp", Rendezvous::llamp},
    {"sync", Rendezvous::sync},
}};

constexpr std::array<std::pair<std::string_view, Gap>, 3> kGaps = {{
    {"none", Gap::none},
    {"send", Gap::send},
    {"both", Gap::both},
}};

constexpr std::array<std::pair<std::string_view, Theta>, 4> kThetas = {{
    {"L", Theta::L},
    {"G", Theta::G},
    {"o", Theta::o},
    {"g", Theta::g},
}};

/// In the order of Rendezvous. Network cards send the acknowledgement of `put` and the data of
/// `get`: no CPU posts them.
constexpr std::array<Protocol, 5> kProtocols = {{
    {.request = {1, 1, 0, 0b1}, .sender = {1, 2, 1, 0b110}, .data = {2, 2, 1, 0b110}, .notice = {}},
    {.request = {1, 1, 0, 0b1},
     .sender = {3, 8, 1, 0b10110},
     .data = {2, 4, 1, 0b110},
     .notice = {2, 4, 0, 0b10000}},
    {.request = {1, 1, 0, 0b1}, .sender = {3, 4, 1, 0b1010}, .data = {2, 2, 1, 0b10}, .notice = {}},
    {.request = {1, 0, 0, 0b1}, .sender = {3, 3, 1, 0b110}, .data = {3, 1, 1, 0b110}, .notice = {}},
    {.request = {1, 1, 1, 0b1}, .sender = {}, .data = {}, .notice = {}},
}};

template <class Table>
auto look_up(const Table& table, std::string_view name, const char* what) {
  std::string offered;
  for (const auto& [known, value] : table) {
    if (known == name) return value;
    offered += (offered.empty() ? "" : ", ") + std::string(known);
  }
  throw InputError("unknown " + std::string(what) + " '" + std::string(name) + "'; use one of " +
                   offered);
}

template <class Table, class Value>
std::string_view look_up_name(const Table& table, Value value) noexcept {
  for (const auto& [name, known] : table) {
    if (known == value) return name;
  }
  return "";
}

template <class Table>
std::vector<std::string_view> names_in(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : table) names.push_back(name);
  return names;
}

}  // namespace

Rendezvous rendezvous_named(std::string_view name) {
  return look_up(kReadings, name, "rendezvous reading");
}

std::string_view name_of(Rendezvous rendezvous) noexcept {
  return look_up_name(kReadings, rendezvous);
}

std::vector<std::string_view> rendezvous_names() { return names_in(kReadings); }

const Protocol& protocol_of(Rendezvous rendezvous) noexcept {
  return kProtocols[static_cast<std::size_t>(rendezvous)];
}

Gap gap_named(std::string_view name) { return look_up(kGaps, name, "gap"); }

std::string_view name_of(Gap gap) noexcept { return look_up_name(kGaps, gap); }

std::vector<std::string_view> gap_names() { return names_in(kGaps); }

Theta theta_named(std::string_view name) { return look_up(kThetas, name, "parameter"); }

std::string_view name_of(Theta theta) noexcept { return look_up_name(kThetas, theta); }

double value_of(const LogGPS& network, Theta theta) noexcept {
  switch (theta) {
    case Theta::L:
      return network.L;
    case Theta::G:
      return network.G;
    case Theta::o:
      return network.o;
    case Theta::g:
      return network.g;
  }
  return 0;
}

void LogGPS::check() const {
  constexpr std::array<const char*, 5> names = {"L", "o", "g", "G", "O"};
  const std::array<double, 5> values = {L, o, g, G, O};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || values[i] < 0) {
      throw InputError(std::string(names[i]) + " = " + std::to_string(values[i]) +
                       " ns; give a finite value of 0 or more");
    }
  }
  if (g > 0 && gap == Gap::none) {
    throw InputError("g = " + std::to_string(g) +
                     " ns keeps no messages apart with gap none; use send or both, or g = 0");
  }
  if (!std::isfinite(compute_scale) || compute_scale < 0) {
    throw InputError("compute scale " + std::to_string(compute_scale) +
                     "; give a finite factor of 0 or more, e.g. 0.5");
  }
}

}  // namespace latitude::model
