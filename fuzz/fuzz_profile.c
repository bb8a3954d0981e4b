/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: whatever text comes, profile_parse() does not crash; what it accepts prints back
 * byte for byte, and predicts something. */
#include "harness/identify/profile/profile.h"

enum { TERMS_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void predict(const profile_t *profile) {
  if (profile->term_count > TERMS_MAX) return;
  size_t count = profile->term_count;
  double *left = g_new(double, count + 1);
  double *right = g_new(double, count + 1);
  for (size_t i = 0; i <= count; i++) left[i] = right[i] = (i % 2 == 0 ? 1 : -1) / (double)(i + 1);
  double *scratch = g_new(double, profile_scratch_count(profile) + 1);
  profile_predict(profile, left, profile->right == NULL ? NULL : right, 1, scratch);
  g_free(scratch);
  g_free(right);
  g_free(left);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  arena_t arena;
  arena_init(&arena);
  str_t text = {.data = (const char *)data, .size = size};
  profile_t profile;
  failure_t error = {.column = 0};
  if (profile_parse(text, &arena, &profile, &error) == STATUS_OK) {
    GString *printed = g_string_sized_new(size);
    profile_print(&profile, printed);
    g_assert(printed->len == size && memcmp(printed->str, data, size) == 0);
    g_string_free(printed, TRUE);
    predict(&profile);
  } else {
    g_assert(error.text[0] != '\0');
  }
  arena_deinit(&arena);
  return 0;
}
