#include "tracer.h"

const char* const lat_call_names[CALL_count] = {
#define CALL(name, ...) [CALL_##name] = "MPI_" #name,
#define TEST CALL
#define COUNTED_ONLY CALL
#include "all_calls.def"
#undef CALL
    [CALL_Init] = "MPI_Init",
    [CALL_Init_thread] = "MPI_Init_thread",
    [CALL_Finalize] = "MPI_Finalize",
    [CALL_Abort] = "MPI_Abort",
    [CALL_latitude_pause] = "latitude_pause",
};

#undef COUNTED_ONLY
const char* const lat_call_shapes[CALL_count] = {
#define CALL(name, shape, ...) [CALL_##name] = shape,
#define COUNTED_ONLY(name, ...) [CALL_##name] = "",
#include "all_calls.def"
    [CALL_Init] = "",  [CALL_Init_thread] = "",    [CALL_Finalize] = "",
    [CALL_Abort] = "", [CALL_latitude_pause] = "",
};
