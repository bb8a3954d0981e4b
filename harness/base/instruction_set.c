/* SPDX-License-Identifier: Apache-2.0 */
/* Detects the processor's vector instructions once, and checks an override from the environment
 * against what the machine has. */
#include "harness/base/instruction_set.h"

#include <glib.h>
#include <string.h>

static const char variable[] = "ASSAY_ISA";
static const char *const names[ISA_COUNT] = {
    [ISA_PLAIN] = "plain", [ISA_AVX2] = "avx2", [ISA_AVX512] = "avx512"};

const char *instruction_set_name(instruction_set_t set) { return names[set]; }

bool machine_has(instruction_set_t set) {
  if (set == ISA_PLAIN) return true;
#ifdef __x86_64__
  bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (set == ISA_AVX2) return has_avx2;
  return has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
}

static instruction_set_t widest(void) {
  instruction_set_t set = ISA_AVX512;
  while (!machine_has(set)) set--;
  return set;
}

static status_t find(instruction_set_t *out_set, failure_t *error) {
  const char *wanted = g_getenv(variable);
  if (wanted == NULL || wanted[0] == '\0') {
    *out_set = widest();
    return STATUS_OK;
  }
  for (int set = 0; set < ISA_COUNT; set++) {
    if (strcmp(wanted, names[set]) != 0) continue;
    *out_set = (instruction_set_t)set;
    if (machine_has(*out_set)) return STATUS_OK;
    return status_fail(error, STATUS_INVALID,
                       "this machine has no %s (%s); write %s=%s, or leave it out", wanted,
                       variable, variable, names[widest()]);
  }
  return status_fail(error, STATUS_INVALID, "bad value '%.40s' (%s); write plain, avx2 or avx512",
                     wanted, variable);
}

status_t instruction_set_check(failure_t *error) {
  instruction_set_t ignored;
  return find(&ignored, error);
}

static gpointer find_once(gpointer context) {
  (void)context;
  instruction_set_t set = ISA_PLAIN;
  failure_t error = {0};
  if (find(&set, &error) != STATUS_OK) g_error("%s", error.text);
  return GUINT_TO_POINTER((guint)set);
}

instruction_set_t instruction_set(void) {
  static GOnce once = G_ONCE_INIT;
  return (instruction_set_t)GPOINTER_TO_UINT(g_once(&once, find_once, NULL));
}
