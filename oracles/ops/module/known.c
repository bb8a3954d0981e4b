/* SPDX-License-Identifier: Apache-2.0 */
/* Values of which each element has one pattern, whoever computes them (theory.md, T217), and the
 * steps that what is returned may be held against (theory.md, T218). */
#include <math.h>
#include <string.h>

#include "oracles/ops/data_movement/moves.h"
#include "oracles/ops/module/module.h"
#include "oracles/ops/reduce/gather.h"
#include "oracles/ops/reduce/reduce.h"

/* Elements of one value of which it is asked whether something else conforms. */
enum { PROVEN_MAX = 512 };

/* ---- What steps do --------------------------------------------------------------------------- */

bool module_step_is(const module_step_t *step, const char *name) {
  static const char prefix[] = "stablehlo.";
  const char *full = step->program.op->name;
  return strncmp(full, prefix, sizeof prefix - 1) == 0 &&
         strcmp(full + sizeof prefix - 1, name) == 0;
}

bool module_step_sums(const module_step_t *step) {
  return module_step_is(step, "dot_general") || module_step_is(step, "convolution") ||
         module_step_is(step, "reduce");
}

bool module_step_is_one_of(const module_step_t *step, const char *const names[]) {
  for (; *names != NULL; names++) {
    if (module_step_is(step, *names)) return true;
  }
  return false;
}

bool module_step_moves(const module_step_t *step) {
  static const char *const names[] = {"reshape", "transpose", "broadcast_in_dim", "concatenate",
                                      NULL};
  return module_step_is_one_of(step, names);
}

/* Largest or smallest elements of slices or windows, of one type. */
static bool picks(const module_step_t *step) {
  const program_t *program = &step->program;
  bool is_reduction = module_step_is(step, "reduce") && program->result_count == 1 &&
                      !reduce_has_written_body(program) &&
                      program->operands[0].quantization == NULL &&
                      program->operands[0].element == program->results[0].element;
  if (!is_reduction) return false;
  fold_body_t body = reduce_fold_body(program);
  return body == FOLD_MAXIMUM || body == FOLD_MINIMUM;
}

bool module_step_selects(const module_step_t *step) {
  static const char *const names[] = {"maximum", "minimum", "negate", NULL};
  return module_step_moves(step) || module_step_is_one_of(step, names) || picks(step);
}

/* Whether each result element is one operation on elements, rounded once at the most. */
static bool is_single(const module_step_t *step) {
  static const char *const names[] = {"add",     "subtract", "multiply", "shift_right_arithmetic",
                                      "convert", NULL};
  return module_step_selects(step) || module_step_is_one_of(step, names);
}

bool module_step_is_plain(const module_step_t *step) {
  const program_t *program = &step->program;
  bool is_quantized = program->results[0].quantization != NULL;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    is_quantized |= program->operands[i].quantization != NULL;
  }
  return !is_quantized;
}

/* ---- One pattern ----------------------------------------------------------------------------- */

static bool is_point(box_t box, double value) { return box.low == value && box.high == value; }

static bool conforms(const oracle_t *oracle, const oracle_call_t *call, size_t element,
                     uint64_t bits) {
  const tensor_t *result = &call->results[0];
  element_store(result->type.element, result->data, element, bits);
  answer_t answer = {.conforms = true};
  arena_mark_t mark = arena_mark(call->arena);
  status_t status = oracle->decide(call, 0, element, &answer);
  arena_rewind(call->arena, mark);
  return status != STATUS_OK || answer.conforms;
}

/* Whether `bits` conforms, and nothing else that an operation on these operands may give where one
 * of them, or the result, is no finite number but zero. */
static bool is_only(const oracle_t *oracle, const oracle_call_t *call, size_t element,
                    uint64_t bits) {
  const program_t *program = &call->instance->program;
  const element_t *type = program->results[0].element;
  const format_t *format = type->format;
  const double numbers[] = {0, -0.0, INFINITY, -INFINITY, NAN};
  uint64_t candidates[G_N_ELEMENTS(numbers) + CASE_OPERANDS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
    candidates[count++] = format_from_double(format, numbers[i]);
  }
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const tensor_t *operand = &call->instance->operands[i];
    bool is_alike = operand->type.element == type && element < type_element_count(&operand->type);
    if (is_alike) candidates[count++] = element_load(type, operand->data, element);
  }
  bool is_nan = format_is_nan(format, bits), holds = true;
  for (size_t i = 0; i < count && holds; i++) {
    bool is_same = candidates[i] == bits || (is_nan && format_is_nan(format, candidates[i]));
    holds = is_same || !conforms(oracle, call, element, candidates[i]);
  }
  return holds & conforms(oracle, call, element, bits); /* Written last: it stays. */
}

/* Whether an operand of the element is infinite or NaN. */
static bool has_special_operand(const case_t *known, size_t element) {
  for (uint32_t i = 0; i < known->program.operand_count; i++) {
    const tensor_t *operand = &known->operands[i];
    if (element >= type_element_count(&operand->type)) continue;
    if (!box_is_finite(box_make_point(operand, element))) return true;
  }
  return false;
}

/* What an answer to is_only() follows from: the pattern that is moved, or those of the operands of
 * a single operation, wherever they are. */
enum { KEY_OPERANDS_MAX = 2, ASKED_MAX = 64 };
typedef struct asked {
  bool is_set, is_only;
  uint64_t key[KEY_OPERANDS_MAX];
} asked_t;

/* What is asked about one value. */
typedef struct settling {
  const oracle_t *oracle; /* The step's. */
  const oracle_call_t *call;
  const module_step_t *step;
  const box_t *stored, *exact; /* `exact` is NULL where values are rounded. */
  size_t proven;
  asked_t asked[ASKED_MAX]; /* What was asked before, by a hash of its key. */
} settling_t;

/* False if the answer follows from more. */
static bool find_key(const settling_t *settling, size_t element, uint64_t bits,
                     uint64_t out_key[KEY_OPERANDS_MAX]) {
  const case_t *known = settling->call->instance;
  memset(out_key, 0, KEY_OPERANDS_MAX * sizeof *out_key);
  if (module_step_moves(settling->step)) {
    out_key[0] = bits;
    return true;
  }
  if (picks(settling->step) || known->program.operand_count > KEY_OPERANDS_MAX) return false;
  for (uint32_t i = 0; i < known->program.operand_count; i++) {
    const tensor_t *operand = &known->operands[i];
    if (element >= type_element_count(&operand->type)) return false;
    out_key[i] = element_load(operand->type.element, operand->data, element);
  }
  return true;
}

/* is_only(), asked once of elements that are alike. */
static bool is_only_alike(settling_t *settling, size_t element, uint64_t bits) {
  uint64_t key[KEY_OPERANDS_MAX];
  if (!find_key(settling, element, bits, key)) {
    return settling->proven++ < PROVEN_MAX &&
           is_only(settling->oracle, settling->call, element, bits);
  }
  uint64_t hash = (key[0] * 0x9e3779b97f4a7c15u) ^ (key[1] * 0xc2b2ae3d27d4eb4fu);
  asked_t *asked = &settling->asked[(hash >> 32) % ASKED_MAX];
  if (!asked->is_set || memcmp(asked->key, key, sizeof key) != 0) {
    if (settling->proven++ == PROVEN_MAX) return false;
    *asked = (asked_t){.is_set = true,
                       .is_only = is_only(settling->oracle, settling->call, element, bits)};
    memcpy(asked->key, key, sizeof key);
  }
  return asked->is_only;
}

static bool is_settled(settling_t *settling, size_t element, uint64_t bits) {
  const tensor_t *result = &settling->call->results[0];
  const box_t stored = settling->stored[element], value = box_make_point(result, element);
  const box_t *exact = settling->exact == NULL ? NULL : &settling->exact[element];
  bool is_float = result->type.element->format != NULL;
  if (box_is_finite(value)) {
    bool is_exact = exact == NULL || is_point(*exact, value.low);
    if (!is_point(stored, value.low) || !is_exact) return false;
    if (!is_float || value.low != 0) return true;
  } else if (!module_step_moves(settling->step)) {
    if (picks(settling->step) || !has_special_operand(settling->call->instance, element)) {
      return false;
    }
  }
  return is_only_alike(settling, element, bits);
}

const tensor_t *module_settle(const module_step_t *step, const case_t *known,
                              const contract_t *contract, const box_t *stored, const box_t *exact,
                              arena_t *arena) {
  const oracle_t *oracle = oracle_find(step->program.op);
  if (oracle == NULL || !is_single(step) || !module_step_is_plain(step)) return NULL;
  tensor_t *result = arena_alloc(arena, sizeof *result);
  *result = tensor_make(arena, &step->program.results[0]);
  failure_t unused;
  decision_memo_t memo;
  decision_memo_init(&memo);
  oracle_call_t call = {.instance = known, .arena = arena, .error = &unused};
  const implementation_model_t plain = schedule_plain();
  bool is_known = oracle->simulate(&call, &plain, result) == STATUS_OK;
  call.contract = contract;
  call.results = result;
  call.memo = &memo;
  settling_t settling = {
      .oracle = oracle, .call = &call, .step = step, .stored = stored, .exact = exact};
  size_t count = type_element_count(&result->type);
  for (size_t i = 0; i < count && is_known; i++) {
    is_known = is_settled(&settling, i, element_load(result->type.element, result->data, i));
  }
  decision_memo_deinit(&memo);
  return is_known ? result : NULL;
}

/* ---- What is returned ------------------------------------------------------------------------ */

typedef struct places {
  const size_t *before; /* Or NULL: each its own. */
  size_t *after;
} places_t;

static void note_place(const move_t *move, size_t from, size_t to, void *context) {
  (void)move;
  places_t *places = context;
  places->after[to] = from;
}

/* By element of what is returned, the element of the step's operand; `places` is of its result. */
static const size_t *move_places(const module_step_t *step, const size_t *places, size_t count,
                                 arena_t *arena) {
  const program_t *program = &step->program;
  size_t moved_count = type_element_count(&program->results[0]);
  places_t moved = {.after = ARENA_NEW_ARRAY(arena, size_t, moved_count)};
  moves_t moves = moves_make(program, FAULT_NONE);
  move_each(program, &moves.items[0], note_place, &moved);
  size_t *joined = ARENA_NEW_ARRAY(arena, size_t, count);
  for (size_t i = 0; i < count; i++) joined[i] = moved.after[places == NULL ? i : places[i]];
  return joined;
}

/* Whether sets of the step are those of what is returned of it. */
static bool may_be_asked(const module_step_t *step, bool may_be_wider) {
  const oracle_t *oracle = oracle_find(step->program.op);
  bool may_be_fused = may_be_wider && !module_step_is_plain(step);
  return oracle != NULL && oracle->decide != NULL && !oracle->has_joint_results && !may_be_fused;
}

static bool is_flushed(const module_step_t *step, const contract_t *contract) {
  return PERMITTED(contract, ftz) != FTZ_NONE && step->program.results[0].element->format != NULL;
}

static uint32_t result_of(const module_step_t *step, module_value_t value) {
  uint32_t result = 0;
  while (step->results[result] != value) result++;
  return result;
}

bool module_find_root(const module_t *module, module_value_t *inout_value,
                      const module_rooting_t *rooting, module_root_t *out_root) {
  module_value_t value = *inout_value;
  const module_step_t *step = module_definition(module, value);
  const size_t *places = NULL;
  size_t count = 0;
  while (step != NULL) {
    if (count == 0) count = type_element_count(&step->program.results[result_of(step, value)]);
    if (rooting->find_known(rooting->context, step, &out_root->known)) {
      out_root->places = places;
      out_root->result = result_of(step, value);
      *inout_value = value;
      return may_be_asked(step, rooting->may_be_wider);
    }
    bool is_moved = module_step_moves(step) && step->program.operand_count == 1 &&
                    !is_flushed(step, rooting->contract) && module_step_is_plain(step);
    if (!is_moved) return false;
    places = move_places(step, places, count, rooting->arena);
    value = step->operands[0];
    step = module_definition(module, value);
  }
  return false;
}
