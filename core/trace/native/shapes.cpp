#include "core/trace/native/shapes.hpp"

namespace latitude::trace::native {

bool known_letters(std::string_view shape) noexcept {
  return shape.find_first_not_of("cptbefqsQRLN") == std::string_view::npos;
}

bool takes_list(Call call) noexcept {
  switch (call) {
    case Call::Gatherv:
    case Call::Scatterv:
    case Call::Allgatherv:
    case Call::Alltoallv:
    case Call::Alltoallw:
    case Call::Reduce_scatter:
    case Call::Neighbor_allgather:
    case Call::Neighbor_allgatherv:
    case Call::Neighbor_alltoall:
    case Call::Neighbor_alltoallv:
    case Call::Neighbor_alltoallw:
    case Call::Igatherv:
    case Call::Iscatterv:
    case Call::Iallgatherv:
    case Call::Ialltoallv:
    case Call::Ialltoallw:
    case Call::Ireduce_scatter:
    case Call::Ineighbor_allgather:
    case Call::Ineighbor_allgatherv:
    case Call::Ineighbor_alltoall:
    case Call::Ineighbor_alltoallv:
    case Call::Ineighbor_alltoallw:
      return true;
    default:
      return false;
  }
}

std::string_view shape_of(Call call) noexcept {
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
      return call == Call::Barrier ? "c" : takes_list(call) ? "cpbefL" : "cpbef";
    case CallClass::icollective:
      return call == Call::Ibarrier ? "cq" : takes_list(call) ? "cpbefLq" : "cpbefq";
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
