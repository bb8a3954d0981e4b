/* SPDX-License-Identifier: Apache-2.0 */
/* Reads conditions word by word and asks each of the case at once. */
#include "harness/cli/verbs/recall/where.h"

#include <fnmatch.h>
#include <string.h>

#include "harness/num/format.h"

/* ---- Kinds of numbers ------------------------------------------------------------------------ */

static bool is_negative_zero(const format_t *format, uint64_t bits) {
  return format_is_zero(format, bits) && format_is_negative(format, bits);
}

static const struct {
  const char *name;
  bool (*is_it)(const format_t *format, uint64_t bits);
} KINDS[] = {{"nan", format_is_nan},
             {"infinity", format_is_infinity},
             {"zero", format_is_zero},
             {"negative-zero", is_negative_zero},
             {"subnormal", format_is_subnormal}};

static bool tensor_has(const tensor_t *tensor, size_t kind) {
  const element_t *element = tensor->type.element;
  if (element->format == NULL) return false;
  size_t count = type_component_count(&tensor->type);
  for (size_t i = 0; i < count; i++) {
    if (KINDS[kind].is_it(element->format, element_load(element, tensor->data, i))) return true;
  }
  return false;
}

static bool case_has(const case_t *instance, size_t kind) {
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    if (tensor_has(&instance->operands[i], kind)) return true;
  }
  return false;
}

/* ---- Measures -------------------------------------------------------------------------------- */

static uint64_t elements_of(const type_t *type) { return type_element_count(type); }
static uint64_t rank_of(const type_t *type) { return type->rank; }
static uint64_t bytes_of(const type_t *type) { return type_bytes(type); }

static const struct {
  const char *name;
  uint64_t (*measure)(const type_t *type);
} MEASURES[] = {{"elements", elements_of}, {"rank", rank_of}, {"bytes", bytes_of}};

static uint64_t largest(const program_t *program, size_t measure) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    most = MAX(most, MEASURES[measure].measure(&program->operands[i]));
  }
  return most;
}

/* ---- Conditions ------------------------------------------------------------------------------ */

static status_t fail(const char *condition, failure_t *error) {
  return status_fail(error, STATUS_INVALID,
                     "bad condition \"%s\"; write \"has KIND\" or \"lacks KIND\" (nan, infinity, "
                     "zero, negative-zero, subnormal), \"elements >= N\" (rank, bytes; <=), or "
                     "\"program PATTERN\", joined by \"and\"",
                     condition);
}

static bool program_fits(const program_t *program, const char *pattern) {
  g_autoptr(GString) line = g_string_new(NULL);
  program_print(program, line);
  g_autofree char *spaced = g_strdup(pattern);
  g_strdelimit(spaced, "_", '?');
  return fnmatch(spaced, line->str, 0) == 0;
}

static bool find_kind(const char *word, size_t *out_kind) {
  for (*out_kind = 0; *out_kind < G_N_ELEMENTS(KINDS); ++*out_kind) {
    if (strcmp(KINDS[*out_kind].name, word) == 0) return true;
  }
  return false;
}

static bool find_measure(const char *word, size_t *out_measure) {
  for (*out_measure = 0; *out_measure < G_N_ELEMENTS(MEASURES); ++*out_measure) {
    if (strcmp(MEASURES[*out_measure].name, word) == 0) return true;
  }
  return false;
}

static status_t ask(const char *condition, const case_t *instance, bool *out_holds,
                    failure_t *error) {
  g_auto(GStrv) words = g_strsplit(condition, " ", -1);
  guint count = g_strv_length(words);
  size_t index;
  guint64 bound;
  bool is_kind = count == 2 && find_kind(words[1], &index);
  if (is_kind && strcmp(words[0], "has") == 0) {
    *out_holds = case_has(instance, index);
  } else if (is_kind && strcmp(words[0], "lacks") == 0) {
    *out_holds = !case_has(instance, index);
  } else if (count == 2 && strcmp(words[0], "program") == 0) {
    *out_holds = program_fits(&instance->program, words[1]);
  } else if (count == 3 && find_measure(words[0], &index) &&
             g_ascii_string_to_unsigned(words[2], 10, 0, G_MAXINT64, &bound, NULL)) {
    uint64_t size = largest(&instance->program, index);
    if (strcmp(words[1], ">=") != 0 && strcmp(words[1], "<=") != 0) return fail(condition, error);
    *out_holds = words[1][0] == '>' ? size >= bound : size <= bound;
  } else {
    return fail(condition, error);
  }
  return STATUS_OK;
}

status_t where_holds(const char *text, const case_t *instance, bool *out_holds, failure_t *error) {
  *out_holds = true;
  if (text == NULL) return STATUS_OK;
  g_auto(GStrv) conditions = g_strsplit(text, " and ", -1);
  for (char **condition = conditions; *condition != NULL; condition++) {
    bool holds = false;
    STATUS_TRY(ask(*condition, instance, &holds, error));
    *out_holds = *out_holds && holds;
  }
  return STATUS_OK;
}
