#include "harness/cli/describe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/finding_lives.h"

/* Longer case lines are drawn anew in the command that replays them. */
enum { PASTED_LINE_BYTES_MAX = 2000 };

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
  if (!repeats_algorithms) g_string_append_printf(out_text, "; %s", verdict->observed);
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

/* Where the profiles of contract `identified` are. */
static void describe_profiles(const task_flags_t *flags, GString *out_text) {
  contract_t contract;
  bool is_identified = find_contract(flags->contract, &contract, NULL) == STATUS_OK &&
                       PERMITTED(&contract, bits) == BITS_IDENTIFIED;
  if (!is_identified) return;
  g_autofree char *database = g_shell_quote(flags->database);
  g_string_append_printf(out_text, " --db %s", database);
  if (flags->reference == NULL) return;
  g_autofree char *reference = g_shell_quote(flags->reference);
  g_string_append_printf(out_text, " --reference %s", reference);
}

void describe_replay(const finding_t *finding, const task_t *task, GString *out_text) {
  const executor_t *executor = task->executors.items[finding->executor];
  char *name = g_shell_quote(executor_name(executor));
  const char *case_line = finding->shrunk_line == NULL ? finding->case_line : finding->shrunk_line;
  bool is_long = strlen(case_line) > PASTED_LINE_BYTES_MAX;
  if (is_long && finding->shrunk_line == NULL && finding->origin.has_case_seed) {
    char *program = g_shell_quote(finding->program_line);
    g_string_append_printf(
        out_text, "assay gen --program %s --case-seed 0x%" PRIx64 " | assay replay - --executor %s",
        program, finding->origin.case_seed, name);
    g_free(program);
  } else {
    char *line = g_shell_quote(case_line);
    g_string_append_printf(out_text, "assay replay %s --executor %s", line, name);
    g_free(line);
  }
  g_free(name);
  if (task->flags->contract != NULL) {
    char *contract = g_shell_quote(task->flags->contract);
    g_string_append_printf(out_text, " --contract %s", contract);
    g_free(contract);
  }
  describe_profiles(task->flags, out_text);
  executor_flags_print(&task->flags->executor, out_text);
}

void describe_finding(const finding_t *finding, const task_t *task, GString *out_text) {
  const executor_t *executor = task->executors.items[finding->executor];
  g_string_append_printf(out_text, "%s %s %s %s ", executor_name(executor), finding->label.op,
                         finding->label.algorithm, finding->label.types);
  arena_t arena;
  arena_init(&arena);
  program_t program;
  const char *broken;
  if (program_parse(str_from(finding->program_line), &arena, &program, &broken, NULL) ==
      STATUS_OK) {
    describe_verdict(&program, &finding->verdict, out_text);
  }
  arena_deinit(&arena);
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
  json_object_set_new(object, "algorithms",
                      verdict->has_algorithms ? json_algorithms(verdict->algorithms) : json_null());
  json_object_set_new(object, "cause", json_string(verdict->cause));
  json_object_set_new(object, "cause_sure", json_boolean(verdict->is_cause_sure));
  json_object_set_new(object, "cause_words", json_string(verdict->cause_words));
  json_object_set_new(object, "pattern", json_string(verdict->pattern));
  char bits[19];
  snprintf(bits, sizeof bits, "0x%" PRIx64, verdict->got_bits);
  json_object_set_new(object, "got_bits", json_string(bits));
  json_object_set_new(object, "max_ulp", json_number(verdict->ulp_error_max));
  json_object_set_new(object, "max_slack", json_number(verdict->slack_max));
  json_object_set_new(object, "max_backward_error", json_number(verdict->backward_error_max));
  return object;
}

json_t *json_finding(const finding_t *finding, const task_t *task) {
  const executor_t *executor = task->executors.items[finding->executor];
  GString *replay = g_string_new(NULL);
  describe_replay(finding, task, replay);
  json_t *object =
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I}", "executor",
                executor_name(executor), "signature", finding->signature.text, "op",
                finding->label.op, "algorithm", finding->label.algorithm, "types",
                finding->label.types, "regime", finding->origin.regime, "implementation",
                finding->implementation, "program", finding->program_line, "case",
                finding->case_line, "replay", replay->str, "count", (json_int_t)finding->count);
  json_object_set_new(object, "verdict", json_verdict(&finding->verdict));
  if (task->lives != NULL) {
    json_object_set_new(object, "state", json_string(life_spelling(finding_life(task, finding))));
  }
  g_string_free(replay, TRUE);
  return object;
}

void json_print(json_t *document, bool on_one_line) {
  char *text = json_dumps(document, (on_one_line ? 0 : JSON_INDENT(2)) | JSON_REAL_PRECISION(17));
  puts(text);
  free(text);
  json_decref(document);
}
