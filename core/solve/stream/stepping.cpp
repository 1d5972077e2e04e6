#include "core/solve/stream/stepping.hpp"

#include <algorithm>

namespace latitude::solve {
namespace {

constexpr std::size_t kHeldAtOnce = 4096;  ///< held nodes
constexpr std::size_t kSteps = 1024;       ///< steps passed on at a time

}  // namespace

HeldNode* HeldNodes::take() {
  if (free_.empty()) {
    blocks_.push_back(std::make_unique<HeldNode[]>(kHeldAtOnce));
    for (std::size_t i = kHeldAtOnce; i-- > 0;) {
      blocks_.back()[i].of = this;
      blocks_.back()[i].slot = static_cast<std::uint32_t>((blocks_.size() - 1) * kHeldAtOnce + i);
      free_.push_back(&blocks_.back()[i]);
    }
  }
  HeldNode* const node = free_.back();
  free_.pop_back();
  slots_ = std::max<std::size_t>(slots_, node->slot + std::size_t{1});
  return node;
}

Stepping::Stepping(Direction direction, StepSink& sink)
    : direction_(std::move(direction)),
      sink_(sink),
      held_origin_(nodes_.take()) {  // in the first slot

  steps_.reserve(kSteps);
}

HeldRef Stepping::join(const HeldRef& a, const HeldRef& b) {
  const HeldRef* const known = HeldRef::later(a, b);
  return known == nullptr ? keep(a, b) : *known;
}

HeldRef Stepping::keep(const HeldRef& a, const HeldRef& b) {
  HeldRef joined = nodes_.keep(a, b);
  steps_.push_back({{a.node().slot, b.node().slot},
                    joined.node().slot,
                    {a.weight.slope, b.weight.slope},
                    {a.weight.constant, b.weight.constant}});
  if (steps_.size() == kSteps) flush();
  return joined;
}

void Stepping::flush() {
  taken_ += steps_.size();
  sink_.take(steps_, nodes_.slots());
  steps_.clear();
}

}  // namespace latitude::solve
