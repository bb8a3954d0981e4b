/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts in words and as JSON. */
#ifndef ASSAY_REPORTS_VERDICT_DESCRIBE_H
#define ASSAY_REPORTS_VERDICT_DESCRIBE_H

#include <glib.h>
#include <jansson.h>

#include "harness/judge/verdict.h"
#include "harness/model/op.h"

/* "result 0 at [3,1]", with "real" or "imaginary part" for complex elements. */
void describe_component(const program_t *program, uint32_t result, size_t component,
                        GString *out_text);

/* One line without newline: "diverges value: result 0 at [3,1] is ..., expected ...; ...". */
void describe_verdict(const program_t *program, const verdict_t *verdict, GString *out_text);

/* "248000 elements are not in the sample that was judged: a fault in 1 of 37 elements is missed
 * with probability at most 1e-6". */
void describe_sample(uint64_t left_out, uint64_t draws, GString *out_text);

/* "asked for A; these bits could be: B, C"; nothing if nobody looked. */
void describe_algorithms(const program_t *program, const verdict_t *verdict, GString *out_text);

/* Numbers that JSON cannot hold become null. */
json_t *json_number(double value);
/* The names of a set "A|B", as an array. */
json_t *json_algorithms(const char *algorithms);
json_t *json_verdict(const verdict_t *verdict);

/* Prints and frees a document. */
void json_print(json_t *document, bool on_one_line);

#endif
