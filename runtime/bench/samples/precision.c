#include "precision.h"

#include <math.h>
#include <stdlib.h>

static const double Z = 1.959963985;  ///< two-sided quantile of the normal distribution for 95 %

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

double median_precision(double* values, size_t count) {
  const double n = (double)count, half = Z * sqrt(n) / 2;
  const double low = floor(n / 2 - half), high = ceil(n / 2 + half);
  if (low < 1 || high > n - 1) return INFINITY;
  qsort(values, count, sizeof *values, ascending);
  const double width = values[(size_t)high] - values[(size_t)low - 1];
  return width / 2 / values[count / 2];
}
