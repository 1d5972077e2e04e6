#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.hpp"
#include "core/model/topology/kinds.hpp"

namespace latitude::model {
namespace {

class HopMatrix final : public Topology {
 public:
  HopMatrix(std::string path, std::uint32_t nodes, std::vector<std::uint16_t> hops)
      : path_(std::move(path)), nodes_(nodes), hops_(std::move(hops)) {}

  std::string describe() const override {
    return "hop matrix " + path_ + ", " + std::to_string(nodes_) + " nodes";
  }

  std::uint32_t nodes() const override { return nodes_; }

  std::uint16_t hops(std::uint32_t a, std::uint32_t b) const override {
    return hops_[std::size_t{a} * nodes_ + b];
  }

  std::vector<Cable> cables() const override {
    throw InputError(path_ + ": a hop matrix does not say which cables there are");
  }

 private:
  std::string path_;
  std::uint32_t nodes_;
  std::vector<std::uint16_t> hops_;
};

/// The numbers of one line; `place` begins every message.
std::vector<std::uint16_t> read_row(const std::string& line, const std::string& place) {
  constexpr std::string_view kBlanks = " \t\r,;";
  std::vector<std::uint16_t> row;
  const char* at = line.data();
  const char* const stop = at + std::min(line.find('#'), line.size());
  while (true) {
    while (at != stop && kBlanks.find(*at) != std::string_view::npos) ++at;
    if (at == stop) return row;
    std::uint16_t value = 0;
    const auto [next, error] = std::from_chars(at, stop, value);
    const bool whole = next == stop || kBlanks.find(*next) != std::string_view::npos;
    if (error != std::errc{} || !whole) {
      throw InputError(place + "entry " + std::to_string(row.size() + 1) +
                       " is not a number of switches (0 to 65535)");
    }
    row.push_back(value);
    at = next;
  }
}

}  // namespace

std::unique_ptr<Topology> read_hop_matrix(const std::string& path) {
  std::error_code unknown;  // opening a pipe would wait
  std::ifstream file(std::filesystem::is_regular_file(path, unknown) ? path : "");
  if (!file) throw InputError(path + ": cannot read the hop matrix; give a text file");
  std::vector<std::uint16_t> hops;
  std::size_t nodes = 0;
  std::size_t rows = 0;
  std::size_t number = 0;
  std::string line;
  while (std::getline(file, line)) {
    const std::string place = path + ":" + std::to_string(++number) + ": ";
    const std::vector<std::uint16_t> row = read_row(line, place);
    if (row.empty()) continue;
    if (rows == 0) nodes = row.size();
    if (row.size() != nodes || rows == nodes) {
      throw InputError(place + "row " + std::to_string(rows + 1) + " has " +
                       std::to_string(row.size()) + " entries; the first row has " +
                       std::to_string(nodes) + ", so " + std::to_string(nodes) +
                       " rows of as many are due");
    }
    for (std::size_t i = 0; i < nodes; ++i) {
      if ((row[i] == 0) == (i == rows)) continue;
      throw InputError(place + "entry " + std::to_string(i + 1) + " is " + std::to_string(row[i]) +
                       "; 0 stands on the diagonal, and only there: two nodes have at least one "
                       "switch between them");
    }
    hops.insert(hops.end(), row.begin(), row.end());
    ++rows;
  }
  if (rows == 0 || rows != nodes) {
    throw InputError(path + ": " + std::to_string(rows) + " rows of " + std::to_string(nodes) +
                     " entries; give one row per node");
  }
  return std::make_unique<HopMatrix>(path, static_cast<std::uint32_t>(nodes), std::move(hops));
}

}  // namespace latitude::model
