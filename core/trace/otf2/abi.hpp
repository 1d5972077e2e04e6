#pragma once

#include <cstdarg>
#include <cstdint>

/// The types, numbers and functions of OTF2's C library that Latitude uses, as in its versions 3.0
/// to 3.2, so that the build needs no headers of OTF2. abi_test.cpp compares them with the headers.
namespace latitude::trace::otf2 {

struct OTF2_Archive;
struct OTF2_AttributeList;
struct OTF2_DefReader;
struct OTF2_DefWriter;
struct OTF2_EvtReader;
struct OTF2_EvtReaderCallbacks;
struct OTF2_EvtWriter;
struct OTF2_GlobalDefReader;
struct OTF2_GlobalDefReaderCallbacks;
struct OTF2_GlobalDefWriter;
struct OTF2_Reader;

// X(name, type)
#define LATITUDE_OTF2_TYPES(X)                 \
  X(OTF2_TimeStamp, std::uint64_t)             \
  X(OTF2_LocationRef, std::uint64_t)           \
  X(OTF2_AttributeRef, std::uint32_t)          \
  X(OTF2_CallingContextRef, std::uint32_t)     \
  X(OTF2_CommRef, std::uint32_t)               \
  X(OTF2_GroupRef, std::uint32_t)              \
  X(OTF2_LocationGroupRef, std::uint32_t)      \
  X(OTF2_RegionRef, std::uint32_t)             \
  X(OTF2_SourceCodeLocationRef, std::uint32_t) \
  X(OTF2_StringRef, std::uint32_t)             \
  X(OTF2_SystemTreeNodeRef, std::uint32_t)     \
  X(OTF2_CommFlag, std::uint32_t)              \
  X(OTF2_GroupFlag, std::uint32_t)             \
  X(OTF2_RegionFlag, std::uint32_t)            \
  X(OTF2_CollectiveOp, std::uint8_t)           \
  X(OTF2_Compression, std::uint8_t)            \
  X(OTF2_FileMode, std::uint8_t)               \
  X(OTF2_FileSubstrate, std::uint8_t)          \
  X(OTF2_FileType, std::uint8_t)               \
  X(OTF2_FlushType, std::uint8_t)              \
  X(OTF2_GroupType, std::uint8_t)              \
  X(OTF2_LocationGroupType, std::uint8_t)      \
  X(OTF2_LocationType, std::uint8_t)           \
  X(OTF2_MeasurementMode, std::uint8_t)        \
  X(OTF2_Paradigm, std::uint8_t)               \
  X(OTF2_ParadigmClass, std::uint8_t)          \
  X(OTF2_RegionRole, std::uint8_t)             \
  X(OTF2_Type, std::uint8_t)

#define LATITUDE_OTF2_TYPE(name, type) using name = type;
LATITUDE_OTF2_TYPES(LATITUDE_OTF2_TYPE)
#undef LATITUDE_OTF2_TYPE
enum OTF2_ErrorCode : int { OTF2_SUCCESS = 0, OTF2_ERROR_INVALID_ARGUMENT = 78 };
enum OTF2_CallbackCode : int { OTF2_CALLBACK_SUCCESS = 0 };

/// The members that Latitude reads or writes; no member of the library's union exceeds these eight
/// bytes.
union OTF2_AttributeValue {
  std::uint8_t uint8;
  std::uint32_t uint32;
  std::uint64_t uint64;
  OTF2_StringRef stringRef;
  OTF2_CallingContextRef callingContextRef;
};

struct OTF2_FlushCallbacks {
  OTF2_FlushType (*otf2_pre_flush)(void*, OTF2_FileType, OTF2_LocationRef, void*, bool);
  OTF2_TimeStamp (*otf2_post_flush)(void*, OTF2_FileType, OTF2_LocationRef);
};

// X(type, name, value)
#define LATITUDE_OTF2_NUMBERS(X)                                         \
  X(OTF2_CallingContextRef, OTF2_UNDEFINED_CALLING_CONTEXT, UINT32_MAX)  \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_BARRIER, 0)                    \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_BCAST, 1)                      \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_GATHER, 2)                     \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_GATHERV, 3)                    \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_SCATTER, 4)                    \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_SCATTERV, 5)                   \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_ALLGATHER, 6)                  \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_ALLGATHERV, 7)                 \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_ALLTOALL, 8)                   \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_ALLTOALLV, 9)                  \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_ALLTOALLW, 10)                 \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_ALLREDUCE, 11)                 \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_REDUCE, 12)                    \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_REDUCE_SCATTER, 13)            \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_SCAN, 14)                      \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_EXSCAN, 15)                    \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, 16)      \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_CREATE_HANDLE, 17)             \
  X(OTF2_CollectiveOp, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, 18)            \
  X(OTF2_CommFlag, OTF2_COMM_FLAG_NONE, 0)                               \
  X(OTF2_CommFlag, OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS, 1)              \
  X(OTF2_CommRef, OTF2_UNDEFINED_COMM, UINT32_MAX)                       \
  X(OTF2_Compression, OTF2_COMPRESSION_NONE, 1)                          \
  X(OTF2_FileMode, OTF2_FILEMODE_WRITE, 0)                               \
  X(OTF2_FileSubstrate, OTF2_SUBSTRATE_POSIX, 1)                         \
  X(OTF2_FlushType, OTF2_FLUSH, 1)                                       \
  X(OTF2_GroupFlag, OTF2_GROUP_FLAG_NONE, 0)                             \
  X(OTF2_GroupType, OTF2_GROUP_TYPE_COMM_LOCATIONS, 4)                   \
  X(OTF2_GroupType, OTF2_GROUP_TYPE_COMM_GROUP, 5)                       \
  X(OTF2_GroupType, OTF2_GROUP_TYPE_COMM_SELF, 6)                        \
  X(OTF2_LocationGroupRef, OTF2_UNDEFINED_LOCATION_GROUP, UINT32_MAX)    \
  X(OTF2_LocationGroupType, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1)         \
  X(OTF2_LocationType, OTF2_LOCATION_TYPE_CPU_THREAD, 1)                 \
  X(OTF2_MeasurementMode, OTF2_MEASUREMENT_ON, 1)                        \
  X(OTF2_Paradigm, OTF2_PARADIGM_USER, 1)                                \
  X(OTF2_Paradigm, OTF2_PARADIGM_MPI, 4)                                 \
  X(OTF2_ParadigmClass, OTF2_PARADIGM_CLASS_PROCESS, 0)                  \
  X(OTF2_RegionFlag, OTF2_REGION_FLAG_NONE, 0)                           \
  X(OTF2_RegionRole, OTF2_REGION_ROLE_FUNCTION, 1)                       \
  X(OTF2_RegionRole, OTF2_REGION_ROLE_WRAPPER, 2)                        \
  X(OTF2_RegionRole, OTF2_REGION_ROLE_BARRIER, 15)                       \
  X(OTF2_RegionRole, OTF2_REGION_ROLE_COLL_ONE2ALL, 23)                  \
  X(OTF2_RegionRole, OTF2_REGION_ROLE_COLL_ALL2ONE, 24)                  \
  X(OTF2_RegionRole, OTF2_REGION_ROLE_COLL_ALL2ALL, 25)                  \
  X(OTF2_RegionRole, OTF2_REGION_ROLE_COLL_OTHER, 26)                    \
  X(OTF2_RegionRole, OTF2_REGION_ROLE_POINT2POINT, 28)                   \
  X(OTF2_SystemTreeNodeRef, OTF2_UNDEFINED_SYSTEM_TREE_NODE, UINT32_MAX) \
  X(OTF2_TimeStamp, OTF2_UNDEFINED_TIMESTAMP, UINT64_MAX)                \
  X(OTF2_Type, OTF2_TYPE_UINT8, 1)                                       \
  X(OTF2_Type, OTF2_TYPE_UINT32, 3)                                      \
  X(OTF2_Type, OTF2_TYPE_UINT64, 4)                                      \
  X(OTF2_Type, OTF2_TYPE_STRING, 11)                                     \
  X(OTF2_Type, OTF2_TYPE_CALLING_CONTEXT, 21)                            \
  X(std::uint32_t, OTF2_COLLECTIVE_ROOT_NONE, UINT32_MAX)                \
  X(std::uint32_t, OTF2_UNDEFINED_UINT32, UINT32_MAX)                    \
  X(std::uint64_t, OTF2_CHUNK_SIZE_EVENTS_DEFAULT, 1048576)              \
  X(std::uint64_t, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, 4194304)         \
  X(std::uint64_t, OTF2_CHUNK_SIZE_MAX, 16777216)

#define LATITUDE_OTF2_NUMBER(type, name, value) inline constexpr type name = value;
LATITUDE_OTF2_NUMBERS(LATITUDE_OTF2_NUMBER)
#undef LATITUDE_OTF2_NUMBER

using OTF2_ErrorCallback = OTF2_ErrorCode (*)(void* user, const char* file, std::uint64_t line,
                                              const char* function, OTF2_ErrorCode,
                                              const char* format, va_list);

/// The first parameters of each event callback: location, time, position, user data, attributes.
#define LATITUDE_OTF2_HEAD \
  OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, OTF2_AttributeList*

// X(name, (parameters))
#define LATITUDE_OTF2_CALLBACKS(X)                                                                 \
  X(OTF2_GlobalDefReaderCallback_ClockProperties,                                                  \
    (void*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t))                           \
  X(OTF2_GlobalDefReaderCallback_String, (void*, OTF2_StringRef, const char*))                     \
  X(OTF2_GlobalDefReaderCallback_Location,                                                         \
    (void*, OTF2_LocationRef, OTF2_StringRef, OTF2_LocationType, std::uint64_t,                    \
     OTF2_LocationGroupRef))                                                                       \
  X(OTF2_GlobalDefReaderCallback_Region,                                                           \
    (void*, OTF2_RegionRef, OTF2_StringRef, OTF2_StringRef, OTF2_StringRef, OTF2_RegionRole,       \
     OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t))                \
  X(OTF2_GlobalDefReaderCallback_Group,                                                            \
    (void*, OTF2_GroupRef, OTF2_StringRef, OTF2_GroupType, OTF2_Paradigm, OTF2_GroupFlag,          \
     std::uint32_t, const std::uint64_t*))                                                         \
  X(OTF2_GlobalDefReaderCallback_Comm,                                                             \
    (void*, OTF2_CommRef, OTF2_StringRef, OTF2_GroupRef, OTF2_CommRef, OTF2_CommFlag))             \
  X(OTF2_GlobalDefReaderCallback_InterComm, (void*, OTF2_CommRef, OTF2_StringRef, OTF2_GroupRef,   \
                                             OTF2_GroupRef, OTF2_CommRef, OTF2_CommFlag))          \
  X(OTF2_EvtReaderCallback_Unknown, (LATITUDE_OTF2_HEAD))                                          \
  X(OTF2_EvtReaderCallback_BufferFlush, (LATITUDE_OTF2_HEAD, OTF2_TimeStamp))                      \
  X(OTF2_EvtReaderCallback_MeasurementOnOff, (LATITUDE_OTF2_HEAD, OTF2_MeasurementMode))           \
  X(OTF2_EvtReaderCallback_Enter, (LATITUDE_OTF2_HEAD, OTF2_RegionRef))                            \
  X(OTF2_EvtReaderCallback_Leave, (LATITUDE_OTF2_HEAD, OTF2_RegionRef))                            \
  X(OTF2_EvtReaderCallback_CallingContextEnter,                                                    \
    (LATITUDE_OTF2_HEAD, OTF2_CallingContextRef, std::uint32_t))                                   \
  X(OTF2_EvtReaderCallback_CallingContextLeave, (LATITUDE_OTF2_HEAD, OTF2_CallingContextRef))      \
  X(OTF2_EvtReaderCallback_MpiSend,                                                                \
    (LATITUDE_OTF2_HEAD, std::uint32_t, OTF2_CommRef, std::uint32_t, std::uint64_t))               \
  X(OTF2_EvtReaderCallback_MpiIsend, (LATITUDE_OTF2_HEAD, std::uint32_t, OTF2_CommRef,             \
                                      std::uint32_t, std::uint64_t, std::uint64_t))                \
  X(OTF2_EvtReaderCallback_MpiIsendComplete, (LATITUDE_OTF2_HEAD, std::uint64_t))                  \
  X(OTF2_EvtReaderCallback_MpiIrecvRequest, (LATITUDE_OTF2_HEAD, std::uint64_t))                   \
  X(OTF2_EvtReaderCallback_MpiRecv,                                                                \
    (LATITUDE_OTF2_HEAD, std::uint32_t, OTF2_CommRef, std::uint32_t, std::uint64_t))               \
  X(OTF2_EvtReaderCallback_MpiIrecv, (LATITUDE_OTF2_HEAD, std::uint32_t, OTF2_CommRef,             \
                                      std::uint32_t, std::uint64_t, std::uint64_t))                \
  X(OTF2_EvtReaderCallback_MpiRequestCancelled, (LATITUDE_OTF2_HEAD, std::uint64_t))               \
  X(OTF2_EvtReaderCallback_MpiCollectiveEnd, (LATITUDE_OTF2_HEAD, OTF2_CollectiveOp, OTF2_CommRef, \
                                              std::uint32_t, std::uint64_t, std::uint64_t))        \
  X(OTF2_EvtReaderCallback_NonBlockingCollectiveRequest, (LATITUDE_OTF2_HEAD, std::uint64_t))      \
  X(OTF2_EvtReaderCallback_NonBlockingCollectiveComplete,                                          \
    (LATITUDE_OTF2_HEAD, OTF2_CollectiveOp, OTF2_CommRef, std::uint32_t, std::uint64_t,            \
     std::uint64_t, std::uint64_t))                                                                \
  X(OTF2_GlobalDefReaderCallback_Attribute,                                                        \
    (void*, OTF2_AttributeRef, OTF2_StringRef, OTF2_StringRef, OTF2_Type))                         \
  X(OTF2_GlobalDefReaderCallback_LocationProperty,                                                 \
    (void*, OTF2_LocationRef, OTF2_StringRef, OTF2_Type, OTF2_AttributeValue))                     \
  X(OTF2_GlobalDefReaderCallback_SourceCodeLocation,                                               \
    (void*, OTF2_SourceCodeLocationRef, OTF2_StringRef, std::uint32_t))                            \
  X(OTF2_GlobalDefReaderCallback_CallingContext,                                                   \
    (void*, OTF2_CallingContextRef, OTF2_RegionRef, OTF2_SourceCodeLocationRef,                    \
     OTF2_CallingContextRef))                                                                      \
  X(OTF2_EvtReaderCallback_CommCreate, (LATITUDE_OTF2_HEAD, OTF2_CommRef))

#define LATITUDE_OTF2_CALLBACK(name, parameters) using name = OTF2_CallbackCode(*) parameters;
LATITUDE_OTF2_CALLBACKS(LATITUDE_OTF2_CALLBACK)
#undef LATITUDE_OTF2_CALLBACK

// X(result, name, (parameters))
#define LATITUDE_OTF2_FUNCTIONS(X)                                                              \
  X(const char*, OTF2_Error_GetDescription, (OTF2_ErrorCode))                                   \
  X(OTF2_ErrorCallback, OTF2_Error_RegisterCallback, (OTF2_ErrorCallback, void*))               \
  X(OTF2_Reader*, OTF2_Reader_Open, (const char*))                                              \
  X(OTF2_ErrorCode, OTF2_Reader_Close, (OTF2_Reader*))                                          \
  X(OTF2_ErrorCode, OTF2_Reader_SetSerialCollectiveCallbacks, (OTF2_Reader*))                   \
  X(OTF2_GlobalDefReader*, OTF2_Reader_GetGlobalDefReader, (OTF2_Reader*))                      \
  X(OTF2_ErrorCode, OTF2_Reader_RegisterGlobalDefCallbacks,                                     \
    (OTF2_Reader*, OTF2_GlobalDefReader*, const OTF2_GlobalDefReaderCallbacks*, void*))         \
  X(OTF2_ErrorCode, OTF2_Reader_ReadAllGlobalDefinitions,                                       \
    (OTF2_Reader*, OTF2_GlobalDefReader*, std::uint64_t*))                                      \
  X(OTF2_ErrorCode, OTF2_Reader_CloseGlobalDefReader, (OTF2_Reader*, OTF2_GlobalDefReader*))    \
  X(OTF2_ErrorCode, OTF2_Reader_SelectLocation, (OTF2_Reader*, OTF2_LocationRef))               \
  X(OTF2_ErrorCode, OTF2_Reader_OpenDefFiles, (OTF2_Reader*))                                   \
  X(OTF2_ErrorCode, OTF2_Reader_CloseDefFiles, (OTF2_Reader*))                                  \
  X(OTF2_ErrorCode, OTF2_Reader_OpenEvtFiles, (OTF2_Reader*))                                   \
  X(OTF2_ErrorCode, OTF2_Reader_CloseEvtFiles, (OTF2_Reader*))                                  \
  X(OTF2_DefReader*, OTF2_Reader_GetDefReader, (OTF2_Reader*, OTF2_LocationRef))                \
  X(OTF2_ErrorCode, OTF2_Reader_ReadAllLocalDefinitions,                                        \
    (OTF2_Reader*, OTF2_DefReader*, std::uint64_t*))                                            \
  X(OTF2_ErrorCode, OTF2_Reader_CloseDefReader, (OTF2_Reader*, OTF2_DefReader*))                \
  X(OTF2_EvtReader*, OTF2_Reader_GetEvtReader, (OTF2_Reader*, OTF2_LocationRef))                \
  X(OTF2_ErrorCode, OTF2_Reader_RegisterEvtCallbacks,                                           \
    (OTF2_Reader*, OTF2_EvtReader*, const OTF2_EvtReaderCallbacks*, void*))                     \
  X(OTF2_ErrorCode, OTF2_Reader_ReadAllLocalEvents,                                             \
    (OTF2_Reader*, OTF2_EvtReader*, std::uint64_t*))                                            \
  X(OTF2_ErrorCode, OTF2_Reader_CloseEvtReader, (OTF2_Reader*, OTF2_EvtReader*))                \
  X(OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallbacks_New, ())                      \
  X(void, OTF2_GlobalDefReaderCallbacks_Delete, (OTF2_GlobalDefReaderCallbacks*))               \
  X(OTF2_ErrorCode, OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback,                   \
    (OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallback_ClockProperties))             \
  X(OTF2_ErrorCode, OTF2_GlobalDefReaderCallbacks_SetStringCallback,                            \
    (OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallback_String))                      \
  X(OTF2_ErrorCode, OTF2_GlobalDefReaderCallbacks_SetLocationCallback,                          \
    (OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallback_Location))                    \
  X(OTF2_ErrorCode, OTF2_GlobalDefReaderCallbacks_SetRegionCallback,                            \
    (OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallback_Region))                      \
  X(OTF2_ErrorCode, OTF2_GlobalDefReaderCallbacks_SetGroupCallback,                             \
    (OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallback_Group))                       \
  X(OTF2_ErrorCode, OTF2_GlobalDefReaderCallbacks_SetCommCallback,                              \
    (OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallback_Comm))                        \
  X(OTF2_ErrorCode, OTF2_GlobalDefReaderCallbacks_SetInterCommCallback,                         \
    (OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallback_InterComm))                   \
  X(OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallbacks_New, ())                                  \
  X(void, OTF2_EvtReaderCallbacks_Delete, (OTF2_EvtReaderCallbacks*))                           \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetUnknownCallback,                                 \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_Unknown))                                 \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetBufferFlushCallback,                             \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_BufferFlush))                             \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback,                        \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_MeasurementOnOff))                        \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetEnterCallback,                                   \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_Enter))                                   \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetLeaveCallback,                                   \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_Leave))                                   \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback,                     \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_CallingContextEnter))                     \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback,                     \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_CallingContextLeave))                     \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetMpiSendCallback,                                 \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_MpiSend))                                 \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetMpiIsendCallback,                                \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_MpiIsend))                                \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback,                        \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_MpiIsendComplete))                        \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback,                         \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_MpiIrecvRequest))                         \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetMpiRecvCallback,                                 \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_MpiRecv))                                 \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetMpiIrecvCallback,                                \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_MpiIrecv))                                \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback,                     \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_MpiRequestCancelled))                     \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback,                        \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_MpiCollectiveEnd))                        \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback,            \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_NonBlockingCollectiveRequest))            \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback,           \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_NonBlockingCollectiveComplete))           \
  X(OTF2_ErrorCode, OTF2_GlobalDefReaderCallbacks_SetAttributeCallback,                         \
    (OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallback_Attribute))                   \
  X(OTF2_ErrorCode, OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback,                  \
    (OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallback_LocationProperty))            \
  X(OTF2_ErrorCode, OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback,                \
    (OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallback_SourceCodeLocation))          \
  X(OTF2_ErrorCode, OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback,                    \
    (OTF2_GlobalDefReaderCallbacks*, OTF2_GlobalDefReaderCallback_CallingContext))              \
  X(OTF2_ErrorCode, OTF2_EvtReaderCallbacks_SetCommCreateCallback,                              \
    (OTF2_EvtReaderCallbacks*, OTF2_EvtReaderCallback_CommCreate))                              \
  X(std::uint32_t, OTF2_AttributeList_GetNumberOfElements, (const OTF2_AttributeList*))         \
  X(OTF2_ErrorCode, OTF2_AttributeList_GetAttributeByIndex,                                     \
    (const OTF2_AttributeList*, std::uint32_t, OTF2_AttributeRef*, OTF2_Type*,                  \
     OTF2_AttributeValue*))                                                                     \
  X(OTF2_Archive*, OTF2_Archive_Open,                                                           \
    (const char*, const char*, OTF2_FileMode, std::uint64_t, std::uint64_t, OTF2_FileSubstrate, \
     OTF2_Compression))                                                                         \
  X(OTF2_ErrorCode, OTF2_Archive_Close, (OTF2_Archive*))                                        \
  X(OTF2_ErrorCode, OTF2_Archive_SetSerialCollectiveCallbacks, (OTF2_Archive*))                 \
  X(OTF2_ErrorCode, OTF2_Archive_SetFlushCallbacks,                                             \
    (OTF2_Archive*, const OTF2_FlushCallbacks*, void*))                                         \
  X(OTF2_ErrorCode, OTF2_Archive_SetCreator, (OTF2_Archive*, const char*))                      \
  X(OTF2_ErrorCode, OTF2_Archive_OpenEvtFiles, (OTF2_Archive*))                                 \
  X(OTF2_ErrorCode, OTF2_Archive_CloseEvtFiles, (OTF2_Archive*))                                \
  X(OTF2_EvtWriter*, OTF2_Archive_GetEvtWriter, (OTF2_Archive*, OTF2_LocationRef))              \
  X(OTF2_ErrorCode, OTF2_Archive_CloseEvtWriter, (OTF2_Archive*, OTF2_EvtWriter*))              \
  X(OTF2_ErrorCode, OTF2_Archive_OpenDefFiles, (OTF2_Archive*))                                 \
  X(OTF2_ErrorCode, OTF2_Archive_CloseDefFiles, (OTF2_Archive*))                                \
  X(OTF2_DefWriter*, OTF2_Archive_GetDefWriter, (OTF2_Archive*, OTF2_LocationRef))              \
  X(OTF2_ErrorCode, OTF2_Archive_CloseDefWriter, (OTF2_Archive*, OTF2_DefWriter*))              \
  X(OTF2_GlobalDefWriter*, OTF2_Archive_GetGlobalDefWriter, (OTF2_Archive*))                    \
  X(OTF2_ErrorCode, OTF2_Archive_CloseGlobalDefWriter, (OTF2_Archive*, OTF2_GlobalDefWriter*))  \
  X(OTF2_AttributeList*, OTF2_AttributeList_New, ())                                            \
  X(OTF2_ErrorCode, OTF2_AttributeList_Delete, (OTF2_AttributeList*))                           \
  X(OTF2_ErrorCode, OTF2_AttributeList_AddUint8,                                                \
    (OTF2_AttributeList*, OTF2_AttributeRef, std::uint8_t))                                     \
  X(OTF2_ErrorCode, OTF2_AttributeList_AddUint64,                                               \
    (OTF2_AttributeList*, OTF2_AttributeRef, std::uint64_t))                                    \
  X(OTF2_ErrorCode, OTF2_AttributeList_AddStringRef,                                            \
    (OTF2_AttributeList*, OTF2_AttributeRef, OTF2_StringRef))                                   \
  X(OTF2_ErrorCode, OTF2_AttributeList_AddCallingContextRef,                                    \
    (OTF2_AttributeList*, OTF2_AttributeRef, OTF2_CallingContextRef))                           \
  X(OTF2_ErrorCode, OTF2_EvtWriter_Enter,                                                       \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, OTF2_RegionRef))                     \
  X(OTF2_ErrorCode, OTF2_EvtWriter_Leave,                                                       \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, OTF2_RegionRef))                     \
  X(OTF2_ErrorCode, OTF2_EvtWriter_MpiSend,                                                     \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, std::uint32_t, OTF2_CommRef,         \
     std::uint32_t, std::uint64_t))                                                             \
  X(OTF2_ErrorCode, OTF2_EvtWriter_MpiIsend,                                                    \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, std::uint32_t, OTF2_CommRef,         \
     std::uint32_t, std::uint64_t, std::uint64_t))                                              \
  X(OTF2_ErrorCode, OTF2_EvtWriter_MpiIsendComplete,                                            \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, std::uint64_t))                      \
  X(OTF2_ErrorCode, OTF2_EvtWriter_MpiIrecvRequest,                                             \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, std::uint64_t))                      \
  X(OTF2_ErrorCode, OTF2_EvtWriter_MpiRecv,                                                     \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, std::uint32_t, OTF2_CommRef,         \
     std::uint32_t, std::uint64_t))                                                             \
  X(OTF2_ErrorCode, OTF2_EvtWriter_MpiIrecv,                                                    \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, std::uint32_t, OTF2_CommRef,         \
     std::uint32_t, std::uint64_t, std::uint64_t))                                              \
  X(OTF2_ErrorCode, OTF2_EvtWriter_MpiCollectiveBegin,                                          \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp))                                     \
  X(OTF2_ErrorCode, OTF2_EvtWriter_MpiCollectiveEnd,                                            \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, OTF2_CollectiveOp, OTF2_CommRef,     \
     std::uint32_t, std::uint64_t, std::uint64_t))                                              \
  X(OTF2_ErrorCode, OTF2_EvtWriter_NonBlockingCollectiveRequest,                                \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, std::uint64_t))                      \
  X(OTF2_ErrorCode, OTF2_EvtWriter_NonBlockingCollectiveComplete,                               \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, OTF2_CollectiveOp, OTF2_CommRef,     \
     std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t))                               \
  X(OTF2_ErrorCode, OTF2_EvtWriter_CommCreate,                                                  \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, OTF2_CommRef))                       \
  X(OTF2_ErrorCode, OTF2_EvtWriter_CommDestroy,                                                 \
    (OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, OTF2_CommRef))                       \
  X(OTF2_ErrorCode, OTF2_EvtWriter_GetNumberOfEvents, (OTF2_EvtWriter*, std::uint64_t*))        \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteClockProperties,                                  \
    (OTF2_GlobalDefWriter*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t))        \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteParadigm,                                         \
    (OTF2_GlobalDefWriter*, OTF2_Paradigm, OTF2_StringRef, OTF2_ParadigmClass))                 \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteString,                                           \
    (OTF2_GlobalDefWriter*, OTF2_StringRef, const char*))                                       \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteAttribute,                                        \
    (OTF2_GlobalDefWriter*, OTF2_AttributeRef, OTF2_StringRef, OTF2_StringRef, OTF2_Type))      \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteSystemTreeNode,                                   \
    (OTF2_GlobalDefWriter*, OTF2_SystemTreeNodeRef, OTF2_StringRef, OTF2_StringRef,             \
     OTF2_SystemTreeNodeRef))                                                                   \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteLocationGroup,                                    \
    (OTF2_GlobalDefWriter*, OTF2_LocationGroupRef, OTF2_StringRef, OTF2_LocationGroupType,      \
     OTF2_SystemTreeNodeRef, OTF2_LocationGroupRef))                                            \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteLocation,                                         \
    (OTF2_GlobalDefWriter*, OTF2_LocationRef, OTF2_StringRef, OTF2_LocationType, std::uint64_t, \
     OTF2_LocationGroupRef))                                                                    \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteLocationProperty,                                 \
    (OTF2_GlobalDefWriter*, OTF2_LocationRef, OTF2_StringRef, OTF2_Type, OTF2_AttributeValue))  \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteRegion,                                           \
    (OTF2_GlobalDefWriter*, OTF2_RegionRef, OTF2_StringRef, OTF2_StringRef, OTF2_StringRef,     \
     OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t,            \
     std::uint32_t))                                                                            \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteGroup,                                            \
    (OTF2_GlobalDefWriter*, OTF2_GroupRef, OTF2_StringRef, OTF2_GroupType, OTF2_Paradigm,       \
     OTF2_GroupFlag, std::uint32_t, const std::uint64_t*))                                      \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteComm,                                             \
    (OTF2_GlobalDefWriter*, OTF2_CommRef, OTF2_StringRef, OTF2_GroupRef, OTF2_CommRef,          \
     OTF2_CommFlag))                                                                            \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteSourceCodeLocation,                               \
    (OTF2_GlobalDefWriter*, OTF2_SourceCodeLocationRef, OTF2_StringRef, std::uint32_t))         \
  X(OTF2_ErrorCode, OTF2_GlobalDefWriter_WriteCallingContext,                                   \
    (OTF2_GlobalDefWriter*, OTF2_CallingContextRef, OTF2_RegionRef, OTF2_SourceCodeLocationRef, \
     OTF2_CallingContextRef))

}  // namespace latitude::trace::otf2
