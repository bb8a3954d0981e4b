/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the table of propagation properties on one trial (a graph, a target description, and what
 * propagation and materialization made of them), one property or all. */
#include "harness/quant/check/property.h"

#include <stdarg.h>
#include <stdio.h>

static const quant_property_t PROPERTIES[QUANT_PROPERTY_COUNT] = {
#define PROPERTY(name, summary, function) {#name, summary, quant_property_##function},
#include "harness/quant/check/properties.def"
#undef PROPERTY
};

const quant_property_t *quant_properties(void) { return PROPERTIES; }

quant_outcome_t property_violated(failure_t *out_words, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(out_words->text, sizeof out_words->text, format, arguments);
  va_end(arguments);
  return QUANT_VIOLATED;
}

/* That a trial is there: check_all() gives it only then. */
quant_outcome_t quant_property_resolves(const quant_trial_t *trial, arena_t *arena,
                                        failure_t *out_words) {
  (void)trial;
  (void)arena;
  (void)out_words;
  return QUANT_HOLDS;
}

static status_t make_trial(const quant_trial_input_t *input, arena_t *arena,
                           quant_trial_t *out_trial, failure_t *error) {
  *out_trial = (quant_trial_t){
      .graph = input->graph, .table = input->table, .fault = input->fault, .seed = input->seed};
  quant_propagation_t *propagation = &out_trial->propagation;
  STATUS_TRY(quant_propagate(input->graph, input->table, input->fault, arena, propagation, error));
  return quant_materialize(propagation, input->fault, arena, &out_trial->materialized, error);
}

bool quant_property_check_all(const quant_trial_input_t *input, arena_t *arena,
                              quant_property_result_t out_results[QUANT_PROPERTY_COUNT],
                              quant_trial_counts_t *out_counts) {
  for (uint32_t i = 0; i < QUANT_PROPERTY_COUNT; i++) {
    out_results[i] = (quant_property_result_t){.outcome = QUANT_NOT_APPLICABLE};
  }
  quant_trial_t trial;
  failure_t error = {.text = ""};
  if (out_counts != NULL) *out_counts = (quant_trial_counts_t){.visits = 0};
  if (make_trial(input, arena, &trial, &error) != STATUS_OK) {
    out_results[QUANT_PROPERTY_resolves] =
        (quant_property_result_t){.outcome = QUANT_VIOLATED, .words = error};
    return false;
  }
  bool holds = true;
  for (uint32_t i = 0; i < QUANT_PROPERTY_COUNT; i++) {
    out_results[i].outcome = PROPERTIES[i].check(&trial, arena, &out_results[i].words);
    if (out_results[i].outcome == QUANT_VIOLATED) holds = false;
  }
  if (out_counts != NULL) {
    *out_counts = (quant_trial_counts_t){
        .visits = trial.propagation.visit_count,
        .rescales = trial.propagation.rescale_count,
        .refused = trial.propagation.refused_count,
        .is_fully_quantized = trial.propagation.is_fully_quantized,
    };
  }
  return holds;
}

quant_outcome_t quant_property_check_one(const quant_trial_input_t *input,
                                         quant_property_id_t property, arena_t *arena,
                                         failure_t *out_words) {
  quant_trial_t trial;
  if (make_trial(input, arena, &trial, out_words) != STATUS_OK) {
    return property == QUANT_PROPERTY_resolves ? QUANT_VIOLATED : QUANT_NOT_APPLICABLE;
  }
  return PROPERTIES[property].check(&trial, arena, out_words);
}
