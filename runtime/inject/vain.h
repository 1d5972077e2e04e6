#ifndef LATITUDE_INJECT_VAIN_H
#define LATITUDE_INJECT_VAIN_H

/// Ends the job if it is known, once MPI has started, that no message can be delayed: before the
/// hours that the program takes, not after. `latitude inject` prints the reason, from the reports.
void lat_end_in_vain(void);

#endif
