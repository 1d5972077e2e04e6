#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace latitude::solve {

/// A reference to a Node that counts its references (`holders`); the last reference frees it.
template <class Node>
class Counted {
 public:
  Counted() = default;
  explicit Counted(Node* node) : node_(node) {
    if (node_ != nullptr) ++node_->holders;
  }
  Counted(const Counted& other) : Counted(other.node_) {}
  Counted(Counted&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Counted& operator=(const Counted& other) { return *this = Counted(other); }
  Counted& operator=(Counted&& other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Counted() {
    if (node_ != nullptr && --node_->holders == 0) Node::let_go(node_);
  }

  Node* get() const noexcept { return node_; }
  Node* operator->() const noexcept { return node_; }
  Node& operator*() const noexcept { return *node_; }
  explicit operator bool() const noexcept { return node_ != nullptr; }

  /// The node, if this was its only reference: the caller must free it. This reference is empty
  /// afterwards.
  Node* last() noexcept {
    Node* const node = std::exchange(node_, nullptr);
    return node != nullptr && --node->holders == 0 ? node : nullptr;
  }

 private:
  Node* node_ = nullptr;
};

/// Nodes in places that do not move, and that are reused.
template <class Node>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  Counted<Node> take() {
    if (free_.empty()) {
      Node& node = nodes_.emplace_back();
      node.pool = this;
      return Counted<Node>(&node);
    }
    Node* const node = free_.back();
    free_.pop_back();
    return Counted<Node>(node);
  }
  void give_back(Node* node) { free_.push_back(node); }
  /// Number of nodes in use.
  std::size_t size() const noexcept { return nodes_.size() - free_.size(); }
  /// Largest number of nodes in use at any time.
  std::size_t most() const noexcept { return nodes_.size(); }

 private:
  std::deque<Node> nodes_;
  std::vector<Node*> free_;
};

}  // namespace latitude::solve
