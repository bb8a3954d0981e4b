/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an executor on the two cases of a property, or repeatedly on one, and compares result bits
 * through the element map. */
#include "harness/invariance/check.h"

#include <stdio.h>

#include "harness/model/op.h"

/* The same under every result: an element that is never written is not told here from one that is
 * (`assay vet` tells). */
enum { POISON = 0xa5 };

const char *invariance_outcome_spelling(invariance_outcome_t outcome) {
  static const char *const spellings[INVARIANCE_OUTCOME_COUNT] = {
#define OUTCOME(name, spelling) spelling,
      INVARIANCE_OUTCOMES(OUTCOME)
#undef OUTCOME
  };
  return spellings[outcome];
}

bool invariance_same_bits(const element_t *element, uint64_t a, uint64_t b) {
  if (a == b) return true;
  const format_t *format = element->format;
  if (format == NULL || !format_has_nan(format)) return false;
  return format_is_nan(format, a) && format_is_nan(format, b);
}

void invariance_run(executor_t *executor, const case_t *instance, arena_t *arena,
                    invariance_run_t *out_run) {
  invariance_run_t *run = out_run;
  *run = (invariance_run_t){.outcome = EXECUTOR_OK};
  const program_t *program = &instance->program;
  if (executor_promises(executor, program) == EXECUTOR_PROMISE_NO) {
    run->outcome = EXECUTOR_REFUSED;
    g_strlcpy(run->reason, "outside its declared target", sizeof run->reason);
    return;
  }
  executor_program_t *compiled = NULL;
  run->outcome = executor_compile(executor, program, &compiled, run->reason, sizeof run->reason);
  if (run->outcome != EXECUTOR_OK) return;
  for (uint32_t i = 0; i < program->result_count; i++) {
    run->results[i] = tensor_make(arena, &program->results[i]);
  }
  execution_t execution =
      executor_execute(executor, compiled, instance->operands, POISON, run->results);
  run->outcome = execution.outcome;
  snprintf(run->reason, sizeof run->reason, "%s", execution.reason);
}

/* False, and what the outcome says of the check, if there are no results. */
static bool has_results(const invariance_run_t *run, invariance_check_t *check) {
  if (run->outcome == EXECUTOR_OK) return true;
  bool is_refusal = run->outcome == EXECUTOR_REFUSED || run->outcome == EXECUTOR_REJECTED;
  check->outcome = is_refusal ? INVARIANCE_OUTCOME_refused : INVARIANCE_OUTCOME_failed;
  snprintf(check->reason, sizeof check->reason, "%s", run->reason);
  return false;
}

static bool is_zero(const element_t *element, uint64_t bits) {
  if (element->format == NULL) return bits == 0;
  return format_to_double(element->format, bits) == 0; /* A subnormal number is none. */
}

bool invariance_compare(const program_t *program, const tensor_t *base, const tensor_t *other,
                        const size_t *const *maps, invariance_difference_t *out_difference) {
  *out_difference = (invariance_difference_t){.is_sign_of_zero = true};
  for (uint32_t result = 0; result < program->result_count; result++) {
    const element_t *element = other[result].type.element;
    size_t parts = element->components;
    size_t count = type_component_count(&other[result].type);
    out_difference->compared += count;
    for (size_t i = 0; i < count; i++) {
      size_t from = maps == NULL ? i : maps[result][i / parts] * parts + i % parts;
      uint64_t base_bits = element_load(element, base[result].data, from);
      uint64_t other_bits = element_load(element, other[result].data, i);
      if (invariance_same_bits(element, base_bits, other_bits)) continue;
      if (!is_zero(element, base_bits) || !is_zero(element, other_bits)) {
        out_difference->is_sign_of_zero = false;
      }
      if (out_difference->count++ > 0) continue;
      out_difference->result = result;
      out_difference->base_component = from;
      out_difference->other_component = i;
      out_difference->base_bits = base_bits;
      out_difference->other_bits = other_bits;
    }
  }
  return out_difference->count == 0;
}

/* Runs a case once more: true if it gives the bits of `run`. */
static bool is_repeatable(executor_t *executor, const case_t *instance, const invariance_run_t *run,
                          arena_t *arena, invariance_check_t *check) {
  invariance_run_t again;
  invariance_run(executor, instance, arena, &again);
  if (!has_results(&again, check)) return false;
  if (invariance_compare(&instance->program, run->results, again.results, NULL,
                         &check->difference)) {
    return true;
  }
  check->outcome = INVARIANCE_OUTCOME_unrepeatable;
  return false;
}

/* Begins anew: the results at hand may be those of an earlier compilation. */
static void check_executions(executor_t *executor, const case_t *instance, uint32_t executions,
                             arena_t *arena, invariance_check_t *check) {
  invariance_run_t first;
  invariance_run(executor, instance, arena, &first);
  if (!has_results(&first, check)) return;
  for (uint32_t execution = 2; execution <= executions; execution++) {
    arena_mark_t mark = arena_mark(arena);
    bool is_same = is_repeatable(executor, instance, &first, arena, check);
    arena_rewind(arena, mark);
    if (is_same) continue;
    check->difference.execution = execution;
    if (check->outcome == INVARIANCE_OUTCOME_unrepeatable) {
      check->outcome = INVARIANCE_OUTCOME_broken;
    }
    return;
  }
}

/* The case runs twice under either compilation, so that what differs is the compilation. */
static void check_compilations(executor_t *executor, const case_t *instance, arena_t *arena,
                               invariance_check_t *check) {
  invariance_run_t first;
  invariance_run(executor, instance, arena, &first);
  if (!has_results(&first, check)) return;
  if (!is_repeatable(executor, instance, &first, arena, check)) return;
  executor_forget_programs(executor);
  invariance_run_t other;
  invariance_run(executor, instance, arena, &other);
  if (!has_results(&other, check)) return;
  invariance_difference_t difference;
  bool is_same =
      invariance_compare(&instance->program, first.results, other.results, NULL, &difference);
  if (!is_same && !is_repeatable(executor, instance, &other, arena, check)) return;
  check->difference = difference;
  if (!is_same) check->outcome = INVARIANCE_OUTCOME_broken;
}

/* One execution, within which elements differ or do not: whether it can be repeated is another
 * property's question. */
static void check_replicas(const program_t *program, const invariance_run_t *base, arena_t *arena,
                           invariance_check_t *check) {
  if (program->op->leaders == NULL) {
    check->outcome = INVARIANCE_OUTCOME_void;
    return;
  }
  const size_t *leaders[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    leaders[i] = program->op->leaders(program, i, arena);
  }
  bool is_same =
      invariance_compare(program, base->results, base->results, leaders, &check->difference);
  if (!is_same) check->outcome = INVARIANCE_OUTCOME_broken;
}

/* A case and what it gave. */
typedef struct executed_case {
  const case_t *instance;
  const invariance_run_t *run;
} executed_case_t;

/* Whether both cases give the same bits again, also when both programs are compiled anew, the other
 * one first this time: what comes with the turn is then seen to come with it. */
static bool are_repeatable(executor_t *executor, const executed_case_t *base,
                           const executed_case_t *other, arena_t *arena,
                           invariance_check_t *check) {
  if (!is_repeatable(executor, other->instance, other->run, arena, check)) return false;
  if (!is_repeatable(executor, base->instance, base->run, arena, check)) return false;
  executor_forget_programs(executor);
  return is_repeatable(executor, other->instance, other->run, arena, check) &&
         is_repeatable(executor, base->instance, base->run, arena, check);
}

/* A difference counts only between two cases that both give the same bits again. */
static void check_two_cases(executor_t *executor, const invariance_instance_t *instance,
                            const invariance_run_t *base, arena_t *arena,
                            invariance_check_t *check) {
  invariance_other_t other;
  if (!invariance_make_other(instance, arena, &other)) {
    check->outcome = INVARIANCE_OUTCOME_void;
    return;
  }
  invariance_run_t run;
  invariance_run(executor, &other.instance, arena, &run);
  if (!has_results(&run, check)) return;
  invariance_difference_t difference;
  bool is_same = invariance_compare(&other.instance.program, base->results, run.results,
                                    other.element_map, &difference);
  const executed_case_t first = {&instance->base, base}, second = {&other.instance, &run};
  if (!is_same && !are_repeatable(executor, &first, &second, arena, check)) return;
  check->difference = difference;
  if (!is_same) check->outcome = INVARIANCE_OUTCOME_broken;
}

/* A program compiled anew, run on one case and then on the other. */
static bool run_after(executor_t *executor, const case_t *first, const case_t *second,
                      arena_t *arena, invariance_run_t out_runs[2], invariance_check_t *check) {
  executor_forget_programs(executor);
  invariance_run(executor, first, arena, &out_runs[0]);
  if (!has_results(&out_runs[0], check)) return false;
  invariance_run(executor, second, arena, &out_runs[1]);
  return has_results(&out_runs[1], check);
}

/* All that one compiled program gives at two sizes, alone and after the other. */
typedef struct size_runs {
  invariance_run_t base_first[2];  /* The base, then the other. */
  invariance_run_t other_first[2]; /* The other, then the base. */
} size_runs_t;

static bool run_sizes(executor_t *executor, const case_t *base, const case_t *other, arena_t *arena,
                      size_runs_t *out_runs, invariance_check_t *check) {
  return run_after(executor, base, other, arena, out_runs->base_first, check) &&
         run_after(executor, other, base, arena, out_runs->other_first, check);
}

/* Whether both sizes share their bits, and whether either is as it is alone where it comes after
 * the other.  What is not so of the base is told by elements of its own. */
static bool compare_sizes(const invariance_instance_t *instance, const invariance_other_t *other,
                          const size_runs_t *runs, invariance_difference_t *out_difference) {
  const program_t *base = &instance->base.program;
  return invariance_compare(&other->instance.program, runs->base_first[0].results,
                            runs->other_first[0].results, other->element_map, out_difference) &&
         invariance_compare(&other->instance.program, runs->base_first[0].results,
                            runs->base_first[1].results, other->element_map, out_difference) &&
         invariance_compare(base, runs->base_first[0].results, runs->other_first[1].results, NULL,
                            out_difference);
}

static bool are_same_runs(const program_t *first, const program_t *second,
                          const invariance_run_t a[2], const invariance_run_t b[2],
                          invariance_difference_t *out_difference) {
  return invariance_compare(first, a[0].results, b[0].results, NULL, out_difference) &&
         invariance_compare(second, a[1].results, b[1].results, NULL, out_difference);
}

static void check_sizes(executor_t *executor, const invariance_instance_t *instance, arena_t *arena,
                        invariance_check_t *check) {
  invariance_other_t other;
  size_runs_t runs, again;
  if (!invariance_make_other(instance, arena, &other)) {
    check->outcome = INVARIANCE_OUTCOME_void;
    return;
  }
  const case_t *base = &instance->base;
  if (!run_sizes(executor, base, &other.instance, arena, &runs, check)) return;
  if (compare_sizes(instance, &other, &runs, &check->difference)) return;
  invariance_difference_t difference;
  if (!run_sizes(executor, base, &other.instance, arena, &again, check)) return;
  bool is_repeatable = are_same_runs(&base->program, &other.instance.program, runs.base_first,
                                     again.base_first, &difference) &&
                       are_same_runs(&other.instance.program, &base->program, runs.other_first,
                                     again.other_first, &difference);
  check->outcome = is_repeatable ? INVARIANCE_OUTCOME_broken : INVARIANCE_OUTCOME_unrepeatable;
}

void invariance_check(executor_t *executor, const invariance_instance_t *instance,
                      const invariance_run_t *base, uint32_t executions, arena_t *arena,
                      invariance_check_t *out_check) {
  invariance_check_t *check = out_check;
  *check = (invariance_check_t){.outcome = INVARIANCE_OUTCOME_holds};
  if (!has_results(base, check)) return;
  switch (invariance_table[instance->property].kind) {
    case INVARIANCE_KIND_RUNS:
      check_executions(executor, &instance->base, executions, arena, check);
      break;
    case INVARIANCE_KIND_COMPILES:
      check_compilations(executor, &instance->base, arena, check);
      break;
    case INVARIANCE_KIND_SIZES:
      check_sizes(executor, instance, arena, check);
      break;
    case INVARIANCE_KIND_REPLICAS:
      check_replicas(&instance->base.program, base, arena, check);
      break;
    case INVARIANCE_KIND_COUNT:
    case INVARIANCE_KIND_POSITION:
    case INVARIANCE_KIND_LAYOUT:
    default:
      check_two_cases(executor, instance, base, arena, check);
      break;
  }
  if (check->outcome == INVARIANCE_OUTCOME_holds && check->difference.compared == 0) {
    check->outcome = INVARIANCE_OUTCOME_void;
  }
}

void invariance_check_afresh(executor_t *executor, const invariance_instance_t *instance,
                             uint32_t executions, arena_t *arena, invariance_check_t *out_check) {
  invariance_run_t base;
  invariance_run(executor, &instance->base, arena, &base);
  invariance_check(executor, instance, &base, executions, arena, out_check);
}
