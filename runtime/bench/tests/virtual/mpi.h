#ifndef LATITUDE_VIRTUAL_MPI_H
#define LATITUDE_VIRTUAL_MPI_H

/// The part of MPI that the bench programs use, in virtual time: virtual_mpi.c.

#include <stdint.h>

typedef struct virtual_comm* MPI_Comm;
typedef struct virtual_request* MPI_Request;
typedef int MPI_Datatype, MPI_Op;
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR, bytes;
} MPI_Status;

extern struct virtual_comm virtual_world;
#define MPI_COMM_WORLD (&virtual_world)
#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_IN_PLACE ((void*)1)
#define MPI_ERRORS_RETURN 0

enum { MPI_SUCCESS = 0, MPI_UNDEFINED = -32766, MPI_ANY_TAG = -1 };
enum {
  MPI_MAX_PROCESSOR_NAME = 64,
  MPI_MAX_LIBRARY_VERSION_STRING = 64,
  MPI_MAX_ERROR_STRING = 64
};
enum {
  MPI_BYTE,
  MPI_CHAR,
  MPI_INT,
  MPI_INT64_T,
  MPI_UINT64_T,
  MPI_FLOAT,
  MPI_DOUBLE,
  MPI_DOUBLE_INT
};
enum { MPI_MAX, MPI_SUM, MPI_LOR, MPI_BOR, MPI_MAXLOC };

int MPI_Init(int* count, char*** words);
int MPI_Finalize(void);
_Noreturn int MPI_Abort(MPI_Comm comm, int code);
int MPI_Comm_set_errhandler(MPI_Comm comm, int handler);
int MPI_Error_string(int error, char* text, int* length);
int MPI_Get_processor_name(char* name, int* length);
int MPI_Get_library_version(char* version, int* length);

int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* part);
int MPI_Comm_free(MPI_Comm* comm);

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status);
int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status);
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* there, MPI_Status* status);
int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count);
int MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request);
int MPI_Start(MPI_Request* request);
int MPI_Request_free(MPI_Request* request);
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status);

int MPI_Barrier(MPI_Comm comm);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request);
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request);
int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm);
int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm);
int MPI_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm);
int MPI_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm);
int MPI_Gather(const void* send, int count, MPI_Datatype type, void* receive, int received,
               MPI_Datatype of, int root, MPI_Comm comm);
int MPI_Scatter(const void* send, int count, MPI_Datatype type, void* receive, int received,
                MPI_Datatype of, int root, MPI_Comm comm);
int MPI_Allgather(const void* send, int count, MPI_Datatype type, void* receive, int received,
                  MPI_Datatype of, MPI_Comm comm);
int MPI_Alltoall(const void* send, int count, MPI_Datatype type, void* receive, int received,
                 MPI_Datatype of, MPI_Comm comm);

#endif
