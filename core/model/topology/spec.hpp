#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace latitude::model {

/// The text after the kind in a topology: "4x4x2,p=1" or "k=16,tiers=3".
class TopologySpec {
 public:
  /// `spec` is the whole text, for messages; `example` is a valid one.
  TopologySpec(std::string_view spec, std::string_view parameters, std::string_view example);

  /// The value of `key`, a whole number of at least `least`. InputError if missing.
  std::uint32_t number(const std::string& key, std::uint32_t least = 1);
  /// The value of `key`, as number(); `otherwise` if missing.
  std::uint32_t number_or(const std::string& key, std::uint32_t otherwise, std::uint32_t least = 1);
  /// The value without a key, "4x4x2", as numbers.
  std::vector<std::uint32_t> shape();

  /// Throws InputError if a key was given that no call has read.
  void finish() const;

  [[noreturn]] void refuse(const std::string& why) const;

  /// `nodes` as 32 bits; InputError beyond the most nodes of a placement.
  std::uint32_t checked_nodes(std::uint64_t nodes) const;

 private:
  std::uint32_t parse(std::string_view text, const std::string& what, std::uint32_t least) const;

  std::string spec_;
  std::string example_;
  std::map<std::string, std::string> given_;
  std::vector<std::string> asked_;
};

}  // namespace latitude::model
