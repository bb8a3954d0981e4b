/* SPDX-License-Identifier: Apache-2.0 */
/* Compile options as bytes, against what jaxlib 0.10.2 writes for the same fields, and the module
 * of a collective with several partitions. */
#ifdef ASSAY_HAS_PJRT
#include <glib.h>

#include "harness/exec/pjrt/compile_options.h"
#include "harness/exec/pjrt/spread.h"

static void check_bytes(const pjrt_compile_options_t *options, const char *expected) {
  GByteArray *bytes = pjrt_compile_options_encode(options);
  GString *hex = g_string_new(NULL);
  for (guint i = 0; i < bytes->len; i++) g_string_append_printf(hex, "%02x", bytes->data[i]);
  g_assert_cmpstr(hex->str, ==, expected);
  g_string_free(hex, TRUE);
  g_byte_array_unref(bytes);
}

static void test_one_device(void) {
  const int64_t device = 300; /* A varint of two bytes. */
  const pjrt_compile_options_t options = {.replicas = 1, .partitions = 1, .device_ids = &device};
  check_bytes(&options,
              "1a1b"
              "08ffffffffffffffffff01"
              "2001"
              "2801"
              "4a0a"
              "08011001"
              "1a040a02ac02");
}

static void test_grid(void) {
  const int64_t devices[] = {0, 1, 2, 3, 4, 5};
  const pjrt_compile_options_t options = {.replicas = 2, .partitions = 3, .device_ids = devices};
  check_bytes(&options,
              "1a29"
              "08ffffffffffffffffff01"
              "2002"
              "2803"
              "3001"
              "4a16"
              "08021003"
              "1a040a020003"
              "1a040a020104"
              "1a040a020205");
}

static void test_overrides(void) {
  const int64_t device = 0;
  const pjrt_override_t overrides[] = {
      {.key = "f", .kind = PJRT_OVERRIDE_FLOAT, .number = 1.5},
      {.key = "i", .kind = PJRT_OVERRIDE_INTEGER, .integer = 5},
      {.key = "s", .kind = PJRT_OVERRIDE_TEXT, .text = "x"},
      {.key = "xla_cpu_ftz", .kind = PJRT_OVERRIDE_BOOL, .truth = true}};
  const pjrt_compile_options_t options = {.replicas = 1,
                                          .partitions = 1,
                                          .device_ids = &device,
                                          .overrides = overrides,
                                          .override_count = G_N_ELEMENTS(overrides)};
  check_bytes(&options,
              "1a1a"
              "08ffffffffffffffffff01"
              "2001"
              "2801"
              "4a09"
              "08011001"
              "1a030a0100"
              "3a0e0a0166120921000000000000f83f"
              "3a070a016912021805"
              "3a080a017312030a0178"
              "3a110a0b786c615f6370755f66747a12021001");
}

static assay_program_t all_reduce(const assay_type_t *types, const assay_attribute_t *attributes) {
  return (assay_program_t){
      .struct_size = sizeof(assay_program_t),
      .operand_count = 1,
      .result_count = 1,
      .attribute_count = 2,
      .op = "stablehlo.all_reduce",
      .mlir = "module {\n  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {\n    body\n",
      .operands = types,
      .results = types,
      .attributes = attributes};
}

static void test_partitions(void) {
  const int64_t dims[] = {6, 5};
  const assay_type_t type = {.element = "f32", .dims = dims, .rank = 2};
  const assay_attribute_t attributes[] = {{"replica_groups", "[[0,1]]"}, {"num_partitions", "3"}};
  const assay_program_t program = all_reduce(&type, attributes);
  char text[200] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  pjrt_spread_t spread;
  g_assert_cmpint(pjrt_spread_find(&program, &spread, &reason), ==, ASSAY_EXECUTOR_OK);
  g_assert_cmpuint(spread.replicas, ==, 2);
  g_assert_cmpuint(spread.partitions, ==, 3);
  g_autofree char *module = pjrt_spread_module(&spread, &program);
  g_assert_cmpstr(module, ==,
                  "module {\n  func.func @main(%arg0: tensor<5xf32> {mhlo.sharding = "
                  "\"{manual}\"}) -> (tensor<5xf32> {mhlo.sharding = \"{manual}\"}) {\n    body\n");
}

typedef struct broken_row {
  const char *groups;
  const char *partitions;
  int64_t processes;
  int32_t code;
} broken_row_t;

static const broken_row_t broken_rows[] = {
    {"[[0,1]]", "1", 2, ASSAY_EXECUTOR_OK},
    {"[[1],[0]]", "1", 2, ASSAY_EXECUTOR_OK},
    {"[[0]]", "2", 2, ASSAY_EXECUTOR_OK},
    {"[[0,1]]", "2", 2, ASSAY_EXECUTOR_INVALID},
    {"[[0,0]]", "1", 2, ASSAY_EXECUTOR_INVALID},
    {"[[0]]", "1", 2, ASSAY_EXECUTOR_INVALID},
    {"[[0,-1]]", "1", 2, ASSAY_EXECUTOR_INVALID},
    {"[[0,1]]", "0", 2, ASSAY_EXECUTOR_INVALID},
    {"[[0,1]]", "3", 2, ASSAY_EXECUTOR_INVALID},
    {"[]", "1", 0, ASSAY_EXECUTOR_UNSUPPORTED},
    {"[[0]]", "1", 70000, ASSAY_EXECUTOR_UNSUPPORTED},
};

static void test_broken(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(broken_rows); i++) {
    const broken_row_t *row = &broken_rows[i];
    const int64_t dims[] = {row->processes, 5};
    const assay_type_t type = {.element = "f32", .dims = dims, .rank = 2};
    const assay_attribute_t attributes[] = {{"replica_groups", row->groups},
                                            {"num_partitions", row->partitions}};
    const assay_program_t program = all_reduce(&type, attributes);
    char text[200] = "";
    assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
    pjrt_spread_t spread;
    g_test_message("row %zu", i);
    g_assert_cmpint(pjrt_spread_find(&program, &spread, &reason), ==, row->code);
    g_assert_cmpint(text[0] == '\0', ==, row->code == ASSAY_EXECUTOR_OK);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/pjrt/options/one-device", test_one_device);
  g_test_add_func("/pjrt/options/grid", test_grid);
  g_test_add_func("/pjrt/options/overrides", test_overrides);
  g_test_add_func("/pjrt/spread/partitions", test_partitions);
  g_test_add_func("/pjrt/spread/broken", test_broken);
  return g_test_run();
}

#else
#include "tests/exec/pjrt_absent.h"

int main(int argc, char **argv) { return main_without_pjrt(argc, argv); }
#endif
