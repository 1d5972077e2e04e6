#pragma once

#include <otf2/otf2.h>

namespace latitude::trace::otf2 {

// What is used of OTF2's C library, which is loaded when the first archive is read or written, so
// that Latitude runs without it.
#define LATITUDE_OTF2_FUNCTIONS(X)                                    \
  X(OTF2_Error_GetDescription)                                        \
  X(OTF2_Error_RegisterCallback)                                      \
  X(OTF2_Reader_Open)                                                 \
  X(OTF2_Reader_Close)                                                \
  X(OTF2_Reader_SetSerialCollectiveCallbacks)                         \
  X(OTF2_Reader_GetGlobalDefReader)                                   \
  X(OTF2_Reader_RegisterGlobalDefCallbacks)                           \
  X(OTF2_Reader_ReadAllGlobalDefinitions)                             \
  X(OTF2_Reader_CloseGlobalDefReader)                                 \
  X(OTF2_Reader_SelectLocation)                                       \
  X(OTF2_Reader_OpenDefFiles)                                         \
  X(OTF2_Reader_CloseDefFiles)                                        \
  X(OTF2_Reader_OpenEvtFiles)                                         \
  X(OTF2_Reader_CloseEvtFiles)                                        \
  X(OTF2_Reader_GetDefReader)                                         \
  X(OTF2_Reader_ReadAllLocalDefinitions)                              \
  X(OTF2_Reader_CloseDefReader)                                       \
  X(OTF2_Reader_GetEvtReader)                                         \
  X(OTF2_Reader_RegisterEvtCallbacks)                                 \
  X(OTF2_Reader_ReadAllLocalEvents)                                   \
  X(OTF2_Reader_CloseEvtReader)                                       \
  X(OTF2_GlobalDefReaderCallbacks_New)                                \
  X(OTF2_GlobalDefReaderCallbacks_Delete)                             \
  X(OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback)         \
  X(OTF2_GlobalDefReaderCallbacks_SetStringCallback)                  \
  X(OTF2_GlobalDefReaderCallbacks_SetLocationCallback)                \
  X(OTF2_GlobalDefReaderCallbacks_SetRegionCallback)                  \
  X(OTF2_GlobalDefReaderCallbacks_SetGroupCallback)                   \
  X(OTF2_GlobalDefReaderCallbacks_SetCommCallback)                    \
  X(OTF2_GlobalDefReaderCallbacks_SetInterCommCallback)               \
  X(OTF2_EvtReaderCallbacks_New)                                      \
  X(OTF2_EvtReaderCallbacks_Delete)                                   \
  X(OTF2_EvtReaderCallbacks_SetUnknownCallback)                       \
  X(OTF2_EvtReaderCallbacks_SetBufferFlushCallback)                   \
  X(OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback)              \
  X(OTF2_EvtReaderCallbacks_SetEnterCallback)                         \
  X(OTF2_EvtReaderCallbacks_SetLeaveCallback)                         \
  X(OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback)           \
  X(OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback)           \
  X(OTF2_EvtReaderCallbacks_SetMpiSendCallback)                       \
  X(OTF2_EvtReaderCallbacks_SetMpiIsendCallback)                      \
  X(OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback)              \
  X(OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback)               \
  X(OTF2_EvtReaderCallbacks_SetMpiRecvCallback)                       \
  X(OTF2_EvtReaderCallbacks_SetMpiIrecvCallback)                      \
  X(OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback)           \
  X(OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback)              \
  X(OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback)  \
  X(OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback) \
  X(OTF2_GlobalDefReaderCallbacks_SetAttributeCallback)               \
  X(OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback)        \
  X(OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback)      \
  X(OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback)          \
  X(OTF2_EvtReaderCallbacks_SetCommCreateCallback)                    \
  X(OTF2_AttributeList_GetNumberOfElements)                           \
  X(OTF2_AttributeList_GetAttributeByIndex)                           \
  X(OTF2_Archive_Open)                                                \
  X(OTF2_Archive_Close)                                               \
  X(OTF2_Archive_SetSerialCollectiveCallbacks)                        \
  X(OTF2_Archive_SetFlushCallbacks)                                   \
  X(OTF2_Archive_SetCreator)                                          \
  X(OTF2_Archive_OpenEvtFiles)                                        \
  X(OTF2_Archive_CloseEvtFiles)                                       \
  X(OTF2_Archive_GetEvtWriter)                                        \
  X(OTF2_Archive_CloseEvtWriter)                                      \
  X(OTF2_Archive_OpenDefFiles)                                        \
  X(OTF2_Archive_CloseDefFiles)                                       \
  X(OTF2_Archive_GetDefWriter)                                        \
  X(OTF2_Archive_CloseDefWriter)                                      \
  X(OTF2_Archive_GetGlobalDefWriter)                                  \
  X(OTF2_Archive_CloseGlobalDefWriter)                                \
  X(OTF2_AttributeList_New)                                           \
  X(OTF2_AttributeList_Delete)                                        \
  X(OTF2_AttributeList_AddUint8)                                      \
  X(OTF2_AttributeList_AddUint64)                                     \
  X(OTF2_AttributeList_AddStringRef)                                  \
  X(OTF2_AttributeList_AddCallingContextRef)                          \
  X(OTF2_EvtWriter_Enter)                                             \
  X(OTF2_EvtWriter_Leave)                                             \
  X(OTF2_EvtWriter_MpiSend)                                           \
  X(OTF2_EvtWriter_MpiIsend)                                          \
  X(OTF2_EvtWriter_MpiIsendComplete)                                  \
  X(OTF2_EvtWriter_MpiIrecvRequest)                                   \
  X(OTF2_EvtWriter_MpiRecv)                                           \
  X(OTF2_EvtWriter_MpiIrecv)                                          \
  X(OTF2_EvtWriter_MpiCollectiveBegin)                                \
  X(OTF2_EvtWriter_MpiCollectiveEnd)                                  \
  X(OTF2_EvtWriter_NonBlockingCollectiveRequest)                      \
  X(OTF2_EvtWriter_NonBlockingCollectiveComplete)                     \
  X(OTF2_EvtWriter_CommCreate)                                        \
  X(OTF2_EvtWriter_CommDestroy)                                       \
  X(OTF2_EvtWriter_GetNumberOfEvents)                                 \
  X(OTF2_GlobalDefWriter_WriteClockProperties)                        \
  X(OTF2_GlobalDefWriter_WriteParadigm)                               \
  X(OTF2_GlobalDefWriter_WriteString)                                 \
  X(OTF2_GlobalDefWriter_WriteAttribute)                              \
  X(OTF2_GlobalDefWriter_WriteSystemTreeNode)                         \
  X(OTF2_GlobalDefWriter_WriteLocationGroup)                          \
  X(OTF2_GlobalDefWriter_WriteLocation)                               \
  X(OTF2_GlobalDefWriter_WriteLocationProperty)                       \
  X(OTF2_GlobalDefWriter_WriteRegion)                                 \
  X(OTF2_GlobalDefWriter_WriteGroup)                                  \
  X(OTF2_GlobalDefWriter_WriteComm)                                   \
  X(OTF2_GlobalDefWriter_WriteSourceCodeLocation)                     \
  X(OTF2_GlobalDefWriter_WriteCallingContext)

struct Library {
#define LATITUDE_OTF2_DECLARE(name) decltype(&::name) name = nullptr;
  LATITUDE_OTF2_FUNCTIONS(LATITUDE_OTF2_DECLARE)
#undef LATITUDE_OTF2_DECLARE
};

/// The library. InputError says what to install where it is missing.
const Library& library();

}  // namespace latitude::trace::otf2
