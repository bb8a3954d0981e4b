/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a CompileOptionsProto in protobuf's wire format, field by field.
 *
 * These are all the messages that it takes, with the numbers that XLA's .proto files give their
 * fields; a library would bring a compiler of its own and the schema of all of XLA for them.
 *
 *   CompileOptionsProto: 3 executable_build_options, 7 env_option_overrides (a map)
 *   ExecutableBuildOptionsProto: 1 device_ordinal, 4 num_replicas, 5 num_partitions,
 *     6 use_spmd_partitioning, 9 device_assignment, 19 use_shardy_partitioner
 *   DeviceAssignmentProto: 1 replica_count, 2 computation_count, 3 computation_devices (one message
 *     for each partition, whose field 1 has the devices of the replicas)
 *   OptionOverrideProto: 1 string_field, 2 bool_field, 3 int_field, 4 double_field */
#include "harness/exec/pjrt/compile_options.h"

#include <string.h>

typedef enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 } wire_type_t;

static void put_varint(GByteArray *out, uint64_t value) {
  do {
    guint8 byte = (guint8)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    g_byte_array_append(out, &byte, 1);
    value >>= 7;
  } while (value != 0);
}

static void put_tag(GByteArray *out, uint32_t field, wire_type_t type) {
  put_varint(out, (uint64_t)field << 3 | type);
}

static void put_integer(GByteArray *out, uint32_t field, int64_t value) {
  put_tag(out, field, WIRE_VARINT);
  put_varint(out, (uint64_t)value);
}

static void put_double(GByteArray *out, uint32_t field, double value) {
  put_tag(out, field, WIRE_FIXED64);
  guint8 bytes[sizeof value];
  memcpy(bytes, &value, sizeof value); /* Little-endian, as our machines are. */
  g_byte_array_append(out, bytes, sizeof bytes);
}

static void put_bytes(GByteArray *out, uint32_t field, const void *data, size_t size) {
  put_tag(out, field, WIRE_BYTES);
  put_varint(out, size);
  g_byte_array_append(out, data, (guint)size);
}

static void put_text(GByteArray *out, uint32_t field, const char *text) {
  put_bytes(out, field, text, strlen(text));
}

/* Frees the message. */
static void put_message(GByteArray *out, uint32_t field, GByteArray *message) {
  put_bytes(out, field, message->data, message->len);
  g_byte_array_unref(message);
}

static GByteArray *device_assignment(const pjrt_compile_options_t *options) {
  GByteArray *out = g_byte_array_new();
  put_integer(out, 1, options->replicas);
  put_integer(out, 2, options->partitions);
  for (uint32_t partition = 0; partition < options->partitions; partition++) {
    GByteArray *ids = g_byte_array_new();
    for (uint32_t replica = 0; replica < options->replicas; replica++) {
      put_varint(ids, (uint64_t)options->device_ids[replica * options->partitions + partition]);
    }
    GByteArray *devices = g_byte_array_new();
    put_message(devices, 1, ids);
    put_message(out, 3, devices);
  }
  return out;
}

static GByteArray *build_options(const pjrt_compile_options_t *options) {
  GByteArray *out = g_byte_array_new();
  put_integer(out, 1, -1); /* No device but those that are assigned. */
  put_integer(out, 4, options->replicas);
  put_integer(out, 5, options->partitions);
  if (options->partitions > 1) put_integer(out, 6, 1);
  put_message(out, 9, device_assignment(options));
  return out;
}

static GByteArray *override_entry(const pjrt_override_t *override) {
  GByteArray *value = g_byte_array_new();
  switch (override->kind) {
    case PJRT_OVERRIDE_BOOL:
      put_integer(value, 2, override->truth ? 1 : 0);
      break;
    case PJRT_OVERRIDE_INTEGER:
      put_integer(value, 3, override->integer);
      break;
    case PJRT_OVERRIDE_FLOAT:
      put_double(value, 4, override->number);
      break;
    case PJRT_OVERRIDE_TEXT:
    default:
      put_text(value, 1, override->text);
      break;
  }
  GByteArray *out = g_byte_array_new();
  put_text(out, 1, override->key);
  put_message(out, 2, value);
  return out;
}

GByteArray *pjrt_compile_options_encode(const pjrt_compile_options_t *options) {
  GByteArray *out = g_byte_array_new();
  put_message(out, 3, build_options(options));
  for (size_t i = 0; i < options->override_count; i++) {
    put_message(out, 7, override_entry(&options->overrides[i]));
  }
  return out;
}
