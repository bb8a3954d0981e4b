/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a PJRT plugin, checks version and reach of its table of functions, and turns its errors
 * into answers of the executor ABI. */
#include "harness/exec/pjrt/library.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "harness/exec/transport/dso.h"

/* The functions that we cannot do without. */
#define REQUIRED(X)                      \
  X(PJRT_Error_Destroy)                  \
  X(PJRT_Error_Message)                  \
  X(PJRT_Error_GetCode)                  \
  X(PJRT_Event_Destroy)                  \
  X(PJRT_Event_Await)                    \
  X(PJRT_Client_Create)                  \
  X(PJRT_Client_Destroy)                 \
  X(PJRT_Client_PlatformName)            \
  X(PJRT_Client_PlatformVersion)         \
  X(PJRT_Client_AddressableDevices)      \
  X(PJRT_Client_Compile)                 \
  X(PJRT_Client_BufferFromHostBuffer)    \
  X(PJRT_DeviceDescription_Id)           \
  X(PJRT_DeviceDescription_Kind)         \
  X(PJRT_Device_GetDescription)          \
  X(PJRT_Executable_Destroy)             \
  X(PJRT_Executable_NumOutputs)          \
  X(PJRT_LoadedExecutable_Destroy)       \
  X(PJRT_LoadedExecutable_GetExecutable) \
  X(PJRT_LoadedExecutable_Execute)       \
  X(PJRT_Buffer_Destroy)                 \
  X(PJRT_Buffer_ToHostBuffer)

static int32_t say(assay_reason_t *reason, int32_t code, const char *text) {
  snprintf(reason->text, reason->text_bytes, "%s", text);
  return code;
}

/* The beginning of the table has to be there before its version can be read. */
static int32_t check_version(const PJRT_Api *api, assay_reason_t *reason) {
  size_t head = offsetof(PJRT_Api, PJRT_Error_Destroy);
  if (api->struct_size < head) {
    g_autofree char *text = g_strdup_printf(
        "its PJRT table says that it has %zu bytes, where the version alone ends at byte %zu",
        api->struct_size, head);
    return say(reason, ASSAY_EXECUTOR_FAILED, text);
  }
  const PJRT_Api_Version *version = &api->pjrt_api_version;
  if (version->major_version == PJRT_API_MAJOR) return ASSAY_EXECUTOR_OK;
  g_autofree char *text = g_strdup_printf(
      "it speaks PJRT %d.%d, this Assay speaks %d.%d: another first number is another interface",
      version->major_version, version->minor_version, PJRT_API_MAJOR, PJRT_API_MINOR);
  return say(reason, ASSAY_EXECUTOR_FAILED, text);
}

static int32_t check_functions(const PJRT_Api *api, assay_reason_t *reason) {
  const char *missing = NULL;
#define CHECK(function) \
  if (missing == NULL && !PJRT_HAS(api, function)) missing = #function;
  REQUIRED(CHECK)
#undef CHECK
  if (missing == NULL) return ASSAY_EXECUTOR_OK;
  g_autofree char *text = g_strdup_printf(
      "its PJRT table (version %d.%d, %zu bytes) has no %s(), which this Assay needs (built with "
      "version %d.%d, %zu bytes)",
      api->pjrt_api_version.major_version, api->pjrt_api_version.minor_version, api->struct_size,
      missing, PJRT_API_MAJOR, PJRT_API_MINOR, (size_t)PJRT_Api_STRUCT_SIZE);
  return say(reason, ASSAY_EXECUTOR_FAILED, text);
}

static int32_t initialize(const PJRT_Api *api, assay_reason_t *reason) {
  if (!PJRT_HAS(api, PJRT_Plugin_Initialize)) return ASSAY_EXECUTOR_OK; /* Older ones have none. */
  PJRT_Plugin_Initialize_Args args = {.struct_size = PJRT_Plugin_Initialize_Args_STRUCT_SIZE};
  return pjrt_take_error(api, api->PJRT_Plugin_Initialize(&args), "PJRT_Plugin_Initialize", reason);
}

int32_t pjrt_library_open(const char *path, const PJRT_Api **out_api, assay_reason_t *reason) {
  const char *why = NULL;
  void *library = dso_load(path, &why);
  if (library == NULL) {
    g_autofree char *text = g_strconcat("it does not load: ", why, NULL);
    return say(reason, dso_is_object(path) ? ASSAY_EXECUTOR_FAILED : ASSAY_EXECUTOR_INVALID, text);
  }
  /* POSIX has dlsym() return functions as objects; ISO C has no cast for that. */
  union {
    void *object;
    const PJRT_Api *(*function)(void);
  } symbol = {.object = dso_find(library, "GetPjrtApi")};
  if (symbol.object == NULL) {
    return say(reason, ASSAY_EXECUTOR_INVALID,
               "it exports no GetPjrtApi(): it is no PJRT plugin (a backend of Assay's own ABI is "
               "dso:PATH)");
  }
  const PJRT_Api *api = symbol.function();
  if (api == NULL) return say(reason, ASSAY_EXECUTOR_FAILED, "its GetPjrtApi() gives no table");
  int32_t code = check_version(api, reason);
  if (code == ASSAY_EXECUTOR_OK) code = check_functions(api, reason);
  if (code == ASSAY_EXECUTOR_OK) code = initialize(api, reason);
  if (code == ASSAY_EXECUTOR_OK) *out_api = api;
  return code;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static const char *code_name(PJRT_Error_Code code) {
  static const char *const names[] = {
      [PJRT_Error_Code_CANCELLED] = "CANCELLED",
      [PJRT_Error_Code_UNKNOWN] = "UNKNOWN",
      [PJRT_Error_Code_INVALID_ARGUMENT] = "INVALID_ARGUMENT",
      [PJRT_Error_Code_DEADLINE_EXCEEDED] = "DEADLINE_EXCEEDED",
      [PJRT_Error_Code_NOT_FOUND] = "NOT_FOUND",
      [PJRT_Error_Code_ALREADY_EXISTS] = "ALREADY_EXISTS",
      [PJRT_Error_Code_PERMISSION_DENIED] = "PERMISSION_DENIED",
      [PJRT_Error_Code_RESOURCE_EXHAUSTED] = "RESOURCE_EXHAUSTED",
      [PJRT_Error_Code_FAILED_PRECONDITION] = "FAILED_PRECONDITION",
      [PJRT_Error_Code_ABORTED] = "ABORTED",
      [PJRT_Error_Code_OUT_OF_RANGE] = "OUT_OF_RANGE",
      [PJRT_Error_Code_UNIMPLEMENTED] = "UNIMPLEMENTED",
      [PJRT_Error_Code_INTERNAL] = "INTERNAL",
      [PJRT_Error_Code_UNAVAILABLE] = "UNAVAILABLE",
      [PJRT_Error_Code_DATA_LOSS] = "DATA_LOSS",
      [PJRT_Error_Code_UNAUTHENTICATED] = "UNAUTHENTICATED",
  };
  size_t place = (size_t)code;
  return place < G_N_ELEMENTS(names) && names[place] != NULL ? names[place] : "an unknown code";
}

void pjrt_drop_error(const PJRT_Api *api, PJRT_Error *error) {
  if (error == NULL) return;
  PJRT_Error_Destroy_Args args = {.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE,
                                  .error = error};
  api->PJRT_Error_Destroy(&args);
}

/* Says what the error says, and frees it; its code. */
static PJRT_Error_Code explain(const PJRT_Api *api, PJRT_Error *error, const char *what,
                               assay_reason_t *reason) {
  PJRT_Error_GetCode_Args code = {.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE,
                                  .error = error,
                                  .code = PJRT_Error_Code_UNKNOWN};
  pjrt_drop_error(api, api->PJRT_Error_GetCode(&code));
  PJRT_Error_Message_Args message = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE,
                                     .error = error};
  api->PJRT_Error_Message(&message);
  size_t size = message.message == NULL ? 0 : MIN(message.message_size, reason->text_bytes);
  snprintf(reason->text, reason->text_bytes, "%s: %s: %.*s", what, code_name(code.code), (int)size,
           message.message == NULL ? "" : message.message);
  pjrt_drop_error(api, error);
  return code.code;
}

int32_t pjrt_take_error(const PJRT_Api *api, PJRT_Error *error, const char *what,
                        assay_reason_t *reason) {
  if (error == NULL) return ASSAY_EXECUTOR_OK;
  PJRT_Error_Code code = explain(api, error, what, reason);
  return code == PJRT_Error_Code_UNIMPLEMENTED ? ASSAY_EXECUTOR_UNSUPPORTED : ASSAY_EXECUTOR_FAILED;
}

int32_t pjrt_take_compile_error(const PJRT_Api *api, PJRT_Error *error, assay_reason_t *reason) {
  if (error == NULL) return ASSAY_EXECUTOR_OK;
  switch (explain(api, error, "it does not compile", reason)) {
    case PJRT_Error_Code_UNIMPLEMENTED:
    case PJRT_Error_Code_INVALID_ARGUMENT:
      return ASSAY_EXECUTOR_UNSUPPORTED;
    case PJRT_Error_Code_UNKNOWN: /* What MLIR's parser, verifiers and passes say has this code. */
      return strstr(reason->text, " error: ") != NULL ? ASSAY_EXECUTOR_UNSUPPORTED
                                                      : ASSAY_EXECUTOR_FAILED;
    default:
      return ASSAY_EXECUTOR_FAILED;
  }
}

int32_t pjrt_await(const PJRT_Api *api, PJRT_Event *event, const char *what,
                   assay_reason_t *reason) {
  if (event == NULL) return ASSAY_EXECUTOR_OK;
  PJRT_Event_Await_Args await = {.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE, .event = event};
  int32_t code = pjrt_take_error(api, api->PJRT_Event_Await(&await), what, reason);
  PJRT_Event_Destroy_Args destroy = {.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE,
                                     .event = event};
  pjrt_drop_error(api, api->PJRT_Event_Destroy(&destroy));
  return code;
}
