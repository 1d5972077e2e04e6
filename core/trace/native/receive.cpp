#include "core/trace/native/receive.hpp"

namespace latitude::trace::native {

Settled settle(const Received& received, std::int32_t size, Message& message) {
  auto& [peer, tag, bytes] = message;
  if (received.how == Received::How::as_asked || peer == kProcNull) return Settled::as_asked;
  if (received.how == Received::How::cancelled) {
    peer = kProcNull;
    return Settled::as_asked;
  }
  if (received.source < 0 || received.source >= size || received.tag < 0 ||
      (peer != kAnySource && peer != received.source) || (tag != kAnyTag && tag != received.tag)) {
    return Settled::contradicts;
  }
  const bool wild = peer == kAnySource || tag == kAnyTag;
  peer = received.source;
  tag = received.tag;
  return wild ? Settled::resolved : Settled::as_asked;
}

}  // namespace latitude::trace::native
