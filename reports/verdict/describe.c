/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts in words and as JSON. */
#include "reports/verdict/describe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "oracles/sample.h"

void describe_component(const program_t *program, uint32_t result, size_t component,
                        GString *out_text) {
  const type_t *type = &program->results[result];
  size_t index = component / type->element->components;
  int64_t indices[TYPE_RANK_MAX];
  for (uint32_t axis = type->rank; axis-- > 0;) {
    size_t size = (size_t)type->dims[axis];
    indices[axis] = (int64_t)(index % size);
    index /= size;
  }
  g_string_append_printf(out_text, "result %" PRIu32 " at [", result);
  for (uint32_t axis = 0; axis < type->rank; axis++) {
    g_string_append_printf(out_text, "%s%" PRId64, axis == 0 ? "" : ",", indices[axis]);
  }
  g_string_append_c(out_text, ']');
  if (type->element->components == 2) {
    g_string_append(out_text, component % 2 == 0 ? ", real part," : ", imaginary part,");
  }
}

/* An error is infinite where no number came or none was due; that is said already. */
static void describe_measures(const verdict_t *verdict, GString *out_text) {
  if (verdict->ulp_error_max > 0 && isfinite(verdict->ulp_error_max)) {
    g_string_append_printf(out_text, "; largest error %.4g ulp", verdict->ulp_error_max);
  }
  if (verdict->slack_max > 0 && isfinite(verdict->slack_max)) {
    g_string_append_printf(out_text, "; up to %.4g times the permitted one", verdict->slack_max);
  }
  bool repeats_algorithms = g_str_has_prefix(verdict->algorithms, verdict->observed);
  const verdict_blame_t *blame = &verdict->blame;
  bool has_reading = verdict->reading[0] != '\0'; /* Then functions are not to blame. */
  bool is_excuse = has_reading && blame->is_there && blame->is_of_functions;
  if (!repeats_algorithms && !is_excuse)
    g_string_append_printf(out_text, "; %s", verdict->observed);
  if (has_reading) {
    g_string_append_printf(out_text, "; it would conform with %s", verdict->reading);
  }
}

void describe_algorithms(const program_t *program, const verdict_t *verdict, GString *out_text) {
  if (!verdict->has_algorithms) return;
  g_string_append(out_text, "asked for ");
  program->op->print_algorithm(program, out_text);
  g_string_append(out_text, "; these bits could be: ");
  if (verdict->algorithms[0] == '\0') g_string_append(out_text, "none of the algorithms");
  g_auto(GStrv) names = g_strsplit(verdict->algorithms, "|", -1);
  for (char **name = names; *name != NULL; name++) {
    g_string_append_printf(out_text, "%s%s", name == names ? "" : ", ", *name);
  }
}

void describe_verdict(const program_t *program, const verdict_t *verdict, GString *out_text) {
  g_string_append(out_text, outcome_spelling(verdict->outcome));
  if (verdict->class_ != CLASS_none) {
    g_string_append_printf(out_text, " (%s)", class_spelling(verdict->class_));
  }
  if (verdict->wrong_count > 0) {
    g_string_append(out_text, ": ");
    describe_component(program, verdict->result, verdict->component, out_text);
    g_string_append_printf(out_text, " is %s, expected %s; %zu of %zu wrong", verdict->got,
                           verdict->expected, verdict->wrong_count, verdict->component_count);
    bool says_which = verdict->pattern[0] != '\0' && verdict->wrong_count > 1 &&
                      verdict->wrong_count < verdict->component_count;
    if (says_which) g_string_append_printf(out_text, " (%s)", verdict->pattern);
  }
  if (verdict->cause_words[0] != '\0') {
    g_string_append_printf(out_text, "; cause: %s", verdict->cause_words);
  }
  if (verdict->constraint[0] != '\0') {
    g_string_append_printf(out_text, ": breaks %s", verdict->constraint);
  }
  if (verdict->reason[0] != '\0') g_string_append_printf(out_text, ": %s", verdict->reason);
  describe_measures(verdict, out_text);
  if (verdict->has_algorithms) g_string_append(out_text, "; ");
  describe_algorithms(program, verdict, out_text);
}

void describe_sample(uint64_t left_out, uint64_t draws, GString *out_text) {
  g_string_append_printf(out_text,
                         "%" PRIu64
                         " elements are not in the sample that was judged: a fault in 1 "
                         "of %" PRIu64 " elements is missed with probability at most %s",
                         left_out, sample_missed_one_in(draws), SAMPLE_MISS_TEXT);
}

json_t *json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *json_algorithms(const char *algorithms) {
  json_t *array = json_array();
  g_auto(GStrv) names = g_strsplit(algorithms, "|", -1);
  for (char **name = names; *name != NULL; name++) {
    json_array_append_new(array, json_string(*name));
  }
  return array;
}

json_t *json_verdict(const verdict_t *verdict) {
  json_t *object = json_pack(
      "{s:s, s:s, s:i, s:I, s:I, s:I, s:s, s:s, s:s, s:s, s:s}", "outcome",
      outcome_spelling(verdict->outcome), "class", class_spelling(verdict->class_), "result",
      (int)verdict->result, "component", (json_int_t)verdict->component, "wrong",
      (json_int_t)verdict->wrong_count, "components", (json_int_t)verdict->component_count, "got",
      verdict->got, "expected", verdict->expected, "observed", verdict->observed, "reason",
      verdict->reason, "constraint", verdict->constraint);
  json_object_set_new(object, "untested", json_integer((json_int_t)verdict->untested_count));
  json_object_set_new(object, "left_out", json_integer((json_int_t)verdict->left_out_count));
  json_object_set_new(object, "sample_draws", json_integer((json_int_t)verdict->sample_draws));
  json_object_set_new(object, "algorithms",
                      verdict->has_algorithms ? json_algorithms(verdict->algorithms) : json_null());
  json_object_set_new(object, "cause", json_string(verdict->cause));
  json_object_set_new(object, "cause_sure", json_boolean(verdict->is_cause_sure));
  json_object_set_new(object, "cause_words", json_string(verdict->cause_words));
  json_object_set_new(object, "reading", json_string(verdict->reading));
  json_object_set_new(object, "pattern", json_string(verdict->pattern));
  char bits[19];
  snprintf(bits, sizeof bits, "0x%" PRIx64, verdict->got_bits);
  json_object_set_new(object, "got_bits", json_string(bits));
  json_object_set_new(object, "max_ulp", json_number(verdict->ulp_error_max));
  json_object_set_new(object, "max_slack", json_number(verdict->slack_max));
  json_object_set_new(object, "max_backward_error", json_number(verdict->backward_error_max));
  return object;
}

void json_print(json_t *document, bool on_one_line) {
  char *text = json_dumps(document, (on_one_line ? 0 : JSON_INDENT(2)) | JSON_REAL_PRECISION(17));
  puts(text);
  free(text);
  json_decref(document);
}
