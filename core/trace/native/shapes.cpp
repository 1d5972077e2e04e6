#include "core/trace/native/shapes.hpp"

namespace latitude::trace::native {

bool known_letters(std::string_view shape) noexcept {
  return shape.find_first_not_of("cptbefqsQRLNwn") == std::string_view::npos;
}

}  // namespace latitude::trace::native
