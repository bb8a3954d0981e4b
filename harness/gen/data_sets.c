/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of data sets: the defaults, their text and their drawing, and what they cost. */
#include "harness/gen/data_sets.h"

#include <string.h>

/* A program costs an executor in this process microseconds, and its faults are mostly of one type,
 * body or shape: many programs see more than much data for few.  A compiler in a process of its own
 * takes as long for a program as for some hundred executions. */
enum { LEAST = 2, MOST = 4, DEAR_FACTOR = 16, LARGEST = 1000000 };

data_sets_t data_sets_default(bool compiling_is_dear) {
  uint32_t factor = compiling_is_dear ? DEAR_FACTOR : 1;
  return (data_sets_t){LEAST * factor, MOST * factor};
}

static bool parse_number(const char *text, uint32_t *out_number) {
  guint64 number;
  if (!g_ascii_string_to_unsigned(text, 10, 1, LARGEST, &number, NULL)) return false;
  *out_number = (uint32_t)number;
  return true;
}

status_t data_sets_parse(str_t text, data_sets_t *out_sets, failure_t *error) {
  *out_sets = (data_sets_t){0};
  g_autofree char *copy = g_strndup(text.data, text.size);
  if (copy[0] == '\0' || strcmp(copy, "default") == 0) return STATUS_OK;
  g_auto(GStrv) ends = g_strsplit(copy, "-", 2);
  data_sets_t sets;
  bool is_right = parse_number(ends[0], &sets.least);
  sets.most = sets.least;
  if (is_right && ends[1] != NULL) is_right = parse_number(ends[1], &sets.most);
  if (!is_right || sets.least > sets.most) {
    return status_fail(error, STATUS_INVALID,
                       "bad number of data sets '%.100s'; write N or LEAST-MOST, from 1 to %d",
                       copy, LARGEST);
  }
  *out_sets = sets;
  return STATUS_OK;
}

void data_sets_print(data_sets_t sets, GString *out_text) {
  if (sets.most == 0) {
    g_string_append(out_text, "default");
    return;
  }
  g_string_append_printf(out_text, "%" G_GUINT32_FORMAT, sets.least);
  if (sets.most != sets.least) g_string_append_printf(out_text, "-%" G_GUINT32_FORMAT, sets.most);
}

uint32_t data_sets_draw(data_sets_t sets, rng_t *rng) {
  return (uint32_t)rng_between(rng, sets.least, sets.most);
}

uint64_t data_sets_weight(const program_t *program) {
  enum { SMALL_ELEMENTS = 16384 };
  size_t elements = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    elements += type_element_count(&program->operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    elements += type_element_count(&program->results[i]);
  }
  return 1 + elements / SMALL_ELEMENTS;
}
