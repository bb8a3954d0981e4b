/* SPDX-License-Identifier: Apache-2.0 */
/* Executes a case twice over different fill bytes. Bytes that keep the fill were never written;
 * other differences are nondeterminism; padding bits of narrow types are checked too. */
#include "harness/run/execute_twice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/model/dynamic/dynamic.h"

enum { POISON_FIRST = 0xa5, POISON_SECOND = 0x5a };

static uint64_t poison_pattern(const element_t *element, uint8_t poison) {
  uint64_t bits = 0;
  memset(&bits, poison, element->component_bytes);
  return bits;
}

/* Adds one component to what is known; a differing value outweighs unwritten ones. */
static void note(repeat_t *repeat, repeat_kind_t kind, uint32_t result, size_t component,
                 uint64_t first, uint64_t second) {
  if (repeat->kind != kind) {
    if (repeat->kind == REPEAT_DIFFERS) return;
    *repeat = (repeat_t){kind, result, component, 0, first, second};
  }
  repeat->count++;
}

/* A component counts as unwritten if any byte of it shows the poison in both runs and the other
 * bytes agree: wide elements may be written in part. */
static bool is_unwritten(const element_t *element, uint64_t first, uint64_t second) {
  uint64_t poison_first = poison_pattern(element, POISON_FIRST);
  uint64_t poison_second = poison_pattern(element, POISON_SECOND);
  for (unsigned byte = 0; byte < element->component_bytes; byte++) {
    uint64_t mask = (uint64_t)0xff << (8 * byte);
    bool agrees = ((first ^ second) & mask) == 0;
    bool is_poison = ((first ^ poison_first) & mask) == 0 && ((second ^ poison_second) & mask) == 0;
    if (!agrees && !is_poison) return false;
  }
  return true;
}

static void compare_result(const tensor_t *first, const tensor_t *second, uint32_t result,
                           repeat_t *repeat) {
  const element_t *element = first->type.element;
  size_t count = type_component_count(&first->type);
  for (size_t i = 0; i < count; i++) {
    uint64_t a = element_load(element, first->data, i);
    uint64_t b = element_load(element, second->data, i);
    if (a != b) {
      note(repeat, is_unwritten(element, a, b) ? REPEAT_UNWRITTEN : REPEAT_DIFFERS, result, i, a,
           b);
    }
  }
}

static void check_padding(const tensor_t *tensor, uint32_t result, repeat_t *repeat) {
  const element_t *element = tensor->type.element;
  uint64_t mask = element_mask(element);
  size_t count = type_component_count(&tensor->type);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = element_load(element, tensor->data, i);
    if ((bits & ~mask) != 0) note(repeat, REPEAT_PADDING, result, i, bits, bits);
  }
}

static void make_results(const program_t *program, arena_t *arena, tensor_t *out_results) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_results[i] = tensor_make(arena, &program->results[i]);
  }
}

static void note_execution(const execution_t *execution, executions_t *executions) {
  if (execution->wrote_out_of_bounds) executions->bad_result = execution->bad_result;
  executions->wrote_out_of_bounds |= execution->wrote_out_of_bounds;
  executions->changed_environment |= execution->changed_environment;
}

/* ---- Programs with unknown sizes ---------------------------------------------------------------
 * What an implementation keeps of an earlier execution, at another size, shows only if there was
 * one. */

enum { OTHER_SIZES_MAX = 2 };

/* The case with these sizes of the axes of `set`; false if there is none of the same program. */
static bool make_sized(const case_t *instance, const axes_t *axes, uint32_t set,
                       const axes_t *sized, arena_t *arena, case_t *out_case) {
  axes_t view = *sized;
  axes_selection_t selection = {0};
  for (uint32_t axis = 0; axis < axes->count; axis++) {
    if ((set >> axis & 1) == 0) continue;
    size_t before = (size_t)axes->items[axis].size, size = (size_t)view.items[axis].size;
    if (before == 0) return false;
    size_t *from = ARENA_NEW_ARRAY(arena, size_t, size);
    for (size_t i = 0; i < size; i++) from[i] = i % before;
    selection.from[axis] = from;
  }
  if (!axes_view(instance, axes, &selection, &view, arena, out_case)) return false;
  hash_text_t wanted = program_hash(&instance->program);
  return strcmp(program_hash(&out_case->program).text, wanted.text) == 0;
}

/* The cases that are run before `instance`, in this order, in the arena: of about half its size,
 * and larger than twice, in every dimension that is "?"; with its own entries, repeated.  Returns
 * how many there are: none of a program without unknown sizes. */
static size_t make_other_sizes(const case_t *instance, arena_t *arena,
                               case_t out_cases[OTHER_SIZES_MAX]) {
  const program_t *program = &instance->program;
  axes_t axes;
  uint32_t set;
  if (!program_is_dynamic(program) || !axes_of(program, &axes)) return 0;
  if (!dynamic_find(program, &axes, &set)) return 0;
  axes_t smaller = axes, larger = axes;
  bool is_smaller = false;
  for (uint32_t axis = 0; axis < axes.count; axis++) {
    if ((set >> axis & 1) == 0) continue;
    int64_t size = axes.items[axis].size;
    smaller.items[axis].size = (size + 1) / 2;
    larger.items[axis].size = 2 * size + 1;
    is_smaller |= smaller.items[axis].size < size;
  }
  size_t count = 0;
  if (is_smaller && make_sized(instance, &axes, set, &smaller, arena, &out_cases[count])) count++;
  if (make_sized(instance, &axes, set, &larger, arena, &out_cases[count])) count++;
  return count;
}

/* A compiled program, and the executions before that of the case itself, whose results are not
 * looked at. */
typedef struct subject {
  executor_t *executor;
  executor_program_t *program;
  arena_t *arena;
  case_t others[OTHER_SIZES_MAX];
  size_t other_count;
} subject_t;

static execution_t execute_after_others(const subject_t *subject, const case_t *instance,
                                        uint8_t poison, tensor_t *inout_results) {
  for (size_t i = 0; i < subject->other_count; i++) {
    const case_t *other = &subject->others[i];
    tensor_t results[CASE_RESULTS_MAX];
    arena_mark_t mark = arena_mark(subject->arena);
    make_results(&other->program, subject->arena, results);
    execution_t execution =
        executor_execute(subject->executor, subject->program, other->operands, poison, results);
    arena_rewind(subject->arena, mark);
    if (execution.outcome == EXECUTOR_REFUSED) continue; /* Of that size; not of the case's. */
    if (execution.outcome != EXECUTOR_OK || execution.wrote_out_of_bounds) return execution;
  }
  return executor_execute(subject->executor, subject->program, instance->operands, poison,
                          inout_results);
}

execution_t execute_twice(executor_t *executor, executor_program_t *program, const case_t *instance,
                          arena_t *arena, executions_t *out_executions) {
  out_executions->wrote_out_of_bounds = false;
  out_executions->changed_environment = false;
  out_executions->bad_result = 0;
  out_executions->repeat = (repeat_t){.kind = REPEAT_SAME};
  tensor_t *seconds = out_executions->results_again;
  make_results(&instance->program, arena, out_executions->results);
  make_results(&instance->program, arena, seconds);
  subject_t subject = {.executor = executor, .program = program, .arena = arena};
  subject.other_count = make_other_sizes(instance, arena, subject.others);
  execution_t execution =
      execute_after_others(&subject, instance, POISON_FIRST, out_executions->results);
  if (execution.outcome != EXECUTOR_OK) return execution;
  note_execution(&execution, out_executions);
  execution = execute_after_others(&subject, instance, POISON_SECOND, seconds);
  if (execution.outcome != EXECUTOR_OK) return execution;
  note_execution(&execution, out_executions);
  for (uint32_t i = 0; i < instance->program.result_count; i++) {
    const tensor_t *first = &out_executions->results[i];
    if (memcmp(first->data, seconds[i].data, type_bytes(&first->type)) != 0) {
      compare_result(first, &seconds[i], i, &out_executions->repeat);
    } else if (first->type.element->bits % 8 != 0) {
      check_padding(first, i, &out_executions->repeat);
    }
  }
  return execution;
}

uint8_t *repeat_mark(const executions_t *executions, uint32_t result, arena_t *arena) {
  const tensor_t *first = &executions->results[result];
  const tensor_t *second = &executions->results_again[result];
  const element_t *element = first->type.element;
  const size_t count = type_component_count(&first->type);
  uint8_t *differs = ARENA_NEW_ARRAY(arena, uint8_t, count);
  for (size_t i = 0; i < count; i++) {
    differs[i] =
        element_load(element, first->data, i) != element_load(element, second->data, i) ? 1 : 0;
  }
  return differs;
}

void repeat_describe(const program_t *program, const repeat_t *repeat, verdict_t *inout_verdict) {
  int digits = (program->results[repeat->result].element->bits + 3) / 4;
  inout_verdict->result = repeat->result;
  inout_verdict->component = repeat->component;
  inout_verdict->wrong_count = repeat->count;
  inout_verdict->got_bits = repeat->first;
  inout_verdict->component_count = 0;
  inout_verdict->untested_count = 0;
  inout_verdict->left_out_count = 0;
  for (uint32_t i = 0; i < program->result_count; i++) {
    inout_verdict->component_count += type_component_count(&program->results[i]);
  }
  snprintf(inout_verdict->got, sizeof inout_verdict->got,
           "0x%0*" PRIx64 " in the first run, 0x%0*" PRIx64 " in the second", digits, repeat->first,
           digits, repeat->second);
  snprintf(inout_verdict->expected, sizeof inout_verdict->expected, "%s",
           repeat->kind == REPEAT_DIFFERS ? "the same bits in both runs" : "a written element");
}
