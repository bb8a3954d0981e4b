/* SPDX-License-Identifier: Apache-2.0 */
/* Prints and parses the result field of a line: data per result, or a word from one table of
 * outcomes with a reason. */
#include "harness/cli/verbs/cases/result_line.h"

#include <stdio.h>
#include <string.h>

typedef struct word {
  const char *spelling;
  result_kind_t kind;
  executor_outcome_t outcome;
  divergence_class_t class_;
} word_t;

static const word_t words[] = {
    {"refused", RESULT_ABSENT, EXECUTOR_REFUSED, CLASS_none},
    {"rejected", RESULT_ABSENT, EXECUTOR_REJECTED, CLASS_none},
    {"failed", RESULT_ABSENT, EXECUTOR_FAILED, CLASS_none},
    {"crash", RESULT_ABSENT, EXECUTOR_CRASHED, CLASS_none},
    {"ended", RESULT_ABSENT, EXECUTOR_ENDED, CLASS_none},
    {"hang", RESULT_ABSENT, EXECUTOR_TIMED_OUT, CLASS_none},
    {"protocol", RESULT_ABSENT, EXECUTOR_GARBAGE, CLASS_none},
    {"accepted", RESULT_ACCEPTED, EXECUTOR_OK, CLASS_none},
    {"out-of-bounds", RESULT_CLASS, EXECUTOR_OK, CLASS_out_of_bounds},
    {"unwritten", RESULT_CLASS, EXECUTOR_OK, CLASS_unwritten},
    {"nondeterministic", RESULT_CLASS, EXECUTOR_OK, CLASS_nondeterministic},
};

static bool word_fits(const word_t *word, const result_field_t *field) {
  if (word->kind != field->kind) return false;
  return field->kind == RESULT_CLASS ? word->class_ == field->class_
                                     : word->outcome == field->outcome;
}

void result_field_print(const program_t *program, const result_field_t *field, GString *out_text) {
  if (field->kind == RESULT_DATA) {
    for (uint32_t i = 0; i < program->result_count; i++) {
      if (i > 0) g_string_append(out_text, " : ");
      tensor_print_data(&field->results[i], out_text);
    }
    return;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    if (!word_fits(&words[i], field)) continue;
    g_string_append(out_text, words[i].spelling);
    break;
  }
  if (field->reason[0] != '\0') g_string_append_printf(out_text, ": %s", field->reason);
}

static status_t parse_word(str_t text, result_field_t *field, failure_t *error) {
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    scan_t scan = scan_make(text);
    if (!scan_accept(&scan, words[i].spelling)) continue;
    if (!scan_at_end(&scan)) {
      if (!scan_accept(&scan, ": ")) continue;
      snprintf(field->reason, sizeof field->reason, "%.*s", (int)(scan.end - scan.cursor),
               scan.cursor);
    }
    field->kind = words[i].kind;
    field->outcome = words[i].outcome;
    field->class_ = words[i].class_;
    return STATUS_OK;
  }
  g_autoptr(GString) known = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    g_string_append_printf(known, "%s%s", i == 0 ? "" : ", ", words[i].spelling);
  }
  return status_fail_at(error, STATUS_INVALID, 1,
                        "this is neither data nor a known word; write hex data, or one of %s",
                        known->str);
}

/* No word is made of hex digits alone, and none begins with "-". */
static bool looks_like_data(str_t text) {
  scan_t scan = scan_make(text);
  str_t first = scan_until(&scan, " :");
  for (size_t i = 0; i < first.size; i++) {
    if (!g_ascii_isxdigit(first.data[i]) && first.data[i] != '-') return false;
  }
  return first.size > 0;
}

/* "-" stands for a result that is not to be judged; of one without elements it is the data. */
static status_t parse_result(scan_t *scan, const program_t *program, uint32_t index, arena_t *arena,
                             result_field_t *field, failure_t *error) {
  const type_t *type = &program->results[index];
  if (type_element_count(type) == 0 || !scan_accept(scan, "-")) {
    return tensor_parse_data(scan, type, arena, &field->results[index], error);
  }
  field->results[index] = tensor_make(arena, type);
  memset(field->results[index].data, 0, type_bytes(type));
  field->unjudged |= 1U << index;
  return STATUS_OK;
}

status_t result_field_parse(str_t text, const program_t *program, arena_t *arena,
                            result_field_t *out_field, failure_t *error) {
  result_field_t field = {.kind = RESULT_DATA};
  if (!looks_like_data(text)) {
    STATUS_TRY(parse_word(text, &field, error));
  } else {
    scan_t scan = scan_make(text);
    for (uint32_t i = 0; i < program->result_count; i++) {
      if (i > 0) STATUS_TRY(scan_expect(&scan, " : ", error));
      STATUS_TRY(parse_result(&scan, program, i, arena, &field, error));
    }
    if (!scan_at_end(&scan)) {
      return scan_fail(&scan, error, "there is more data than the program has results");
    }
  }
  *out_field = field;
  return STATUS_OK;
}
