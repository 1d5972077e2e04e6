// The part of the standard binary interface that the tracer needs: MPI 5.0, chapter 20 and appendix
// A. It is written from these, so that the one tracer for all libraries with the interface needs
// none of them for its build. Tests compare it with the headers of such libraries (mpi_abi.h).
#pragma once

#include <stdint.h>

#define LATITUDE_STANDARD_ABI  // shows the tracer that this header does not belong to an MPI
                               // library

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;

// Handles are pointers to types that are never complete; constant handles are small numbers.
typedef struct MPI_ABI_Op* MPI_Op;
typedef struct MPI_ABI_Comm* MPI_Comm;
typedef struct MPI_ABI_Group* MPI_Group;
typedef struct MPI_ABI_Win* MPI_Win;
typedef struct MPI_ABI_File* MPI_File;
typedef struct MPI_ABI_Session* MPI_Session;
typedef struct MPI_ABI_Message* MPI_Message;
typedef struct MPI_ABI_Info* MPI_Info;
typedef struct MPI_ABI_Errhandler* MPI_Errhandler;
typedef struct MPI_ABI_Request* MPI_Request;
typedef struct MPI_ABI_Datatype* MPI_Datatype;

#define MPI_MAX ((MPI_Op)0x23)
#define MPI_BOR ((MPI_Op)0x29)
#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_UINT64_T ((MPI_Datatype)0x259)

#define MPI_IN_PLACE ((void*)1)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
#define MPI_MAX_LIBRARY_VERSION_STRING 8192

enum {
  MPI_SUCCESS = 0,
  MPI_ERR_IN_STATUS = 19,

  MPI_ANY_SOURCE = -1,
  MPI_ANY_TAG = -2,
  MPI_PROC_NULL = -3,
  MPI_ROOT = -4,
  MPI_UNDEFINED = -32766,

  MPI_THREAD_SINGLE = 0,
  MPI_THREAD_FUNNELED = 1024,
  MPI_THREAD_SERIALIZED = 2048,
  MPI_THREAD_MULTIPLE = 4096,

  MPI_CART = 211,
  MPI_GRAPH = 212,
  MPI_DIST_GRAPH = 213,
  MPI_COMM_TYPE_SHARED = 221,
};

typedef void MPI_User_function(void*, void*, int*, MPI_Datatype*);
typedef void MPI_User_function_c(void*, void*, MPI_Count*, MPI_Datatype*);
typedef int MPI_Grequest_query_function(void*, MPI_Status*);
typedef int MPI_Grequest_free_function(void*);
typedef int MPI_Grequest_cancel_function(void*, int);

// The functions that the tracer itself calls (own_calls.def), and those that begin and end a run.
int PMPI_Abort(MPI_Comm, int);
int PMPI_Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm);
int PMPI_Cart_shift(MPI_Comm, int, int, int*, int*);
int PMPI_Cartdim_get(MPI_Comm, int*);
int PMPI_Comm_free(MPI_Comm*);
int PMPI_Comm_get_parent(MPI_Comm*);
int PMPI_Comm_group(MPI_Comm, MPI_Group*);
int PMPI_Comm_rank(MPI_Comm, int*);
int PMPI_Comm_remote_size(MPI_Comm, int*);
int PMPI_Comm_size(MPI_Comm, int*);
int PMPI_Comm_split(MPI_Comm, int, int, MPI_Comm*);
int PMPI_Comm_split_type(MPI_Comm, int, int, MPI_Info, MPI_Comm*);
int PMPI_Comm_test_inter(MPI_Comm, int*);
int PMPI_Dist_graph_neighbors(MPI_Comm, int, int[], int[], int, int[], int[]);
int PMPI_Dist_graph_neighbors_count(MPI_Comm, int*, int*, int*);
int PMPI_Finalize(void);
int PMPI_Get_elements_x(const MPI_Status*, MPI_Datatype, MPI_Count*);
int PMPI_Get_library_version(char*, int*);
int PMPI_Graph_neighbors(MPI_Comm, int, int, int[]);
int PMPI_Graph_neighbors_count(MPI_Comm, int, int*);
int PMPI_Group_free(MPI_Group*);
int PMPI_Group_size(MPI_Group, int*);
int PMPI_Group_translate_ranks(MPI_Group, int, const int[], MPI_Group, int[]);
int PMPI_Init(int*, char***);
int PMPI_Init_thread(int*, char***, int, int*);
int PMPI_Query_thread(int*);
int PMPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
int PMPI_Send(const void*, int, MPI_Datatype, int, int, MPI_Comm);
int PMPI_Test_cancelled(const MPI_Status*, int*);
int PMPI_Topo_test(MPI_Comm, int*);
int PMPI_Type_size_x(MPI_Datatype, MPI_Count*);
