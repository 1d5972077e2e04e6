"""Communicators in traces: groups, and names that hold across ranks, under both MPIs."""

from collections import defaultdict

import pytest

from support.mpi.lat_format import Communicator, Rank
from support.mpi.traced import Mpi, Traced

P = 4
INTRA, INTER, UNKNOWN = 0, 1, 2


@pytest.fixture(scope="module")
def communicators(tracer: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Traced:
    traced = tracer.trace(tmp_path_factory.mktemp("communicators"), P, "communicators.c")
    assert traced.done.returncode == 0, traced.done.stderr
    return traced


def _made(rank: Rank, call: str) -> list[Communicator | None]:
    """Communicators that these calls returned; None for MPI_COMM_NULL."""
    return [
        None if event["N"] < 0 else rank.communicators[event["N"]] for event in rank.named(call)
    ]


def _groups(rank: Rank, call: str) -> list[list[int] | None]:
    return [made.group if made else None for made in _made(rank, call)]


def test_groups_are_world_ranks_in_the_communicators_order(communicators: Traced) -> None:
    everyone = [0, 1, 2, 3]
    for me, rank in enumerate(communicators.ranks):
        assert rank.communicators[0].group == everyone
        assert _groups(rank, "Comm_dup") == [everyone] * 3 + [[me]]
        assert _groups(rank, "Comm_dup_with_info") == [everyone]
        assert _groups(rank, "Comm_split_type") == [everyone]
        assert _groups(rank, "Cart_create") == [everyone]
        assert _groups(rank, "Dist_graph_create") == [everyone]
        assert _groups(rank, "Cart_sub") == [[me // 2 * 2, me // 2 * 2 + 1]]
        assert _groups(rank, "Intercomm_merge") == [[2, 3, 0, 1]]
        outsider = me == 2
        chosen = [3, 0, 1]
        assert _groups(rank, "Comm_create") == [None if outsider else chosen]
        assert _groups(rank, "Comm_create_group") == ([] if outsider else [chosen])
        halves = [0, 1] if me < 2 else [2, 3]
        by_parity = [[2, 0], [1], [2, 0], None][me]
        of_derived = [] if outsider else [[3, 1, 0]]
        assert _groups(rank, "Comm_split") == [by_parity, *of_derived, halves]


def test_members_call_a_communicator_by_one_name_and_no_two_share_it(
    communicators: Traced,
) -> None:
    groups: dict[tuple[int, int], set[tuple[int, ...]]] = defaultdict(set)
    members: dict[tuple[int, int], list[int]] = defaultdict(list)
    for rank in communicators.ranks:
        for made in rank.communicators.values():
            if made.kind == INTRA:
                groups[made.leader, made.count].add(tuple(made.group))
                members[made.leader, made.count].append(rank.rank)
    for name, group in groups.items():
        assert len(group) == 1, "one name, one group"
        (only,) = group
        assert name[0] == only[0], "the leader is the first rank"
        assert sorted(only) == members[name], "every member has it once"


def test_kinds_tell_intercommunicators_and_those_nobody_named(communicators: Traced) -> None:
    for me, rank in enumerate(communicators.ranks):
        (inter,) = _made(rank, "Intercomm_create")
        assert inter is not None
        assert inter.kind == INTER
        assert inter.group == ([0, 1] if me < 2 else [2, 3])
        unknown = [made for made in rank.communicators.values() if made.kind == UNKNOWN]
        assert [made.group for made in unknown] == [[0, 1, 2, 3]]  # of the Comm_idup
        named = {e["N"] for e in rank.events if e.all("N")}
        assert not named & {made.number for made in unknown}


def test_a_freed_communicators_handle_makes_a_new_one(communicators: Traced) -> None:
    for rank in communicators.ranks:
        numbers = [event["N"] for event in rank.events if event.all("N") and event["N"] >= 0]
        assert len(numbers) == len(set(numbers))
        assert [e["c"] for e in rank.named("Comm_free")][:4] == numbers[:4]
        assert rank.counts["MPI_Comm_free"] == len(rank.named("Comm_free"))


def test_the_agreement_on_a_name_is_the_tracers_time(communicators: Traced) -> None:
    for rank in communicators.ranks:
        for before, after in zip(rank.events, rank.events[1:], strict=False):
            if before.all("N"):
                assert after.call == "latitude_pause"
                assert after.enter == before.leave
