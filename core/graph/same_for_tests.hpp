#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// Vertices, matches, bytes, times and dependencies, one by one.
inline testing::AssertionResult same(const Graph& a, const Graph& b) {
  if (a.rank_begin != b.rank_begin) return testing::AssertionFailure() << "other vertex counts";
  for (VertexId v = 0; v < a.vertices.size(); ++v) {
    const Vertex& x = a.vertices[v];
    const Vertex& y = b.vertices[v];
    if (x.kind != y.kind || x.value != y.value || x.partner != y.partner || x.tag != y.tag ||
        x.chained != y.chained || x.blocking != y.blocking || x.synchronous != y.synchronous ||
        !std::ranges::equal(a.deps_of(v), b.deps_of(v), [](const Dep& d, const Dep& e) {
          return d.vertex == e.vertex && d.kind == e.kind;
        })) {
      return testing::AssertionFailure() << "vertex " << v << " of rank " << a.rank_of(v);
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace latitude::graph
