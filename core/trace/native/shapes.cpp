#include "core/trace/native/shapes.hpp"

#include "core/trace/event_args.hpp"

namespace latitude::trace::native {

bool known_letters(std::string_view shape) noexcept {
  return shape.find_first_not_of("cptbefqsQRLN") == std::string_view::npos;
}

std::string_view shape_of(Call call) noexcept {
  const bool takes_list = list_layout(call) != ListLayout::none;
  switch (class_of(call)) {
    case CallClass::init:
    case CallClass::finalize:
      return "";
    case CallClass::send:
      return "cptb";
    case CallClass::recv:
      return "cptbs";
    case CallClass::isend:
    case CallClass::irecv:
    case CallClass::persistent:
      return "cptbq";
    case CallClass::sendrecv:
      return "cptbptbs";
    case CallClass::probe:
      return "cpts";
    case CallClass::completion:
      return "Q";
    case CallClass::start:
    case CallClass::request_free:
      return "R";
    case CallClass::collective:
      return call == Call::Barrier ? "c" : takes_list ? "cpbefL" : "cpbef";
    case CallClass::icollective:
      return call == Call::Ibarrier ? "cq" : takes_list ? "cpbefLq" : "cpbefq";
    case CallClass::comm_create:
      return "cN";
    case CallClass::comm_free:
      return "c";
    case CallClass::local:
    case CallClass::unsupported:
      return kAnyShape;
  }
  return kAnyShape;
}

}  // namespace latitude::trace::native
