/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: whatever bytes come, case_parse() does not crash, and what it accepts prints
 * back byte for byte.  Lines that break constraints are accepted here too.
 *
 *   cmake --preset fuzz && ninja -C build-fuzz fuzz_case_line
 *   build-fuzz/fuzz_case_line -max_len=400 -dict=fuzz/case_line.dict corpus/found */
#include "harness/model/op.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  arena_t arena;
  arena_init(&arena);
  str_t line = {.data = (const char *)data, .size = size};
  case_t instance;
  const char *violation;
  failure_t error = {.column = 0};
  if (case_parse(line, &arena, &instance, &violation, &error) == STATUS_OK) {
    GString *printed = g_string_sized_new(size);
    case_print(&instance, printed);
    g_assert(printed->len == size && memcmp(printed->str, data, size) == 0);
    g_string_truncate(printed, 0);
    program_print_words(&instance.program, printed);
    g_string_free(printed, TRUE);
  } else {
    g_assert(error.text[0] != '\0' && g_str_is_ascii(error.text));
  }
  arena_deinit(&arena);
  return 0;
}
