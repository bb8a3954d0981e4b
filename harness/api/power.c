/* SPDX-License-Identifier: Apache-2.0 */
/* assay_power(): the tolerances of some elements, in one sentence. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/api/handles.h"
#include "harness/power/measure.h"

enum { ELEMENTS_MAX = 1 << 20 };

typedef struct measuring {
  call_t *call;
  assay_context_t *context;
  question_t question;
  progress_t progress;
  uint32_t elements;
} measuring_t;

static int compare_doubles(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void print_sentence(double *ulps, size_t count, assay_power_info_t *info) {
  qsort(ulps, count, sizeof *ulps, compare_doubles);
  if (count > 0) {
    info->ulps_median = ulps[count / 2];
    info->ulps_max = ulps[count - 1];
  }
  if (count == 0) {
    snprintf(info->text, sizeof info->text, "of no element it is known what would have been seen");
  } else if (isinf(info->ulps_max)) {
    snprintf(info->text, sizeof info->text,
             "errors above %.3g ulp would have been seen in half of %zu elements examined, and in "
             "some no error",
             info->ulps_median, count);
  } else {
    snprintf(info->text, sizeof info->text,
             "errors above %.3g ulp would have been seen in half of %zu elements examined, above "
             "%.3g ulp in all",
             info->ulps_median, count, info->ulps_max);
  }
}

/* Draws components with replacement. */
static status_t measure(measuring_t *measuring, const oracle_t *oracle, const oracle_call_t *call,
                        assay_power_info_t *info) {
  const program_t *program = &call->instance->program;
  tensor_t results[CASE_RESULTS_MAX];
  const uint8_t *known[CASE_RESULTS_MAX];
  STATUS_TRY(power_fill_known(oracle, call, NULL, results, known));
  const tolerance_question_t question = {.oracle = oracle,
                                         .instance = call->instance,
                                         .contract = call->contract,
                                         .results = results,
                                         .memo = call->memo,
                                         .arena = call->arena};
  double *ulps = ARENA_NEW_ARRAY(call->arena, double, measuring->elements);
  size_t count = 0;
  rng_t rng = rng_make(measuring->question.asked.seed);
  for (uint32_t i = 0; i < measuring->elements; i++) {
    if (!progress_tell(&measuring->progress, (double)i / measuring->elements)) {
      measuring->call->answer = ASSAY_CANCELLED;
      return status_fail(call->error, STATUS_IO, "interrupted, as the caller asked");
    }
    uint32_t result = (uint32_t)rng_below(&rng, program->result_count);
    size_t components = type_component_count(&program->results[result]);
    if (components == 0) continue;
    size_t component = rng_below(&rng, components);
    if (known[result][component] == 0) continue;
    tolerance_t tolerance;
    status_t status = tolerance_find(&question, result, component, &tolerance, call->error);
    if (status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED) continue;
    STATUS_TRY(status);
    if (!tolerance.is_measured) continue;
    info->vacuous_count += tolerance.is_vacuous;
    if (!isnan(tolerance.relative))
      info->relative_max = fmax(info->relative_max, tolerance.relative);
    ulps[count++] = tolerance.ulps;
  }
  info->element_count = count;
  print_sentence(ulps, count, info);
  return STATUS_OK;
}

static status_t run(measuring_t *measuring, const assay_question_t *asked,
                    assay_power_info_t *out_info) {
  failure_t *error = &measuring->call->failure;
  if (measuring->elements < 1 || measuring->elements > ELEMENTS_MAX) {
    return status_fail(error, STATUS_INVALID, "elements is %u; give 1 to %d", measuring->elements,
                       (int)ELEMENTS_MAX);
  }
  STATUS_TRY(question_read(measuring->call, measuring->context, asked, &measuring->question));
  measuring->progress = (progress_t){.call = measuring->call, .asked = &measuring->question.asked};
  const op_t *op = measuring->question.instance.program.op;
  const oracle_t *oracle = oracle_find(op);
  if (oracle == NULL) {
    return status_fail(error, STATUS_UNSUPPORTED, "no oracle for %s", op->name);
  }
  decision_memo_t memo;
  decision_memo_init(&memo);
  const oracle_call_t call = {.instance = &measuring->question.instance,
                              .contract = &measuring->question.contract,
                              .memo = &memo,
                              .arena = &measuring->context->arena,
                              .error = error};
  assay_power_info_t info = {.ulps_median = NAN, .ulps_max = NAN, .relative_max = 0};
  status_t status = measure(measuring, oracle, &call, &info);
  decision_memo_deinit(&memo);
  STATUS_TRY(status);
  write_struct(out_info, &info, sizeof info);
  return STATUS_OK;
}

int32_t assay_power(assay_context_t *context, const assay_question_t *question, uint32_t elements,
                    assay_power_info_t *out_info, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  if (out_info == NULL) return call_end(&call, fail_null(&call, "out_info", "give where it goes"));
  status_t status =
      check_struct(&call, "assay_power_info_t", out_info->struct_size, sizeof *out_info);
  if (status == STATUS_OK) status = context_take(&call, context);
  if (status != STATUS_OK) return call_end(&call, status);
  measuring_t measuring = {.call = &call, .context = context, .elements = elements};
  status = run(&measuring, question, out_info);
  context_give_back(context);
  return call_end(&call, status);
}
