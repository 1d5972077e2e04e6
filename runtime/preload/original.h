#ifndef LATITUDE_PRELOAD_ORIGINAL_H
#define LATITUDE_PRELOAD_ORIGINAL_H

/// The function behind a wrapper of this library: the next one in the search order, otherwise that
/// of the loaded library whose file name begins with `library`. (Libraries opened with local scope
/// are not in the search order.) NULL if none exists.
void* lat_original(const char* name, const char* library);

/// Sets a pointer to the original on first use; aborts with a message if it does not exist.
void lat_find(void** function, const char* name, const char* library);

#endif
