#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/parallel.hpp"
#include "core/release.hpp"
#include "core/trace/native/merge.hpp"

namespace latitude::trace::native {

Numbers number_sites(std::vector<RankLog>& logs, Trace& trace) {
  std::map<std::pair<std::string, std::string>, std::uint32_t> modules;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, std::uint32_t> sites;
  Numbers of(logs.size());
  for (std::size_t r = 0; r < logs.size(); ++r) {
    std::vector<std::uint32_t> module_of;
    for (Module& module : logs[r].modules) {
      const auto [at, fresh] = modules.try_emplace({module.path, module.build_id},
                                                   static_cast<std::uint32_t>(modules.size()));
      if (fresh) trace.modules.push_back(std::move(module));
      module_of.push_back(at->second);
    }
    for (const CallSite& site : logs[r].sites) {
      // Code outside all modules is unknown, but its callers may be known.
      const std::uint32_t caller = site.caller == kNoSite ? kNoSite : of[r][site.caller];
      if (site.module == kNoSite) {
        of[r].push_back(caller);
        continue;
      }
      const CallSite global{module_of[site.module], caller, site.offset};
      const auto [at, fresh] = sites.try_emplace({global.module, global.offset, global.caller},
                                                 static_cast<std::uint32_t>(sites.size()));
      if (fresh) trace.sites.push_back(global);
      of[r].push_back(at->second);
    }
    release(logs[r].modules);
    release(logs[r].sites);
  }
  return of;
}

void merge_sites(std::vector<RankLog>& logs, Trace& trace, unsigned threads) {
  const Numbers of = number_sites(logs, trace);
  parallel_for(logs.size(), threads, [&](std::size_t r) {
    std::vector<std::uint32_t>& own = logs[r].trace.sites;
    for (std::uint32_t& site : own) {
      if (site != kNoSite) site = of[r][site];
    }
    if (std::ranges::all_of(own, [](std::uint32_t site) { return site == kNoSite; })) own = {};
  });
}

}  // namespace latitude::trace::native
