#ifndef LATITUDE_INJECT_VAIN_H
#define LATITUDE_INJECT_VAIN_H

/// Ends the job where it is known, once MPI has started, that no message can be delayed: before the
/// hours that the program takes, not after. `latitude inject` says why, from what is reported.
void lat_end_in_vain(void);

#endif
