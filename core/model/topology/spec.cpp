#include "core/model/topology/spec.hpp"

#include <algorithm>
#include <charconv>

#include "core/error.hpp"

namespace latitude::model {
namespace {

constexpr std::uint32_t kMostValue = 1U << 20;
constexpr std::uint64_t kMostNodes = 1U << 24;
const std::string kShape;  // the key of the value that has no key

std::string_view next_part(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

}  // namespace

TopologySpec::TopologySpec(std::string_view spec, std::string_view parameters,
                           std::string_view example)
    : spec_(spec), example_(example) {
  while (!parameters.empty()) {
    const std::string_view item = next_part(parameters, ',');
    const std::size_t equals = item.find('=');
    const bool keyed = equals != std::string_view::npos;
    const std::string key = keyed ? std::string(item.substr(0, equals)) : kShape;
    if (item.empty() || (keyed && key.empty())) refuse("an empty parameter");
    if (!given_.emplace(key, keyed ? item.substr(equals + 1) : item).second) {
      refuse(keyed ? key + " is given twice" : "two values without a name");
    }
  }
}

void TopologySpec::refuse(const std::string& why) const {
  throw InputError("topology '" + spec_ + "': " + why + "; write it like " + example_);
}

std::uint32_t TopologySpec::parse(std::string_view text, const std::string& what,
                                  std::uint32_t least) const {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least ||
      value > kMostValue) {
    refuse(what + " = '" + std::string(text) + "' is not a whole number of " +
           std::to_string(least) + " to " + std::to_string(kMostValue));
  }
  return value;
}

std::uint32_t TopologySpec::number(const std::string& key, std::uint32_t least) {
  asked_.push_back(key);
  const auto found = given_.find(key);
  if (found == given_.end()) refuse(key + " is missing");
  return parse(found->second, key, least);
}

std::uint32_t TopologySpec::number_or(const std::string& key, std::uint32_t otherwise,
                                      std::uint32_t least) {
  if (given_.contains(key)) return number(key, least);
  asked_.push_back(key);
  return otherwise;
}

std::vector<std::uint32_t> TopologySpec::shape() {
  asked_.push_back(kShape);
  const auto found = given_.find(kShape);
  if (found == given_.end()) refuse("the shape is missing");
  std::vector<std::uint32_t> sizes;
  std::string_view rest = found->second;
  while (!rest.empty()) sizes.push_back(parse(next_part(rest, 'x'), "a side", 1));
  if (found->second.ends_with('x')) refuse("the shape ends early");
  return sizes;
}

void TopologySpec::finish() const {
  for (const auto& [key, value] : given_) {
    if (std::ranges::find(asked_, key) != asked_.end()) continue;
    refuse(key == kShape ? "'" + value + "' has no name" : "unknown parameter '" + key + "'");
  }
}

std::uint32_t TopologySpec::checked_nodes(std::uint64_t nodes) const {
  if (nodes > kMostNodes) {
    refuse(std::to_string(nodes) + " nodes are more than " + std::to_string(kMostNodes));
  }
  return static_cast<std::uint32_t>(nodes);
}

}  // namespace latitude::model
