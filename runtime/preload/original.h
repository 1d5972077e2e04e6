#ifndef LATITUDE_PRELOAD_ORIGINAL_H
#define LATITUDE_PRELOAD_ORIGINAL_H

/// The function behind a wrapper of ours: the next one in the search order, else that of the loaded
/// library whose file name begins with `library`; for libraries opened with local scope the search
/// order has none. NULL when there is none.
void* lat_original(const char* name, const char* library);

/// Fills a pointer with the original on first use; aborts with a message when there is none.
void lat_find(void** function, const char* name, const char* library);

#endif
