"""The critical path of a trace that was evaluated while it was read, read for people."""

from functools import cached_property

import numpy as np
from msgspec.structs import replace

from latitude import _core
from latitude._types import Floats, Integers
from latitude.analysis.call_sites import (
    OnPath,
    calls_of_places,
    paths_of_places,
    senders_of_places,
    total_of,
)
from latitude.analysis.efficiency import predicted_efficiency
from latitude.analysis.path import call_shares, rank_times
from latitude.analysis.waits import notices_of, waits_of
from latitude.model.network import Network
from latitude.notices.notice import Notice
from latitude.results.analysis import Curve
from latitude.results.critical_path import ByRank, CallShare, SiteOnPath
from latitude.results.efficiency import PredictedEfficiency
from latitude.results.messages import LISTED, PairsOnPath
from latitude.results.streamed import PathParts, StreamedAnalysis
from latitude.results.waits import Waits
from latitude.trace.pieces import PieceTrace
from latitude.trace.places import Places, places_of
from latitude.trace.wrappers import Wrappers


class StreamedPath:
    """What the core has found, in the parts of a result."""

    def __init__(self, trace: PieceTrace, network: Network, found: _core.StreamPath) -> None:
        self._trace = trace
        self._found = found
        self._o = network.o
        self._scale = network.compute_scale

    def added_to(self, found: StreamedAnalysis) -> StreamedAnalysis:
        """What the other passes have found, and all that this one has."""
        sites, not_found = self.by_call_site(found.T_ns)
        pairs = self.pairs()
        waits = self.waits()
        return replace(
            found,
            streamed=replace(found.streamed, paths_held=self._found.survivors),
            efficiency=self.efficiency(found.T_ns, found.curve),
            path=self.parts(),
            by_rank=self.by_rank(),
            waits=waits,
            by_call=self.by_call(),
            by_call_site=sites,
            pairs=pairs,
            listed_pairs=_listed(pairs),
            warnings=found.warnings + not_found + notices_of(waits),
        )

    def _overhead(self) -> Floats:
        """By the core's places, ns."""
        overhead: Floats = self._found.place_overheads * self._o + self._found.place_copying_ns
        return overhead

    def parts(self) -> PathParts:
        """What the path consists of."""
        found = self._found
        return PathParts(
            latencies=int(found.place_latencies.sum()),
            overheads=int(found.place_overheads.sum()),
            bytes=int(found.place_path_bytes.sum()),
            calc_ns=float(found.place_calc_ns.sum()),
            overhead_ns=float(self._overhead().sum()),
            latency_ns=float(found.place_latency_ns.sum()),
            bandwidth_ns=float(found.place_gap_ns.sum()),
        )

    def efficiency(self, runtime_ns: float, curve: Curve) -> PredictedEfficiency:
        """Where processors' time goes, of T and the curve that other passes have found."""
        found = self._found
        return predicted_efficiency(
            found.rank_useful_ns, found.ideal_ns, self._scale, runtime_ns, curve
        )

    def by_rank(self) -> ByRank:
        """Where each rank's time goes."""
        found = self._found
        return rank_times(
            found.rank_calc_ns, found.rank_overhead_ns, found.rank_end_ns, found.rank_path_ns
        )

    def by_call(self) -> list[CallShare]:
        """The path's time by MPI call, the costliest first."""
        found = self._found
        names = list(dict.fromkeys(found.place_call))
        code = np.array([names.index(name) for name in found.place_call])
        parts = (
            found.place_steps,
            found.place_calc_ns,
            self._overhead(),
            found.place_latency_ns + found.place_gap_ns,
            found.place_latencies,
        )
        return call_shares(
            [name or "computation" for name in names],
            self._trace.info().calls,
            *(total_of(code, len(names), part) for part in parts),
        )

    def waits(self) -> Waits:
        """What ranks do, why they wait for each other, and who makes them wait."""
        used, places = self._sites
        names = places.names
        where = {
            site: names[at] for site, at in zip(used.tolist(), places.of_used.tolist(), strict=True)
        }
        return waits_of(self._found.waits, self._trace.ranks, where)

    @cached_property
    def _sites(self) -> tuple[Integers, Places]:
        """The call sites at which calls were made, and the places in the source that they are."""
        sites = self._trace.pieces.trace.site_module.size
        site = np.minimum(self._found.place_site, sites).astype(np.int64)
        used = np.unique(site[(site < sites) & (self._found.place_calls > 0)])
        return used, places_of(self._trace.pieces.trace, used, Wrappers([]))

    def by_call_site(self, runtime_ns: float) -> tuple[list[SiteOnPath], list[Notice]]:
        """The path's time by call site, and what could not be found out; `runtime_ns` is T."""
        found, sites = self._found, self._trace.pieces.trace.site_module.size
        site = np.minimum(found.place_site, sites).astype(np.int64)
        used, places = self._sites
        count = len(places.shown)
        if not count:
            return [], []
        of_site = np.full(sites + 1, -1, dtype=np.int64)
        of_site[used] = places.of_used
        row = of_site[site]
        names = list(dict.fromkeys(found.place_call))
        code = np.array([names.index(name) for name in found.place_call])

        def of_sites(part: Integers) -> Floats:
            return np.bincount(site, weights=part, minlength=sites + 1).astype(np.float64)

        on_path = OnPath(
            vertices=total_of(row, count, found.place_steps),
            before_ns=total_of(row, count, found.place_before_ns),
            calc_ns=total_of(row, count, found.place_calc_ns),
            overhead_ns=total_of(row, count, self._overhead()),
            network_ns=total_of(row, count, found.place_latency_ns + found.place_gap_ns),
            latency_ns=total_of(row, count, found.place_latency_ns),
            latencies=total_of(row, count, found.place_latencies),
            bytes_sent=total_of(row, count, found.place_bytes_sent),
            bytes_received=total_of(row, count, found.place_bytes_received),
            calls=calls_of_places(row, code, names, count, found.place_calls),
            senders=senders_of_places(
                row[found.sender_received], row[found.sender_sent], found.sender_latencies, count
            ),
            paths=paths_of_places(
                of_site,
                dict(zip(used.tolist(), places.paths, strict=True)),
                of_sites(found.place_calls),
                of_sites(found.place_latencies),
                count,
            ),
        )
        shares = [SiteOnPath(**on_path.share(row, places, runtime_ns)) for row in on_path.order()]
        return shares, places.warnings

    def pairs(self) -> PairsOnPath:
        """All pairs of ranks, by source, then destination."""
        found = self._found
        return PairsOnPath(
            source=found.pair_source,
            destination=found.pair_destination,
            messages=found.pair_messages,
            bytes=found.pair_bytes,
            lambda_L=found.pair_latencies.astype(np.float64),
            lambda_G=found.pair_path_bytes.astype(np.float64),
        )


def _listed(pairs: PairsOnPath) -> PairsOnPath:
    """Those that results list: with most latencies on the path, then with most bytes."""
    order = np.lexsort((-pairs.bytes, -pairs.lambda_L))
    return pairs.at(np.sort(order[:LISTED]))
