#include "core/trace/native/sites.hpp"

#include <optional>

#include "core/trace/native/merge.hpp"
#include "core/trace/native/rank_reader.hpp"
#include "core/trace/source.hpp"

namespace latitude::trace::native {

Trace read_sites(const std::vector<std::string>& paths) {
  std::vector<RankLog> logs(paths.size());
  for (std::size_t r = 0; r < paths.size(); ++r) {
    FileSource source(paths[r]);
    const Layout layout = read_layout(source);
    if (!layout.header) continue;
    ChunkReader chunks(source, layout, {r, paths.size(), Clock::wall, Incomplete::cut}, logs[r]);
    for (const Chunk& chunk : layout.chunks) {
      if (chunk.kind != ChunkKind::modules && chunk.kind != ChunkKind::sites) continue;
      std::optional<Cursor> in = chunks.open(chunk);
      if (in) chunks.read(*in, chunk);
    }
  }
  Trace trace;
  number_sites(logs, trace);
  return trace;
}

}  // namespace latitude::trace::native
