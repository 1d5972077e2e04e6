#ifndef LATITUDE_BENCH_PRECISION_H
#define LATITUDE_BENCH_PRECISION_H

#include <stddef.h>

/// Half the 95 % interval of the median over the median, from order statistics, so that it holds
/// for every distribution (David & Nagaraja, Order Statistics, 7.1); infinite for too few samples.
/// Sorts the samples.
double median_precision(double* values, size_t count);

#endif
