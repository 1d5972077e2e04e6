#ifndef LATITUDE_PRELOAD_EXPORT_H
#define LATITUDE_PRELOAD_EXPORT_H

/// A function that precedes a library's function of the same name.
#define LAT_EXPORT __attribute__((visibility("default")))

#endif
