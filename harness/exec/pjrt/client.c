/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a client of a PJRT plugin with the create options of the executor's name, and describes the
 * plugin, its versions and the device. */
#include "harness/exec/pjrt/client.h"

#include <stdio.h>
#include <string.h>

/* The plugin's text, which need not end; freed by the caller. */
static char *copy_text(const char *text, size_t size) {
  return text == NULL ? g_strdup("") : g_strndup(text, size);
}

/* "AMD EPYC 9R14", or "unknown processor"; freed by the caller. */
static char *processor_name(void) {
  static const char key[] = "\nmodel name\t: ";
  g_autofree char *text = NULL;
  if (!g_file_get_contents("/proc/cpuinfo", &text, NULL, NULL)) text = g_strdup("");
  const char *name = strstr(text, key);
  if (name == NULL) return g_strdup("unknown processor");
  name += strlen(key);
  return g_strndup(name, strcspn(name, "\n"));
}

static int32_t create_client(pjrt_client_t *self, assay_reason_t *reason) {
  PJRT_Client_Create_Args args = {
      .struct_size = PJRT_Client_Create_Args_STRUCT_SIZE,
      .create_options = (const PJRT_NamedValue *)(const void *)self->options.create->data,
      .num_options = self->options.create->len};
  int32_t code = pjrt_take_error(self->api, self->api->PJRT_Client_Create(&args),
                                 "it makes no client", reason);
  if (code == ASSAY_EXECUTOR_OK) self->client = args.client;
  return code;
}

static int32_t find_devices(pjrt_client_t *self, assay_reason_t *reason) {
  PJRT_Client_AddressableDevices_Args args = {
      .struct_size = PJRT_Client_AddressableDevices_Args_STRUCT_SIZE, .client = self->client};
  int32_t code = pjrt_take_error(self->api, self->api->PJRT_Client_AddressableDevices(&args),
                                 "it names no devices", reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  self->devices = args.addressable_devices;
  self->device_count = args.num_addressable_devices;
  if (self->options.device < self->device_count) return ASSAY_EXECUTOR_OK;
  snprintf(reason->text, reason->text_bytes, "device=%u: the client has %zu devices",
           self->options.device, self->device_count);
  return self->device_count == 0 ? ASSAY_EXECUTOR_FAILED : ASSAY_EXECUTOR_INVALID;
}

static int32_t describe_device(const pjrt_client_t *self, PJRT_Device *device,
                               PJRT_DeviceDescription **out_description, assay_reason_t *reason) {
  PJRT_Device_GetDescription_Args args = {
      .struct_size = PJRT_Device_GetDescription_Args_STRUCT_SIZE, .device = device};
  int32_t code = pjrt_take_error(self->api, self->api->PJRT_Device_GetDescription(&args),
                                 "it does not describe a device", reason);
  if (code == ASSAY_EXECUTOR_OK) *out_description = args.device_description;
  return code;
}

int32_t pjrt_device_id(const pjrt_client_t *self, PJRT_Device *device, int64_t *out_id,
                       assay_reason_t *reason) {
  PJRT_DeviceDescription *description = NULL;
  int32_t code = describe_device(self, device, &description, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  PJRT_DeviceDescription_Id_Args args = {.struct_size = PJRT_DeviceDescription_Id_Args_STRUCT_SIZE,
                                         .device_description = description};
  code = pjrt_take_error(self->api, self->api->PJRT_DeviceDescription_Id(&args),
                         "a device has no number", reason);
  *out_id = args.id;
  return code;
}

/* "NVIDIA H100 80GB HBM3, 2 devices" */
static int32_t describe_hardware(pjrt_client_t *self, assay_reason_t *reason) {
  PJRT_DeviceDescription *description = NULL;
  int32_t code = describe_device(self, self->devices[self->options.device], &description, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  PJRT_DeviceDescription_Kind_Args args = {
      .struct_size = PJRT_DeviceDescription_Kind_Args_STRUCT_SIZE,
      .device_description = description};
  code = pjrt_take_error(self->api, self->api->PJRT_DeviceDescription_Kind(&args),
                         "a device has no kind", reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  g_autofree char *kind = copy_text(args.device_kind, args.device_kind_size);
  g_autofree char *processor = processor_name();
  bool is_processor = g_ascii_strcasecmp(kind, "cpu") == 0;
  self->hardware = g_strdup_printf("%s%s%s, %zu device%s", kind, is_processor ? ", " : "",
                                   is_processor ? processor : "", self->device_count,
                                   self->device_count == 1 ? "" : "s");
  return ASSAY_EXECUTOR_OK;
}

/* Appends ", KEY 1.2.3" for a version among the plugin's attributes. */
static void append_attribute(GString *text, const PJRT_NamedValue *value) {
  static const char *const wanted[][2] = {{"xla_version", "XLA"},
                                          {"stablehlo_current_version", "StableHLO"}};
  for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
    bool is_it = value->name_size == strlen(wanted[i][0]) &&
                 memcmp(value->name, wanted[i][0], value->name_size) == 0;
    if (!is_it) continue;
    if (value->type == PJRT_NamedValue_kInt64) {
      g_string_append_printf(text, ", %s %" G_GINT64_FORMAT, wanted[i][1], value->int64_value);
    } else if (value->type == PJRT_NamedValue_kInt64List) {
      g_string_append_printf(text, ", %s", wanted[i][1]);
      for (size_t n = 0; n < value->value_size; n++) {
        g_string_append_printf(text, "%c%" G_GINT64_FORMAT, n == 0 ? ' ' : '.',
                               value->int64_array_value[n]);
      }
    }
  }
}

static void append_attributes(GString *text, const PJRT_Api *api) {
  if (!PJRT_HAS(api, PJRT_Plugin_Attributes)) return;
  PJRT_Plugin_Attributes_Args args = {.struct_size = PJRT_Plugin_Attributes_Args_STRUCT_SIZE};
  PJRT_Error *error = api->PJRT_Plugin_Attributes(&args);
  if (error == NULL) {
    /* Attributes of a newer plugin may be longer than ours: each says how long it is. */
    const char *next = (const char *)args.attributes;
    for (size_t i = 0; i < args.num_attributes; i++) {
      const PJRT_NamedValue *value = (const PJRT_NamedValue *)(const void *)next;
      if (value->struct_size < PJRT_NamedValue_STRUCT_SIZE) break;
      append_attribute(text, value);
      next += MAX(value->struct_size, sizeof *value);
    }
  }
  pjrt_drop_error(api, error);
}

static int32_t describe_plugin(pjrt_client_t *self, assay_reason_t *reason) {
  const PJRT_Api *api = self->api;
  PJRT_Client_PlatformName_Args name = {.struct_size = PJRT_Client_PlatformName_Args_STRUCT_SIZE,
                                        .client = self->client};
  int32_t code =
      pjrt_take_error(api, api->PJRT_Client_PlatformName(&name), "it has no name", reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  PJRT_Client_PlatformVersion_Args version = {
      .struct_size = PJRT_Client_PlatformVersion_Args_STRUCT_SIZE, .client = self->client};
  code =
      pjrt_take_error(api, api->PJRT_Client_PlatformVersion(&version), "it has no version", reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  g_autofree char *platform = copy_text(name.platform_name, name.platform_name_size);
  g_autofree char *release = copy_text(version.platform_version, version.platform_version_size);
  self->name = g_strconcat("pjrt:", platform, NULL);
  GString *text = g_string_new(release);
  g_string_append_printf(text, ", PJRT %d.%d", api->pjrt_api_version.major_version,
                         api->pjrt_api_version.minor_version);
  append_attributes(text, api);
  if (self->options.text[0] != '\0') g_string_append_printf(text, ", %s", self->options.text);
  self->version = g_string_free(text, FALSE);
  return ASSAY_EXECUTOR_OK;
}

static int32_t open_client(pjrt_client_t *self, assay_reason_t *reason) {
  int32_t code = pjrt_library_open(self->options.path, &self->api, reason);
  if (code == ASSAY_EXECUTOR_OK) code = create_client(self, reason);
  if (code == ASSAY_EXECUTOR_OK) code = find_devices(self, reason);
  if (code == ASSAY_EXECUTOR_OK) code = describe_hardware(self, reason);
  if (code == ASSAY_EXECUTOR_OK) code = describe_plugin(self, reason);
  return code;
}

int32_t pjrt_client_open(const char *options, void **out_self, assay_reason_t *reason) {
  pjrt_options_t parsed;
  int32_t code = pjrt_options_parse(options, &parsed, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  pjrt_client_t *self = g_new0(pjrt_client_t, 1);
  self->options = parsed;
  code = open_client(self, reason);
  if (code == ASSAY_EXECUTOR_OK) {
    *out_self = self;
  } else {
    pjrt_client_close(self);
  }
  return code;
}

void pjrt_client_close(void *self) {
  pjrt_client_t *client = self;
  if (client->client != NULL) {
    PJRT_Client_Destroy_Args args = {.struct_size = PJRT_Client_Destroy_Args_STRUCT_SIZE,
                                     .client = client->client};
    pjrt_drop_error(client->api, client->api->PJRT_Client_Destroy(&args));
  }
  pjrt_options_free(&client->options);
  g_free(client->name);
  g_free(client->version);
  g_free(client->hardware);
  g_free(client);
}

const char *pjrt_client_name(void *self) { return ((const pjrt_client_t *)self)->name; }

const char *pjrt_client_version(void *self) { return ((const pjrt_client_t *)self)->version; }

const char *pjrt_client_hardware(void *self) { return ((const pjrt_client_t *)self)->hardware; }
