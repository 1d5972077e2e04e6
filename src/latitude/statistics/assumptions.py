"""What each test assumes and when not to trust it; shown with every result."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Assumption:
    """One method in two sentences."""

    method: str
    assumes: str
    distrust: str


PERCENTILES = Assumption(
    "percentiles",
    "intervals lie between order statistics (binomial ranks) and need no distribution, only "
    "independent samples",
    "samples follow one another closely (autocorrelation): intervals are then too short",
)
TAIL_INDEX = Assumption(
    "tail index α (Hill)",
    "the k = n^(2/3)/ln ln n largest samples are Pareto beyond a threshold",
    "α from half or twice as many samples falls outside the interval: the tail is then no power "
    "law there; α also depends on where the zero of time is",
)
LONG_TAIL = Assumption(
    "long tail (over p85)",
    "Salimi Beni & Cosenza begin the long tail at the 85th percentile; 15 % of any sample lie over "
    "its own",
    "the share is read without a threshold of another sample (--reference, --threshold)",
)
MODES = Assumption(
    "modes",
    "peaks of a Gaussian kernel density (Silverman's bandwidth) that rise 5 % of the highest over "
    "their valley, up to p99; the dip test compares with uniform samples",
    "half or twice the bandwidth gives another count, or the clock ticks as coarsely as the modes "
    "are apart; with very many samples the dip finds bends nobody cares about",
)
NORMALITY = Assumption(
    "normality (Kolmogorov–Smirnov)",
    "independent samples; mean and sd come from the sample, so p is Lilliefors's; the plain p, as "
    "in Underwood et al., §6, takes them as known and is too large",
    "n is large: any latency is then found not to be normal, however close it is",
)
RANKS = Assumption(
    "Mann–Whitney U",
    "independent samples, within and between groups; the null hypothesis is that neither tends to "
    "be larger",
    "the groups differ in spread: a small p then does not mean that their medians differ",
)
SHIFT = Assumption(
    "Hodges–Lehmann shift",
    "the two distributions have the same shape and differ by a shift",
    "their shapes differ, as with a longer tail: compare percentiles instead",
)
TWO_SAMPLE = Assumption(
    "two-sample Kolmogorov–Smirnov",
    "independent samples from continuous distributions; any difference counts",
    "many values are tied (p is then too large), or n is so large that everything differs",
)
CORRECTION = Assumption(
    "several tests",
    "Holm keeps the chance of any false alarm under 5 %, Benjamini–Hochberg the share of false "
    "alarms among the alarms",
    "only some of the tests made are shown",
)
PEARSON = Assumption(
    "Pearson's r",
    "independent runs, bivariate normal; interval by Fisher's z",
    "the scatter is curved or one point stands far out",
)
SPEARMAN = Assumption(
    "Spearman's ρ",
    "independent runs; interval by Fisher's z with Bonett & Wright's variance",
    "many values are tied, or |ρ| is over 0.95: the interval is then rough",
)
LINE = Assumption(
    "regression",
    "independent runs, residuals of equal spread around a straight line",
    "the spread grows along the line, or levels were set by design and runs of a level count as "
    "independent",
)
FISHER = Assumption(
    "Fisher's z for two correlations",
    "two independent sets of runs (Underwood et al., §7, use it, one-sided)",
    "both correlations are of the same runtimes, as here: use Williams's test beside it",
)
WILLIAMS = Assumption(
    "Williams's t, Steiger's z",
    "n independent runs, trivariate normal; takes into account that both correlations share the "
    "runtimes, and needs the correlation between the two columns",
    "runs of one level are repeated: n then counts the same information several times",
)

TAIL_ASSUMPTIONS = (PERCENTILES, TAIL_INDEX, LONG_TAIL, MODES)
COMPARE_ASSUMPTIONS = (NORMALITY, RANKS, SHIFT, TWO_SAMPLE, CORRECTION)
CORRELATE_ASSUMPTIONS = (PEARSON, SPEARMAN, LINE, FISHER, WILLIAMS)
FISHER_ASSUMPTIONS = (FISHER, WILLIAMS)
