#include "tracer.h"

const char lat_call_names[CALL_count][LAT_LONGEST_NAME] = {
#define LATITUDE_CALL(name, ...) [CALL_##name] = "MPI_" #name,
#include "calls.def"
#undef LATITUDE_CALL
    [CALL_latitude_pause] = "latitude_pause",
    [CALL_latitude_absence] = "latitude_absence",
    [CALL_latitude_polls] = "latitude_polls",
    [CALL_Request_get_status] = "MPI_Request_get_status",
};

const char* const lat_call_shapes[CALL_count] = {
#define LATITUDE_CALL(name, call_class, shape) [CALL_##name] = shape,
#include "calls.def"
#undef LATITUDE_CALL
    [CALL_latitude_pause] = "",
    [CALL_latitude_absence] = "w",
    [CALL_latitude_polls] = "n",
    [CALL_Request_get_status] = "",
};
