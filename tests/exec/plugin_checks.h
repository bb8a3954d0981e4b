/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of plugins share: opening them, and reading results. */
#ifndef ASSAY_TESTS_EXEC_PLUGIN_CHECKS_H
#define ASSAY_TESTS_EXEC_PLUGIN_CHECKS_H

#include "tests/exec/exec_checks.h"

/* NULL, and the test skipped, where the plugin is not built or the processor lacks what is asked.
 */
static inline executor_t *check_open_plugin(const char *name) {
  executor_options_t options = {.plugin_directory = ASSAY_BINARY_DIR "/plugins"};
  executor_t *executor = NULL;
  failure_t error;
  if (executor_open(name, &options, &executor, &error) == STATUS_OK) return executor;
  bool is_absent = strstr(error.text, "there is no executor") != NULL ||
                   strstr(error.text, "on this processor") != NULL;
  if (!is_absent) g_error("%s", error.text);
  g_test_skip(error.text);
  return NULL;
}

/* The value of a pattern in f64, f32, bf16 or an integer type. */
static inline double check_decode(const element_t *element, uint64_t bits) {
  if (element->format == NULL) return (double)element_signed_value(element, bits);
  if (element->bits == 64) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  uint32_t word = (uint32_t)(element->bits == 16 ? bits << 16 : bits);
  float value;
  memcpy(&value, &word, sizeof value);
  return (double)value;
}

static inline double check_load(const tensor_t *tensor, size_t component) {
  const element_t *element = tensor->type.element;
  return check_decode(element, element_load(element, tensor->data, component));
}

#endif
