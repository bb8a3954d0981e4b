/* SPDX-License-Identifier: Apache-2.0 */
/* A PJRT plugin of one device that compiles everything and adds up the f32 numbers of its first
 * operand and the one of its second: what the plugins of these tests share.  It looks at every
 * struct that it is given, and counts what it makes: whoever destroys the client while something of
 * it is left is told so by SIGABRT.  Create option fault=NAME plants a fault. */
#ifndef ASSAY_TESTS_EXEC_PJRT_FAKE_H
#define ASSAY_TESTS_EXEC_PJRT_FAKE_H

#include <pjrt_c_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whatever the interface leaves to us. */
struct PJRT_Error {
  PJRT_Error_Code code;
  const char *text;
};
struct PJRT_Event {
  const char *error; /* NULL: it happens without one. */
};
struct PJRT_Buffer {
  float *numbers;
  size_t count;
};
struct PJRT_LoadedExecutable {
  size_t output_count;
};
struct PJRT_Executable {
  size_t output_count;
};
struct PJRT_Client {
  char fault[32];
};
struct PJRT_Device {
  int id;
};
struct PJRT_DeviceDescription {
  int id;
};

static struct PJRT_Client fake_client;
static struct PJRT_Device fake_device;
static struct PJRT_DeviceDescription fake_description;
static int fake_alive; /* Objects that nobody destroyed yet. */

static int fake_has_fault(const char *name) { return strcmp(fake_client.fault, name) == 0; }

static void *fake_new(size_t bytes) {
  fake_alive++;
  return calloc(1, bytes);
}

static void fake_free(void *object) {
  if (object != NULL) fake_alive--;
  free(object);
}

static PJRT_Error *fake_error(PJRT_Error_Code code, const char *text) {
  PJRT_Error *error = fake_new(sizeof *error);
  error->code = code;
  error->text = text;
  return error;
}

/* The first thing that every function does.  Fields of our own version must be there. */
#define FAKE_CHECK(name)                                                              \
  if (args->struct_size < name##_Args_STRUCT_SIZE || args->extension_start != NULL) { \
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,                               \
                      #name "_Args of another size than I know");                     \
  }

static PJRT_Event *fake_event(const char *error) {
  PJRT_Event *event = fake_new(sizeof *event);
  event->error = error;
  return event;
}

/* ---- Errors and events ----------------------------------------------------------------------- */

static void fake_error_destroy(PJRT_Error_Destroy_Args *args) { fake_free(args->error); }

static void fake_error_message(PJRT_Error_Message_Args *args) {
  args->message = args->error->text;
  args->message_size = strlen(args->error->text);
}

static PJRT_Error *fake_error_code(PJRT_Error_GetCode_Args *args) {
  args->code = args->error->code;
  return NULL;
}

static PJRT_Error *fake_event_destroy(PJRT_Event_Destroy_Args *args) {
  FAKE_CHECK(PJRT_Event_Destroy)
  fake_free(args->event);
  return NULL;
}

static PJRT_Error *fake_event_await(PJRT_Event_Await_Args *args) {
  FAKE_CHECK(PJRT_Event_Await)
  const char *error = args->event->error;
  return error == NULL ? NULL : fake_error(PJRT_Error_Code_DATA_LOSS, error);
}

/* ---- Plugin, client and device --------------------------------------------------------------- */

static PJRT_Error *fake_initialize(PJRT_Plugin_Initialize_Args *args) {
  FAKE_CHECK(PJRT_Plugin_Initialize)
  return NULL;
}

static PJRT_Error *fake_attributes(PJRT_Plugin_Attributes_Args *args) {
  FAKE_CHECK(PJRT_Plugin_Attributes)
  static const int64_t version[] = {1, 14, 3};
  static const PJRT_NamedValue values[] = {{.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                                            .name = "xla_version",
                                            .name_size = 11,
                                            .type = PJRT_NamedValue_kInt64,
                                            .int64_value = 2,
                                            .value_size = 1},
                                           {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                                            .name = "stablehlo_current_version",
                                            .name_size = 25,
                                            .type = PJRT_NamedValue_kInt64List,
                                            .int64_array_value = version,
                                            .value_size = 3}};
  args->attributes = values;
  args->num_attributes = 2;
  return NULL;
}

/* The options that the tests give, each of the type that its name says. */
static PJRT_Error *fake_take_option(const PJRT_NamedValue *option) {
  char name[32];
  snprintf(name, sizeof name, "%.*s", (int)option->name_size, option->name);
  if (strcmp(name, "fault") == 0 && option->type == PJRT_NamedValue_kString) {
    snprintf(fake_client.fault, sizeof fake_client.fault, "%.*s", (int)option->value_size,
             option->string_value);
    return NULL;
  }
  int is_right =
      (strcmp(name, "text_5") == 0 && option->type == PJRT_NamedValue_kString &&
       option->value_size == 1 && option->string_value[0] == '5') ||
      (strcmp(name, "integer_5") == 0 && option->type == PJRT_NamedValue_kInt64 &&
       option->int64_value == 5) ||
      (strcmp(name, "number_half") == 0 && option->type == PJRT_NamedValue_kFloat &&
       option->float_value == 0.5f) ||
      (strcmp(name, "number_5") == 0 && option->type == PJRT_NamedValue_kFloat &&
       option->float_value == 5) ||
      (strcmp(name, "truth") == 0 && option->type == PJRT_NamedValue_kBool && option->bool_value) ||
      (strcmp(name, "list_3_minus_4") == 0 && option->type == PJRT_NamedValue_kInt64List &&
       option->value_size == 2 && option->int64_array_value[0] == 3 &&
       option->int64_array_value[1] == -4);
  return is_right ? NULL
                  : fake_error(PJRT_Error_Code_INVALID_ARGUMENT, "an option of another type");
}

static PJRT_Error *fake_client_create(PJRT_Client_Create_Args *args) {
  FAKE_CHECK(PJRT_Client_Create)
  for (size_t i = 0; i < args->num_options; i++) {
    PJRT_Error *error = fake_take_option(&args->create_options[i]);
    if (error != NULL) return error;
  }
  if (fake_has_fault("client")) return fake_error(PJRT_Error_Code_UNAVAILABLE, "no device is free");
  fake_alive++;
  args->client = &fake_client;
  return NULL;
}

static PJRT_Error *fake_client_destroy(PJRT_Client_Destroy_Args *args) {
  FAKE_CHECK(PJRT_Client_Destroy)
  fake_alive--;
  if (fake_alive == 0) return NULL;
  fprintf(stderr, "%d objects are left\n", fake_alive);
  abort();
}

static PJRT_Error *fake_name(PJRT_Client_PlatformName_Args *args) {
  FAKE_CHECK(PJRT_Client_PlatformName)
  args->platform_name = "fakeX"; /* Without an end. */
  args->platform_name_size = 4;
  return NULL;
}

static PJRT_Error *fake_version(PJRT_Client_PlatformVersion_Args *args) {
  FAKE_CHECK(PJRT_Client_PlatformVersion)
  args->platform_version = "1.5";
  args->platform_version_size = 3;
  return NULL;
}

static PJRT_Error *fake_devices(PJRT_Client_AddressableDevices_Args *args) {
  FAKE_CHECK(PJRT_Client_AddressableDevices)
  static PJRT_Device *const devices[] = {&fake_device};
  args->addressable_devices = devices;
  args->num_addressable_devices = fake_has_fault("devices") ? 0 : 1;
  return NULL;
}

static PJRT_Error *fake_describe(PJRT_Device_GetDescription_Args *args) {
  FAKE_CHECK(PJRT_Device_GetDescription)
  args->device_description = &fake_description;
  return NULL;
}

static PJRT_Error *fake_device_id(PJRT_DeviceDescription_Id_Args *args) {
  FAKE_CHECK(PJRT_DeviceDescription_Id)
  args->id = 7;
  return NULL;
}

static PJRT_Error *fake_device_kind(PJRT_DeviceDescription_Kind_Args *args) {
  FAKE_CHECK(PJRT_DeviceDescription_Kind)
  args->device_kind = "abacus";
  args->device_kind_size = 6;
  return NULL;
}

/* ---- Compiling ------------------------------------------------------------------------------- */

static void *fake_crash(void *nothing) {
  (void)nothing;
  volatile int *nowhere = NULL;
  *nowhere = 1;
  return NULL;
}

static void *fake_leave(void *nothing) {
  (void)nothing;
  _exit(3);
}

/* Runs in a thread of ours, until that ends the process. */
static _Noreturn void fake_run_thread(void *(*function)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  for (;;) pause();
}

/* Compile options for the one device, number 7, and nothing else: field 3 has an ordinal of -1, a
 * replica, a partition and the assignment. */
static int fake_is_plain(const PJRT_Client_Compile_Args *args) {
  static const unsigned char plain[] = {0x1a, 26,   0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                        0xff, 0xff, 0x01, 0x20, 0x01, 0x28, 0x01, 0x4a, 9,    0x08,
                                        0x01, 0x10, 0x01, 0x1a, 3,    0x0a, 1,    7};
  return args->compile_options_size == sizeof plain &&
         memcmp(args->compile_options, plain, sizeof plain) == 0;
}

static PJRT_Error *fake_compile(PJRT_Client_Compile_Args *args) {
  FAKE_CHECK(PJRT_Client_Compile)
  const PJRT_Program *program = args->program;
  int is_text = program->format_size == 4 && memcmp(program->format, "mlir", 4) == 0 &&
                program->code_size > 6 && memcmp(program->code, "module", 6) == 0 &&
                memchr(program->code, '\0', program->code_size) == NULL;
  if (!is_text) return fake_error(PJRT_Error_Code_INVALID_ARGUMENT, "no text of a module");
  if (!fake_is_plain(args)) return fake_error(PJRT_Error_Code_INTERNAL, "other compile options");
  if (fake_has_fault("unimplemented")) {
    return fake_error(PJRT_Error_Code_UNIMPLEMENTED, "no sums of 4");
  }
  if (fake_has_fault("invalid")) {
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT, "not this\nnor that");
  }
  if (fake_has_fault("parser")) {
    return fake_error(PJRT_Error_Code_UNKNOWN, "-:3:5: error: what is a module?");
  }
  if (fake_has_fault("unknown")) return fake_error(PJRT_Error_Code_UNKNOWN, "something");
  if (fake_has_fault("internal")) return fake_error(PJRT_Error_Code_INTERNAL, "RET_CHECK failed");
  if (fake_has_fault("strange")) return fake_error((PJRT_Error_Code)99, "a code of the future");
  if (fake_has_fault("hang")) {
    for (;;) pause();
  }
  if (fake_has_fault("thread_crash")) fake_run_thread(fake_crash);
  if (fake_has_fault("thread_exit")) fake_run_thread(fake_leave);
  args->executable = NULL;
  if (fake_has_fault("nothing")) return NULL;
  args->executable = fake_new(sizeof *args->executable);
  args->executable->output_count = fake_has_fault("outputs") ? 2 : 1;
  return NULL;
}

static PJRT_Error *fake_loaded_destroy(PJRT_LoadedExecutable_Destroy_Args *args) {
  FAKE_CHECK(PJRT_LoadedExecutable_Destroy)
  fake_free(args->executable);
  return NULL;
}

static PJRT_Error *fake_get_executable(PJRT_LoadedExecutable_GetExecutable_Args *args) {
  FAKE_CHECK(PJRT_LoadedExecutable_GetExecutable)
  args->executable = fake_new(sizeof *args->executable);
  args->executable->output_count = args->loaded_executable->output_count;
  return NULL;
}

static PJRT_Error *fake_executable_destroy(PJRT_Executable_Destroy_Args *args) {
  FAKE_CHECK(PJRT_Executable_Destroy)
  fake_free(args->executable);
  return NULL;
}

static PJRT_Error *fake_output_count(PJRT_Executable_NumOutputs_Args *args) {
  FAKE_CHECK(PJRT_Executable_NumOutputs)
  args->num_outputs = args->executable->output_count;
  return NULL;
}

static PJRT_Error *fake_output_types(PJRT_Executable_OutputElementTypes_Args *args) {
  FAKE_CHECK(PJRT_Executable_OutputElementTypes)
  static PJRT_Buffer_Type type;
  if (fake_has_fault("types_error")) return fake_error(PJRT_Error_Code_UNIMPLEMENTED, "untold");
  type = fake_has_fault("types") ? PJRT_Buffer_Type_S32 : PJRT_Buffer_Type_F32;
  args->output_types = &type;
  args->num_output_types = 1;
  return NULL;
}

/* ---- Running --------------------------------------------------------------------------------- */

static PJRT_Error *fake_buffer_from_host(PJRT_Client_BufferFromHostBuffer_Args *args) {
  FAKE_CHECK(PJRT_Client_BufferFromHostBuffer)
  if (fake_has_fault("operand")) {
    return fake_error(PJRT_Error_Code_RESOURCE_EXHAUSTED, "out of beads");
  }
  int is_expected =
      args->type == PJRT_Buffer_Type_F32 && args->num_byte_strides == 0 &&
      args->device == &fake_device && args->memory == NULL &&
      args->host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  if (!is_expected) return fake_error(PJRT_Error_Code_INVALID_ARGUMENT, "another buffer");
  PJRT_Buffer *buffer = fake_new(sizeof *buffer);
  buffer->count = 1;
  for (size_t i = 0; i < args->num_dims; i++) buffer->count *= (size_t)args->dims[i];
  buffer->numbers = malloc(buffer->count * sizeof(float));
  memcpy(buffer->numbers, args->data, buffer->count * sizeof(float));
  args->buffer = buffer;
  args->done_with_host_buffer =
      fake_event(fake_has_fault("operand_event") ? "a bead fell off" : NULL);
  return NULL;
}

static PJRT_Error *fake_execute(PJRT_LoadedExecutable_Execute_Args *args) {
  FAKE_CHECK(PJRT_LoadedExecutable_Execute)
  if (args->options->struct_size < PJRT_ExecuteOptions_STRUCT_SIZE || args->num_devices != 1 ||
      args->num_args != 2) {
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT, "another execution");
  }
  if (fake_has_fault("execute")) return fake_error(PJRT_Error_Code_INTERNAL, "the frame broke");
  PJRT_Buffer *const *operands = args->argument_lists[0];
  PJRT_Buffer *sum = fake_new(sizeof *sum);
  sum->count = 1;
  sum->numbers = malloc(sizeof(float));
  sum->numbers[0] = operands[1]->numbers[0];
  for (size_t i = 0; i < operands[0]->count; i++) sum->numbers[0] += operands[0]->numbers[i];
  args->output_lists[0][0] = sum;
  if (args->device_complete_events != NULL) {
    args->device_complete_events[0] =
        fake_event(fake_has_fault("execute_event") ? "a bead is stuck" : NULL);
  }
  return NULL;
}

static PJRT_Error *fake_to_host(PJRT_Buffer_ToHostBuffer_Args *args) {
  FAKE_CHECK(PJRT_Buffer_ToHostBuffer)
  if (fake_has_fault("result")) return fake_error(PJRT_Error_Code_INTERNAL, "nobody can read this");
  size_t bytes = args->src->count * sizeof(float);
  const PJRT_Buffer_MemoryLayout *layout = args->host_layout;
  int is_row_major = layout != NULL && layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled &&
                     layout->tiled.minor_to_major_size == 0 && layout->tiled.num_tiles == 0;
  if (!is_row_major || args->dst == NULL || args->dst_size != bytes) {
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT, "another layout or size");
  }
  memcpy(args->dst, args->src->numbers, bytes);
  if (fake_has_fault("beyond")) memset((char *)args->dst + bytes, 0x77, 8);
  args->event = fake_event(fake_has_fault("result_event") ? "lost on the way" : NULL);
  return NULL;
}

static PJRT_Error *fake_buffer_destroy(PJRT_Buffer_Destroy_Args *args) {
  FAKE_CHECK(PJRT_Buffer_Destroy)
  free(args->buffer->numbers);
  fake_free(args->buffer);
  return NULL;
}

/* ---- The table ------------------------------------------------------------------------------- */

static PJRT_Api fake_table(void) {
  return (PJRT_Api){
      .struct_size = PJRT_Api_STRUCT_SIZE,
      .pjrt_api_version = {.struct_size = PJRT_Api_Version_STRUCT_SIZE,
                           .major_version = PJRT_API_MAJOR,
                           .minor_version = PJRT_API_MINOR},
      .PJRT_Error_Destroy = fake_error_destroy,
      .PJRT_Error_Message = fake_error_message,
      .PJRT_Error_GetCode = fake_error_code,
      .PJRT_Plugin_Initialize = fake_initialize,
      .PJRT_Plugin_Attributes = fake_attributes,
      .PJRT_Event_Destroy = fake_event_destroy,
      .PJRT_Event_Await = fake_event_await,
      .PJRT_Client_Create = fake_client_create,
      .PJRT_Client_Destroy = fake_client_destroy,
      .PJRT_Client_PlatformName = fake_name,
      .PJRT_Client_PlatformVersion = fake_version,
      .PJRT_Client_AddressableDevices = fake_devices,
      .PJRT_Client_Compile = fake_compile,
      .PJRT_Client_BufferFromHostBuffer = fake_buffer_from_host,
      .PJRT_DeviceDescription_Id = fake_device_id,
      .PJRT_DeviceDescription_Kind = fake_device_kind,
      .PJRT_Device_GetDescription = fake_describe,
      .PJRT_Executable_Destroy = fake_executable_destroy,
      .PJRT_Executable_NumOutputs = fake_output_count,
      .PJRT_Executable_OutputElementTypes = fake_output_types,
      .PJRT_LoadedExecutable_Destroy = fake_loaded_destroy,
      .PJRT_LoadedExecutable_GetExecutable = fake_get_executable,
      .PJRT_LoadedExecutable_Execute = fake_execute,
      .PJRT_Buffer_Destroy = fake_buffer_destroy,
      .PJRT_Buffer_ToHostBuffer = fake_to_host,
  };
}

/* Exported by each plugin. */
const PJRT_Api *GetPjrtApi(void);

#endif
