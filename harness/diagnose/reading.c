/* SPDX-License-Identifier: Apache-2.0 */
/* Tries the readings of an op, by other attributes of the program and other values of permissions:
 * on the worst element first, which refutes most of them by one decision. */
#include "harness/diagnose/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/model/op.h"

enum { SETTING_BYTES = 128 };

/* ---- Settings -------------------------------------------------------------------------------- */

/* "KEY=VALUE" of an attribute or a permission. */
typedef struct setting {
  char text[SETTING_BYTES];
  const char *key;
  const char *value;
} setting_t;

static setting_t setting_read(const char *text) {
  setting_t setting;
  g_assert(strlen(text) < sizeof setting.text);
  g_strlcpy(setting.text, text, sizeof setting.text);
  return setting;
}

static void setting_split(setting_t *setting) {
  char *equals = strchr(setting->text, '=');
  g_assert(equals != NULL);
  *equals = '\0';
  setting->key = setting->text;
  setting->value = equals + 1;
}

static bool is_attribute(const op_t *op, const char *key) {
  for (const attribute_row_t *row = op->attribute_rows; row != NULL && row->key != NULL; row++) {
    if (strcmp(row->key, key) == 0) return true;
  }
  return false;
}

/* The words of all attributes, one of them with another value. */
static void print_attributes(const program_t *program, const setting_t *setting, arena_t *arena,
                             GString *out_text) {
  op_attribute_t present[OP_ATTRIBUTES_MAX];
  const size_t count = op_attributes(program, arena, present);
  for (const attribute_row_t *row = program->op->attribute_rows; row->key != NULL; row++) {
    const char *value = strcmp(row->key, setting->key) == 0 ? setting->value : NULL;
    for (size_t i = 0; i < count && value == NULL; i++) {
      if (strcmp(present[i].key, row->key) == 0) value = present[i].value;
    }
    if (value != NULL) g_string_append_printf(out_text, " %s=%s", row->key, value);
  }
}

/* False if that is no valid program. */
static bool set_attribute(const setting_t *setting, arena_t *arena, program_t *inout_program) {
  g_autoptr(GString) text = g_string_new(NULL);
  print_attributes(inout_program, setting, arena, text);
  program_t changed = *inout_program;
  scan_t scan = scan_make(str_from(text->str));
  failure_t ignored;
  bool is_valid = program_parse_attributes(&scan, arena, &changed, &ignored) == STATUS_OK &&
                  scan_at_end(&scan) && program_broken(&changed) == NULL;
  if (is_valid) *inout_program = changed;
  return is_valid;
}

/* Numbers are written in decimal digits: the next one of f64, or of f32 where the op wants that. */
static bool set_number(const setting_t *setting, arena_t *arena, program_t *inout_program) {
  char *end;
  const double number = g_ascii_strtod(setting->value, &end);
  if (end == setting->value || *end != '\0') return false;
  const double numbers[] = {number, (double)(float)number};
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
    char digits[32];
    snprintf(digits, sizeof digits, "%a", numbers[i]);
    const setting_t other = {.key = setting->key, .value = digits};
    if (set_attribute(&other, arena, inout_program)) return true;
  }
  return false;
}

static bool take_meaning(const setting_t *setting, reading_t *inout_reading) {
  const op_meaning_t *meaning = inout_reading->program.op->meanings;
  while (meaning != NULL && meaning->name != NULL && strcmp(meaning->name, setting->value) != 0) {
    meaning++;
  }
  if (meaning == NULL || meaning->name == NULL) return false;
  inout_reading->program.op = meaning->op;
  return true;
}

/* False if the reading has no such setting: no valid program, or one that is there already. */
static bool apply_setting(setting_t *setting, arena_t *arena, reading_t *inout_reading) {
  setting_split(setting);
  if (is_attribute(inout_reading->program.op, setting->key)) {
    return set_attribute(setting, arena, &inout_reading->program) ||
           set_number(setting, arena, &inout_reading->program);
  }
  if (strcmp(setting->key, "reading") == 0) return take_meaning(setting, inout_reading);
  const uint8_t value = contract_value_spelled(setting->key, setting->value);
  if (contract_value(&inout_reading->contract, setting->key) == value) return false;
  contract_set_value(&inout_reading->contract, setting->key, value);
  return true;
}

static bool apply(const char *settings, const reading_t *present, arena_t *arena,
                  reading_t *out_reading) {
  *out_reading = *present;
  g_auto(GStrv) texts = g_strsplit(settings, ",", -1);
  for (char **text = texts; *text != NULL; text++) {
    setting_t setting = setting_read(*text);
    if (!apply_setting(&setting, arena, out_reading)) return false;
  }
  return program_broken_under(&out_reading->program, NULL, &out_reading->contract) == NULL;
}

/* ---- Finding --------------------------------------------------------------------------------- */

static status_t explains(const reading_judge_t *judge, const reading_t *reading,
                         bool *out_explains) {
  STATUS_TRY(judge->explains_worst(judge->context, reading, out_explains));
  return *out_explains ? judge->explains_all(judge->context, reading, out_explains) : STATUS_OK;
}

static bool is_wrong(const verdict_t *verdict) {
  return verdict->outcome == OUTCOME_diverges && verdict->wrong_count > 0;
}

/* Whether a setting of the same attribute or permission is among the words: one tells enough. */
static bool has_key(const char *words, const char *settings) {
  g_autofree char *key = g_strndup(settings, strcspn(settings, "=") + 1);
  const char *place = strstr(words, key);
  while (place != NULL && place != words && place[-1] != ' ') place = strstr(place + 1, key);
  return place != NULL;
}

status_t reading_find(const reading_judge_t *judge, const reading_t *present, arena_t *arena,
                      verdict_t *inout_verdict) {
  char *words = inout_verdict->reading;
  words[0] = '\0';
  const char *const *readings = present->program.op->readings;
  if (readings == NULL || !is_wrong(inout_verdict)) return STATUS_OK;
  for (; *readings != NULL; readings++) {
    if (words[0] != '\0' && strchr(*readings, ',') != NULL) break;
    if (has_key(words, *readings)) continue;
    arena_mark_t mark = arena_mark(arena);
    reading_t reading;
    bool is_it = false;
    status_t status = STATUS_OK;
    if (apply(*readings, present, arena, &reading)) status = explains(judge, &reading, &is_it);
    arena_rewind(arena, mark);
    STATUS_TRY(status);
    if (!is_it) continue;
    if (words[0] != '\0') g_strlcat(words, ", or ", sizeof inout_verdict->reading);
    g_strlcat(words, *readings, sizeof inout_verdict->reading);
    if (strchr(*readings, ',') != NULL) break;
  }
  const verdict_blame_t *blame = &inout_verdict->blame;
  bool is_excuse = words[0] != '\0' && blame->is_there && blame->is_of_functions;
  if (is_excuse) verdict_withdraw_blame(inout_verdict);
  return STATUS_OK;
}

status_t reading_hold_blame(const reading_judge_t *judge, const reading_t *present,
                            verdict_t *inout_verdict) {
  const verdict_blame_t *blame = &inout_verdict->blame;
  if (!is_wrong(inout_verdict) || !blame->is_there || blame->is_of_functions) return STATUS_OK;
  const reading_t relaxed = {.program = present->program, .contract = blame->contract};
  bool is_held = false;
  STATUS_TRY(judge->explains_all(judge->context, &relaxed, &is_held));
  if (!is_held) verdict_withdraw_blame(inout_verdict);
  return STATUS_OK;
}

/* ---- A case ---------------------------------------------------------------------------------- */

/* What was judged as one case. */
typedef struct whole {
  case_runner_t walk; /* A copy, to judge under another contract. */
  const expectation_t *expectation;
  const verdict_t *verdict;
  const tensor_t *results;
  arena_t *arena;
  failure_t *error;
} whole_t;

/* An ulp is at most 2^(1 - p) of a normal number. */
bool reading_tells(const answer_t *answer, const element_t *element) {
  const int share_exponent = -3; /* An eighth of the value. */
  if (!answer->conforms || answer->is_vacuous) return false;
  if (answer->nan_expected || answer->infinity_expected) return true;
  if (!answer->has_reference) return false;
  if (answer->ulp_error == 0) return true;
  if (!(answer->slack > 0)) return false;
  const int precision = element->format != NULL ? element->format->precision : element->bits;
  return ldexp(answer->ulp_error / answer->slack, 1 - precision - share_exponent) <= 1;
}

static status_t explains_worst(void *context, const reading_t *reading, bool *out_explains) {
  whole_t *whole = (whole_t *)context;
  case_t instance = *whole->expectation->instance;
  instance.program = reading->program;
  const oracle_call_t call = {.instance = &instance,
                              .contract = &reading->contract,
                              .results = whole->results,
                              .whole_count = whole->expectation->whole_count,
                              .arena = whole->arena,
                              .error = whole->error};
  answer_t answer = {0};
  status_t status =
      oracle_decide_with_memo(whole->expectation->oracle->decide, &call, whole->verdict->result,
                              whole->verdict->component, &answer);
  const element_t *element = whole->results[whole->verdict->result].type.element;
  *out_explains = status == STATUS_OK && reading_tells(&answer, element);
  return status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED ? STATUS_OK : status;
}

static status_t explains_all(void *context, const reading_t *reading, bool *out_explains) {
  whole_t *whole = (whole_t *)context;
  case_t instance = *whole->expectation->instance;
  instance.program = reading->program;
  whole->walk.contract = reading->contract;
  arena_mark_t mark = arena_mark(whole->arena);
  expectation_t expectation;
  verdict_t verdict = {.outcome = OUTCOME_no_oracle};
  status_t status =
      case_runner_expect(&whole->walk, &instance, NULL, whole->arena, &expectation, whole->error);
  if (status == STATUS_OK) {
    status = case_runner_judge(&whole->walk, &expectation, whole->results, &verdict, whole->error);
  }
  arena_rewind(whole->arena, mark);
  *out_explains = status == STATUS_OK && verdict.outcome == OUTCOME_conforms;
  return status;
}

static bool is_asked(const case_runner_t *walk, const verdict_t *verdict) {
  return is_wrong(verdict) && walk->evidence.is_judged && walk->unjudged == 0;
}

static whole_t whole_of(const case_runner_t *walk, const expectation_t *expectation, arena_t *arena,
                        const verdict_t *verdict, failure_t *error) {
  whole_t whole = {.walk = *walk,
                   .expectation = expectation,
                   .verdict = verdict,
                   .results = walk->evidence.results,
                   .arena = arena,
                   .error = error};
  whole.walk.audit_one_in = 0;
  whole.walk.decide_wrong_max = 1;
  whole.walk.is_brief = true;
  whole.walk.judges_all = true;
  return whole;
}

status_t reading_seek(const case_runner_t *walk, const expectation_t *expectation, arena_t *arena,
                      verdict_t *inout_verdict, failure_t *error) {
  if (!is_asked(walk, inout_verdict)) return STATUS_OK;
  whole_t whole = whole_of(walk, expectation, arena, inout_verdict, error);
  const reading_judge_t judge = {explains_worst, explains_all, &whole};
  const reading_t present = {.program = expectation->instance->program, .contract = walk->contract};
  verdict_t found = *inout_verdict;
  STATUS_TRY(reading_find(&judge, &present, arena, &found));
  g_strlcpy(inout_verdict->reading, found.reading, sizeof inout_verdict->reading);
  return STATUS_OK;
}

status_t reading_explain(case_runner_t *walk, const expectation_t *expectation, arena_t *arena,
                         verdict_t *inout_verdict, failure_t *error) {
  if (!is_asked(walk, inout_verdict)) return STATUS_OK;
  whole_t whole = whole_of(walk, expectation, arena, inout_verdict, error);
  const reading_judge_t judge = {explains_worst, explains_all, &whole};
  const reading_t present = {.program = expectation->instance->program, .contract = walk->contract};
  STATUS_TRY(reading_hold_blame(&judge, &present, inout_verdict));
  return reading_find(&judge, &present, arena, inout_verdict);
}
