"""All kinds of warnings, with hints: the remedy, or the meaning for the result.

Codes never change, because programs that read results know the codes. docs/reference/warnings.md
lists all codes with their hints.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from latitude import _core
from latitude.notices.notice import Notice


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of warning; calling it with a message makes a warning."""

    code: str
    """Short, stable code in kebab-case."""
    hint: str
    """The hint, with fields such as {limit}, which each warning fills in."""

    def __call__(self, message: str, **fields: object) -> Notice:
        """A warning of this kind. KeyError: a field of the hint is missing."""
        return Notice(self.code, message, self.hint.format(**fields))


# Comparisons of two runs.

DIFFERENT_NETWORKS = Kind(
    "different-networks",
    "the network may have caused the changes; analyse both with the same options",
)
DIFFERENT_RANKS = Kind("different-ranks", "times are per rank, without rows by rank or by call")

SPREAD_UNKNOWN = Kind(
    "spread-unknown",
    "give {runs} runs or more on each side: latitude run --traces {runs} keeps them in one result",
)

# The core's warnings about traces and graphs.

INCOMPLETE = Kind("incomplete", "the results hold for the beginning of the run")
COPIED_REQUESTS = Kind(
    "copied-requests",
    "trace the program again with latitude trace, which records copied requests too",
)
TESTS_UNSEEN = Kind(
    "tests-unseen",
    "trace the program again with latitude trace, which records tests, and the waits in them",
)
WAITANY_ORDER = Kind(
    "waitany-order",
    "trace the program again with latitude trace, which records the completed requests",
)
FINALIZE_GAP = Kind(
    "finalize-gap", "computation after the last MPI call, if there was any, is missing from T"
)
GOAL_AS_IT_IS = Kind("goal-as-it-is", "analyse the trace from which the file was made")
GOAL_RECEIVE_SIZE = Kind(
    "goal-receive-size", "correct the receives' sizes if the sends' are the wrong ones"
)
GOAL_WIDE_UNITS = Kind(
    "goal-wide-units",
    "number the cpus and nics from 0 to 255 if LogGOPSim is to simulate the program",
)
JOB_LACKS_RANKS = Kind(
    "job-lacks-ranks",
    "these collectives wait for no absent rank, and their transfer may contain waiting; add the "
    "traces of the other ranks",
)
JOB_WITHOUT_LAUNCH = Kind(
    "job-without-launch", "profile whole steps; the trace begins after these launches"
)
JOB_CLOCKS = Kind("job-clocks", "the start of each rank is known within a collective's spread")
JOB_OPEN_WAITS = Kind(
    "job-open-waits",
    "profile with enable_cuda_sync_events (torch.profiler's experimental_config)",
)
JOB_CONTRADICTED = Kind("job-contradicted", "T may be too long by the overlap of these operations")
JOB_WITHOUT_TIME = Kind(
    "job-without-time", "write each node's duration_micros; T counts only nodes with a duration"
)
JOB_WITHOUT_PEER = Kind(
    "job-without-peer", "write comm_dst and comm_src; without them these wait for no other rank"
)
JOB_STRANGE_TRACE = Kind(
    "job-strange-trace",
    "give an execution trace the name of its rank's Kineto trace, and record the same steps",
)
JOB_GRAPHS = Kind(
    "job-graphs", "on a faster or slower network, tasks of CUDA graphs may overlap in another way"
)
JOB_WITHOUT_SIZE = Kind(
    "job-without-size",
    "bandwidth costs nothing in these collectives; record execution traces "
    "(ExecutionTraceObserver) too",
)
JOB_DANGLING = Kind("job-dangling", "give the files as they were written; T may be too short")
CPU_ORDER_CHOSEN = Kind(
    "cpu-order-chosen", "the order is that of the baseline at every value of {theta}"
)
CPU_OVERLAP = Kind("cpu-overlap", "leave out --cpu-order none")
UNSUPPORTED_SKIPPED = Kind(
    "unsupported-skipped",
    "treat the result as a lower bound; without --skip-unsupported Latitude rejects the trace",
)
CPU_CLOCK = Kind(
    "cpu-clock",
    "in traces that do not record waits for a core, neither sleep counts nor the work of other "
    "threads at that time. Do not compare T with the wall time of the run; --clock wall "
    "selects the other clock",
)
BETWEEN_POLLS = Kind(
    "between-polls",
    "the trace does not tell work from waiting between polls: T lies between the two values",
)
POLLS = Kind(
    "polls",
    "late messages make a program poll more often, and may change its order of work; if growth "
    "with latency matters, also trace with an added latency",
)
WITHOUT_CORE = Kind(
    "without-core",
    "trace again with nothing else on these cores, and a core for each rank",
)
WALL_CLOCK_CROWDED = Kind(
    "wall-clock-crowded", "trace with no more ranks than cores, or with --clock cpu"
)
WILDCARD_MATCHES = Kind(
    "wildcard-matches", "at other latencies these receives may match other messages"
)
WILDCARDS_ASSUMED = Kind(
    "wildcards-assumed",
    "trace the program again with latitude trace, which records the messages that these receives "
    "took",
)
COMPLETIONS_ASSUMED = Kind(
    "completions-assumed",
    "trace the program again with latitude trace, which records the completing calls",
)
THREAD_WAITS_UNSEEN = Kind(
    "thread-waits-unseen",
    "a thread that waits for another thread outside MPI (a join, a barrier, a lock) waits as long "
    "as in the recorded run, at any latency",
)
WAITS_UNEXPLAINED = Kind(
    "waits-unexplained",
    "ranks are too far apart in time to keep all activities during waits; use an analysis in "
    "memory (--in-memory)",
)
DELAYS_UNPAIRED = Kind(
    "delays-unpaired",
    "the table of delays between ranks, and its picture, lack this share; all else is complete",
)
WITHOUT_MESSAGE = Kind(
    "without-message",
    "messages of a process to itself, and messages with an untraced end, are missing",
)
COMPLETION_INFERRED = Kind(
    "completion-inferred",
    "the format does not record the completing call, which matters only above the eager limit",
)
COMMUNICATORS_SKIPPED = Kind(
    "communicators-skipped",
    "the analysis leaves out waits in these calls; latitude trace records their communicators",
)
TAGS_RENUMBERED = Kind("tags-renumbered", "the format does not name the communicators of messages")
PART_OF_A_RUN = Kind(
    "part-of-a-run", "if the trace was not cut out of a longer one, its end is missing"
)
CUT_OFF = Kind("cut-off", "T is the runtime of the part that was cut out")
NEVER_COMPLETED = Kind("never-completed", "these calls wait for no rank here")
CALLS_FROM_PYTHON = Kind(
    "calls-from-python", "trace without --stacks 0 to place calls at lines of Python"
)
CALLS_NOT_RECORDED = Kind(
    "calls-not-recorded",
    "record all of MPI's calls (MPI_Default enable in dumpi.conf), from MPI_Init to MPI_Finalize",
)
TRACER_LEFT_OUT = Kind(
    "tracer-left-out", "the program's activity while tracing was off is missing from T"
)

SECTION_LEFT_OUT = Kind(
    "section-left-out",
    "T, λ and tolerances do not depend on this section; please report this with the input, and "
    "use --without {section} until the error is fixed",
)
NOT_KEPT = Kind("not-kept", "keep the trace itself if that matters")

# All other warnings.

ACHIEVED_AND_ASKED_DIFFER = Kind(
    "achieved-and-asked-differ",
    "a verdict uses the asked latency; if messages of one asked mean had different means, there "
    "is a verdict only if the achieved latency gives the same one",
)
ASKED_NOT_ACHIEVED = Kind(
    "asked-not-achieved",
    "messages also wait behind earlier ones with a long latency, and for ranks that do not run; "
    "give ranks cores of their own to exclude the second reason",
)
BACKGROUND_CHANGED = Kind(
    "background-changed", "Salimi Beni and Cosenza exclude such runs; Latitude keeps them here"
)
BELOW_ZERO = Kind("below-zero", "choose a distribution of positive latencies, or a larger loc")
BEYOND_TABLE = Kind("beyond-table", "read these quantiles as lower bounds")
B_NOT_KEPT = Kind("b-not-kept", "its column b is empty; measure again when the queue is steadier")
CALL_SITES_WITHOUT_FILE = Kind(
    "call-sites-without-file", "analyse on the machine of the run, before the program is rebuilt"
)
CALL_SITES_WITHOUT_LINES = Kind(
    "call-sites-without-lines",
    "compile with -g (it does not slow the program down) and trace again, or install its "
    "debug symbols",
)
COARSE_CLOCK = Kind(
    "coarse-clock", "KS distances and p-values are too harsh here; measure with a finer clock"
)
COARSE_CLOCK_FOR_MODES = Kind(
    "coarse-clock-for-modes", "do not trust modes that are closer than a few ticks"
)
CONSTANT = Kind("constant", "check the clock's resolution")
DEFAULT_NETWORK = Kind(
    "default-network",
    "give your own with {options} or --network FILE, or once with `latitude network use FILE`; "
    "the defaults are {source}",
)
DEPENDENT_SAMPLES = Kind("dependent-samples", "measure with pauses, or several runs")
DRIFT = Kind(
    "drift", "the machine changed during the campaign; random order spreads that over all levels"
)
EAGER_LIMITS_DIFFER = Kind("eager-limits-differ", "compare the pairs in loggps.json")
ENDED_EARLY = Kind("ended-early", "the figures include their counts up to that time")
FEW_DRAWS = Kind("few-draws", "draw more with --samples, or ask for --precision 1%")
FEW_RUNS = Kind("few-runs", "make more repetitions; `campaign run` keeps the finished runs")
FEW_SAMPLES = Kind("few-samples", "{name} needs {needed:,} samples{more}")
FEWER_STARTS = Kind(
    "fewer-starts", "give the ranks cores of their own, or more --time; intervals are wider now"
)
FIRST_CRITICAL_VALUES = Kind(
    "first-critical-values",
    "tolerances are exact in any case; --critical all lists all, --critical N the first N",
)
FITTED_MEAN = Kind(
    "fitted-mean", "use --table-of empirical for a table with the mean of the samples"
)
FITTED_TO_A_CHOICE = Kind("fitted-to-a-choice", "another --seed shows the effect of the selection")
HANGS_ON_ONE_RUN = Kind(
    "hangs-on-one-run", "make more repetitions, and check that run in “Every run” and the CSV"
)
IMPRECISE = Kind(
    "imprecise", "give more --time, a quieter machine, or --quantile 10% if ranks share cores"
)
INFINITE_MEAN = Kind("infinite-mean", "a heavier tail cannot be kept in 4,096 entries")
INJECTION_OFF = Kind("injection-off", "repeat the run with a directory that all ranks can read")
LATENCY_HIDDEN = Kind("latency-hidden", "usual within a node, where the CPUs do the network's work")
LATER_THAN_ASKED = Kind(
    "later-than-asked",
    "give each rank a core of its own, and compare achieved and asked before using run times",
)
LATE_RANKS = Kind(
    "late-ranks",
    "something else uses the cores{crowded}; leave rows with a large late_ns out, or give "
    "ranks cores of their own",
)
LOAD_OFF = Kind(
    "load-off",
    "run longer to even out the random gaps; if that does not help, the peak changed, or the "
    "ranks lack cores of their own",
)
LOST_RUNS = Kind("lost-runs", "if runs fail more often at high latency, the others look too fast")
MANY_SAMPLES = Kind("many-samples", "split the file if you need more")
MAP_ERROR = Kind("map-error", "allow more with --sweeps N, or give a smaller box")
MISSING_LEVELS = Kind("missing-levels", "programs are then compared over different levels")
MODEL_DEVIATES = Kind(
    "model-deviates", "set --size to the size that matters, and --most to sizes around it"
)
NETEM_BELOW_ZERO = Kind("netem-below-zero", "give a larger mean, or a smaller sd")
NETEM_CLIPPED = Kind(
    "netem-clipped", "make the table from samples with latitude fit, which keeps the tail's mean"
)
NO_SUCH_JOB = Kind(
    "no-such-job", "give the number in squeue's column %A; each job of an array has its own"
)
NOT_FINALISED = Kind("not-finalised", "end the program with MPI_Finalize")
NOT_MEASURED = Kind("not-measured", "see what the runs printed; the same command tries them again")
NOT_RANDOM_ORDER = Kind(
    "not-random-order",
    "drift of the machine looks like latency; run the campaign in random order",
)
NO_GOOD_FIT = Kind("no-good-fit", "take the samples themselves: --table-of empirical")
NO_RENDEZVOUS = Kind("no-rendezvous", "give a larger --most")
ONE_NODE = Kind("one-node", "start ranks on two nodes, e.g. mpirun -n 2 --map-by node")
ONE_START = Kind(
    "one-start", "measure with --starts 3 or more, unless another start of the program is expensive"
)
OSU_AVERAGES = Kind("osu-averages", "measure samples, e.g. with perftest's -U")
OTHER_RUNS = Kind("other-runs", "choose with --placement")
OTHER_RANKS = Kind("other-ranks", "start `latitude measure loggps` with {ranks:,} ranks")
OTHER_TRANSPORTS = Kind(
    "other-transports",
    "T and tolerances hold for the measured network, not for the network of the run",
)
OTHERWISE_THERE = Kind(
    "otherwise-there",
    "predictions hold near the latency of the traced run: for a longer latency, trace under "
    "`latitude inject`",
)
OUTLIERS = Kind("outliers", "use Spearman's ρ in the JSON, which outliers hardly affect")
OVERHEADS_LARGE = Kind(
    "overheads-large", "trace with no more ranks than cores, or give --o TIME or --network FILE"
)
OVERHEADS_LONG = Kind(
    "overheads-long", "give --L for the part of a message's time that its ends do not explain"
)
OVERHEADS_OF_ONE_END = Kind(
    "overheads-of-one-end",
    "Latitude assumes the same cost at both ends; --o TIME or --network FILE gives a measured one",
)
PRECISION_NOT_MET = Kind(
    "precision-not-met", "ask for less precision, or for a quantile further from the end"
)
RANDOM_SAMPLE = Kind("random-sample", "split the file if you need more")
RANKS_ABSENT = Kind("ranks-absent", "put `latitude inject` right of the launcher")
RENDEZVOUS_UNTOLD = Kind(
    "rendezvous-untold",
    "measure under `latitude inject --flow 100us`, which shows the latencies of the protocol, or "
    "give --rendezvous",
)
REPEATED_LEVELS = Kind(
    "repeated-levels", "correlate the means of the levels as well (n = {levels:,})"
)
REPLAYED = Kind("replayed", "leave out --replay for the model alone")
REPLAY_REFUSED = Kind(
    "replay-refused",
    "these predictions come from the model alone; trace on an idle machine",
)
RUNNING_WITHOUT_NODES = Kind(
    "running-without-nodes", "ask whether Slurm hides other users' jobs (PrivateData=jobs)"
)
RUNS_DRAWN = Kind(
    "runs-drawn", "make the runs with `latitude campaign run`, then ask again for both"
)
RUNS_WITHOUT_B = Kind(
    "runs-without-b", "run `background watch` during the runs, and pass --watched DIR"
)
SIZE_ABOVE_S = Kind("size-above-s", "give the average of the eager messages to --size")
TABLE_SD = Kind("table-sd", "the table's mean is kept; quote the table's own sd")
TAIL_NOT_SETTLED = Kind(
    "tail-not-settled",
    "read α as the steepness at that place only, and compare families with latitude fit",
)
TIMED_OUT = Kind("timed-out", "allow more time")
UNKNOWN_JOB_STATE = Kind(
    "unknown-job-state", "check with squeue whether these jobs run, and report the state"
)
VERBS_BYPASSED = Kind("verbs-bypassed", "set UCX_TLS=rc_v,ud_v,self")

KINDS = {kind.code: kind for kind in tuple(globals().values()) if isinstance(kind, Kind)}
"""All kinds by code."""


def from_core(warnings: Iterable[_core.Warning]) -> list[Notice]:
    """The core's warnings, in order, each once. KeyError: a warning has an unknown kind."""
    return list(dict.fromkeys(KINDS[w.code](w.message) for w in warnings))
