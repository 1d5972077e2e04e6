// The fields of events: one function for each group of letters of the shapes
// (docs/internals/trace-format.md).
#pragma once

#include "tracer.h"

/// Element counts of a v-collective: int, or MPI_Count in the calls that end in _c.
struct counts {
  const void* values;
  bool wide;
};
#define COUNTS(array) ((struct counts){array, sizeof *(array) == sizeof(MPI_Count)})

uint64_t lat_type_size(MPI_Datatype type);
static inline uint64_t lat_size_of(MPI_Count count, MPI_Datatype type) {
  return (uint64_t)count * lat_type_size(type);
}

/// `c`
void lat_put_comm(struct event* e, MPI_Comm comm);
/// `cptb`
void lat_put_message(struct event* e, MPI_Comm comm, int peer, int tag, uint64_t bytes);
/// `p`
void lat_put_peer(struct event* e, int peer);
/// `ptb`, for a Sendrecv
void lat_put_second(struct event* e, int peer, int tag, uint64_t bytes);
/// `s`
void lat_put_status(struct event* e, int source, int tag, uint64_t bytes, MPI_Status* status);
/// `cpts` for Probe, `cptbs` for Mprobe, which receives the message
void lat_put_probed(struct event* e, MPI_Comm comm, int source, int tag, MPI_Status* status);
void lat_put_matched(struct event* e, MPI_Comm comm, int source, int tag, MPI_Status* status);
/// `q`, for a call that made a request
void lat_put_send_request(struct event* e, MPI_Request request);
void lat_put_receive_request(struct event* e, MPI_Request request, int source, int tag,
                             uint64_t bytes);
/// Adds the request of a call that is recorded by name only: its completion has no information.
void lat_ignore_request(struct event* e, MPI_Request request);
/// `cptbq` for one side of a partitioned message. Without partitions it moves nothing.
void lat_put_partitioned(struct event* e, MPI_Comm comm, int peer, int tag, int partitions,
                         uint64_t bytes_each, MPI_Request request);
/// `q`, for an Isendrecv
void lat_put_sendrecv_request(struct event* e, MPI_Request request, int source, int tag,
                              uint64_t bytes);
void lat_put_persistent_send(struct event* e, MPI_Request request);
void lat_put_persistent_receive(struct event* e, MPI_Request request, int source, int tag,
                                uint64_t bytes);
/// `R`
void lat_put_started(struct event* e, int n, const MPI_Request* requests);
/// `R`: the request of a partitioned send if this call makes its last partitions ready, otherwise
/// an empty list.
void lat_put_ready(struct event* e, int partitions, MPI_Request request);
/// `R` for the stored request (lat_keep_requests). Returns the number of requests.
uint64_t lat_put_freed(struct event* e);
/// `N`
void lat_put_made(struct event* e, MPI_Comm comm);

// Completions. MPI overwrites the requests, and returns statuses only on request.
/// Stores requests as they are before the call.
void lat_keep_requests(struct event* e, int n, const MPI_Request* requests);
/// Removes all requests now, because the call will complete all of them, and MPI may give their
/// handles to another thread before the call returns here.
void lat_take_requests(struct event* e, int n, const MPI_Request* requests);
/// The place for the call's statuses: the application's, or the tracer's own.
MPI_Status* lat_own_statuses(struct event* e, int n, MPI_Status* statuses);
/// `Q`: for the n requests that were taken.
void lat_put_taken(struct event* e, int n, MPI_Status* statuses);
/// `Q`: for the n requests that were stored; or for those at the indices, n = MPI_UNDEFINED: none.
/// Returns the number of completed requests: inactive requests and REQUEST_NULL complete at once,
/// and have no information.
uint64_t lat_put_completed(struct event* e, int n, MPI_Status* statuses);
uint64_t lat_put_completed_some(struct event* e, int n, const int* indices, MPI_Status* statuses);
/// Whether any of the n stored requests is not REQUEST_NULL.
bool lat_any_request(const struct event* e, int n);

// Collectives: `cpbef`, with `L` where stated.
enum { LAT_USER_OPERATION = 1, LAT_IN_PLACE = 2 };
void lat_put_collective(struct event* e, MPI_Comm comm, MPI_Count count, MPI_Datatype type,
                        unsigned flags);
/// With a root. In an intercommunicator MPI_PROC_NULL takes no part, and its count has no meaning.
void lat_put_rooted(struct event* e, MPI_Comm comm, int root, MPI_Count count, MPI_Datatype type,
                    unsigned flags);
unsigned lat_reduction_flags(const void* send, MPI_Op operation);
static inline unsigned lat_in_place(const void* buffer) {
  return buffer == MPI_IN_PLACE ? LAT_IN_PLACE : 0;
}
bool lat_is_root(MPI_Comm comm, int root);
/// Gatherv and Scatterv: the rank's own share, and at the root the list of all.
void lat_put_rooted_v(struct event* e, MPI_Comm comm, int root, const void* own, MPI_Count count,
                      MPI_Datatype type, struct counts all, MPI_Datatype all_type);
/// Allgatherv, Reduce_scatter: the list of all blocks, including the rank's own.
void lat_put_blocks(struct event* e, MPI_Comm comm, struct counts blocks, MPI_Datatype type,
                    unsigned flags);
/// Alltoallv (a single type: `types` of length 1) and Alltoallw.
void lat_put_alltoall_v(struct event* e, MPI_Comm comm, const void* send, struct counts to,
                        const MPI_Datatype* to_types, struct counts from,
                        const MPI_Datatype* from_types, bool type_each);
/// Neighbor_allgather, Neighbor_alltoall.
void lat_put_neighbours(struct event* e, MPI_Comm comm, MPI_Count count, MPI_Datatype type);
/// Neighbor_allgatherv: one size for all destinations.
void lat_put_neighbours_gatherv(struct event* e, MPI_Comm comm, MPI_Count count, MPI_Datatype type,
                                struct counts from, MPI_Datatype from_type);
/// Neighbor_alltoallv and -w.
void lat_put_neighbours_v(struct event* e, MPI_Comm comm, struct counts to,
                          const MPI_Datatype* to_types, struct counts from,
                          const MPI_Datatype* from_types, bool type_each);
