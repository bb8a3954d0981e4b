/* SPDX-License-Identifier: Apache-2.0 */
/* Draws programs, valid ones under a contract or ones changed at random until they break a chosen
 * constraint, and fills operands by a regime; falls back to a valid program where a constraint
 * cannot be broken. */
#include "harness/gen/gen.h"

#include "harness/draw/draw_quantization.h"
#include "harness/draw/special_values.h"
#include "harness/gen/regime.h"

/* ---- Programs -------------------------------------------------------------------------------- */

gen_options_t gen_options_default(void) {
  return (gen_options_t){.limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512},
                         .invalid_one_in = 50};
}

/* What published texts disagree about is drawn as the contract has it.  Ops draw whatever one of
 * them permits, so that nothing here ever needs all attempts. */
static void draw_valid(rng_t *rng, const op_t *op, const gen_options_t *options, arena_t *arena,
                       program_t *out_program) {
  enum { ATTEMPTS = 10000 };
  arena_mark_t mark = arena_mark(arena);
  for (int i = 0; i < ATTEMPTS; i++) {
    arena_rewind(arena, mark);
    *out_program = (program_t){.op = op};
    op->draw(rng, &options->limits, arena, out_program);
    if (options->contract == NULL) return;
    if (program_broken_under(out_program, NULL, options->contract) == NULL) return;
  }
  g_error("no program of %s is valid under the contract", op->name);
}

/* Rows that forbid something, which a case line can hold, of a list that may be NULL. */
static uint64_t count_breakable(const op_constraint_t *rows) {
  uint64_t count = 0;
  for (; rows != NULL && rows->id != NULL; rows++) count += op_constraint_is_breakable(rows);
  return count;
}

static const op_constraint_t *breakable_at(const op_constraint_t *rows, uint64_t index) {
  for (;; rows++) {
    if (!op_constraint_is_breakable(rows)) continue;
    if (index-- == 0) return rows;
  }
}

/* Draws a program that the contract alone makes an invalid one, or NULL. */
static const char *break_under(rng_t *rng, const op_t *op, const gen_options_t *options,
                               arena_t *arena, program_t *out_program) {
  enum { ATTEMPTS = 200 }; /* Of some ops one program in a hundred breaks one. */
  if (options->contract == NULL) return NULL;
  gen_options_t any = *options;
  any.contract = NULL;
  for (int i = 0; i < ATTEMPTS; i++) {
    draw_valid(rng, op, &any, arena, out_program);
    const op_constraint_t *broken = program_broken_under(out_program, NULL, options->contract);
    if (op_constraint_is_forbidden(broken)) return broken->id;
  }
  return NULL;
}

/* Breaks a random constraint of those that are forbidden to break; NULL if that one could not be
 * broken. */
static const char *try_broken(rng_t *rng, const op_t *op, const gen_options_t *options,
                              arena_t *arena, program_t *out_program) {
  uint64_t count = count_breakable(op->constraints);
  uint64_t under = options->contract == NULL ? 0 : count_breakable(op->contract_constraints);
  if (count + under == 0) return NULL;
  uint64_t index = rng_below(rng, count + under);
  if (index >= count) return break_under(rng, op, options, arena, out_program);
  const char *id = breakable_at(op->constraints, index)->id;
  return gen_broken_program(rng, op, id, options, arena, out_program) ? id : NULL;
}

static bool takes_turn(rng_t *rng, const gen_options_t *options) {
  return options->invalid_one_in > 0 && rng_one_in(rng, options->invalid_one_in);
}

bool gen_will_break(const rng_t *rng, const gen_options_t *options) {
  rng_t ahead = *rng;
  return takes_turn(&ahead, options);
}

void gen_program(rng_t *rng, const op_t *op, const gen_options_t *options, arena_t *arena,
                 program_t *out_program, const char **out_broken) {
  enum { ATTEMPTS = 16 };
  *out_broken = NULL;
  if (takes_turn(rng, options)) {
    rng_t own = rng_make(rng_bits(rng)); /* However long it takes, what follows is the same. */
    for (int i = 0; i < ATTEMPTS; i++) {
      *out_broken = try_broken(&own, op, options, arena, out_program);
      if (*out_broken != NULL) return;
    }
  }
  draw_valid(rng, op, options, arena, out_program);
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* The columns of regimes.def, and what has none. */
typedef enum data_kind {
  DATA_corner,
  DATA_ordinary,
  DATA_deployed,
  DATA_extreme,
  DATA_KINDS,
  DATA_turning = DATA_KINDS,
  DATA_laned
} data_kind_t;

static const data_kind_t data_kinds[STRATUM_COUNT] = {
#define STRATUM(name, mark, share, sizes, rank_max, elements_max, terms_max, data, summary) \
  DATA_##data,
#include "harness/gen/strata.def"
#undef STRATUM
};

typedef struct regime {
  const char *name;
  uint64_t weights[DATA_KINDS];
  regime_fill_t *fill;
} regime_t;

static const regime_t regimes[REGIME_COUNT] = {
#define REGIME(name, corner, ordinary, deployed, extreme, summary) \
  {#name, {corner, ordinary, deployed, extreme}, regime_##name},
#include "harness/gen/regimes.def"
#undef REGIME
};

const char *gen_regime_name(gen_regime_t regime) { return regimes[regime].name; }

static gen_regime_t draw_regime(rng_t *rng, data_kind_t kind) {
  uint64_t total = 0;
  for (size_t i = 0; i < REGIME_COUNT; i++) total += regimes[i].weights[kind];
  uint64_t ticket = rng_below(rng, total);
  gen_regime_t regime = 0;
  while (ticket >= regimes[regime].weights[kind]) ticket -= regimes[regime++].weights[kind];
  return regime;
}

/* Initial values are neutral three times in four, since others are hidden by what they add. */
static void fill_init(rng_t *rng, const regime_operand_t *operand) {
  const element_t *element = operand->target.element;
  const program_t *program = operand->program;
  uint64_t choice = rng_below(rng, 16);
  for (size_t i = 0; i < operand->target.count; i++) {
    bool is_imaginary = i % element->components == 1;
    uint64_t bits;
    if (choice < 12) {
      bits = is_imaginary ? special_value_zero(element, false)
                          : program->op->neutral_bits(program, operand->number);
    } else if (choice < 14) {
      bits = special_value_integer(element, (int)rng_between(rng, -4, 4));
    } else {
      bits = special_value_any(rng, element);
    }
    element_store(element, operand->target.data, i, bits);
  }
}

static bool is_init(const program_t *program, uint32_t operand) {
  return program->op->is_init_operand != NULL && program->op->is_init_operand(program, operand);
}

/* Integers are sometimes 0, 1, 2, ... along the reduced dimensions.  A later input of a reduction
 * with initial values is so most often, or all ones: it goes with the first as its indices or
 * counts. */
static bool fill_counting(rng_t *rng, const regime_operand_t *operand) {
  const program_t *program = operand->program;
  bool is_companion = operand->number > 0 && is_init(program, program->operand_count - 1);
  uint64_t choice = rng_below(rng, 32);
  if (operand->reduced_dimensions != 0 && choice < (is_companion ? 16 : 1)) {
    number_operand(operand);
  } else if (is_companion && choice < 24) {
    fill_integers(rng, &operand->target, 1, 0);
  } else {
    return false;
  }
  return true;
}

/* Storage values of quantized operands are mostly drawn by what they stand for; what a regime of
 * integers gives is brought into their range by gen_settle(). */
static bool fill_stored(rng_t *rng, const regime_operand_t *operand) {
  const type_t *type = &operand->program->operands[operand->number];
  if (type->quantization == NULL || rng_one_in(rng, 3)) return false;
  tensor_t tensor = {.type = *type, .data = operand->target.data};
  draw_stored(rng, &tensor);
  return true;
}

static void fill_operand(rng_t *rng, gen_regime_t regime, const regime_operand_t *operand) {
  if (is_init(operand->program, operand->number)) {
    fill_init(rng, operand);
    return;
  }
  if (regime == REGIME_extremes) return regime_extremes(rng, operand);
  if (fill_stored(rng, operand)) return;
  if (!element_is_integer(operand->target.element) || !fill_counting(rng, operand)) {
    regimes[regime].fill(rng, operand);
  }
}

static regime_operand_t operand_make(const case_t *instance, uint32_t number, bool is_valid) {
  const program_t *program = &instance->program;
  const tensor_t *tensor = &instance->operands[number];
  return (regime_operand_t){
      .target = {.element = tensor->type.element,
                 .count = type_component_count(&tensor->type),
                 .data = tensor->data},
      .program = program,
      .number = number,
      .reduced_dimensions = is_valid && program->op->reduced_dimensions != NULL
                                ? program->op->reduced_dimensions(program, number)
                                : 0,
  };
}

regime_operand_t regime_operand_make(const case_t *instance, uint32_t number) {
  return operand_make(instance, number, program_broken(&instance->program) == NULL);
}

static bool has_edges(const program_t *program) {
  return program->op->draw_edges != NULL && program_broken(program) == NULL;
}

void gen_settle(rng_t *rng, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  for (uint32_t i = 0; i < program->operand_count; i++) clamp_stored(&inout_case->operands[i]);
  if (program->op->settle_operands == NULL || program_broken(program) != NULL) return;
  program->op->settle_operands(rng, inout_case);
}

static bool names_algorithm(const program_t *program) {
  return program->op->splits_operands != NULL && program->op->splits_operands(program);
}

void gen_data_in_regime(rng_t *rng, gen_regime_t regime, case_t *inout_case) {
  rng_t ahead = *rng;
  uint64_t case_key = rng_bits(&ahead);
  bool is_valid = program_broken(&inout_case->program) == NULL;
  for (uint32_t i = 0; i < inout_case->program.operand_count; i++) {
    regime_operand_t operand = operand_make(inout_case, i, is_valid);
    operand.case_key = case_key;
    operand.names_algorithm = names_algorithm(&inout_case->program);
    fill_operand(rng, regime, &operand);
  }
  if (regime == REGIME_edges && is_valid && inout_case->program.op->draw_edges != NULL) {
    inout_case->program.op->draw_edges(rng, inout_case);
  }
  gen_settle(rng, inout_case);
}

/* What an op says that its faults show in is most of the corner, and a part of ordinary data. */
static bool takes_edges(rng_t *rng, data_kind_t kind, const program_t *program) {
  if (kind > DATA_ordinary || !has_edges(program)) return false;
  return kind == DATA_corner ? !rng_one_in(rng, 3) : rng_one_in(rng, 4);
}

/* Long sums of narrow integers mostly stay small: a part of ordinary data has large ones. */
static bool takes_heavy(rng_t *rng, data_kind_t kind, const program_t *program) {
  bool is_ordinary = kind == DATA_ordinary || kind == DATA_deployed;
  return is_ordinary && regime_has_heavy(program) && rng_one_in(rng, 3);
}

/* Sums of ordinary data err by the root of the number of additions that a term passes, whatever
 * their order; of a small part of the data they err by that number.  All other data are what they
 * would be without. */
static bool takes_stagnant(const rng_t *rng, data_kind_t kind, const program_t *program) {
  enum { ONE_IN = 8, AHEAD = 3 };
  bool is_ordinary = kind == DATA_ordinary || kind == DATA_deployed;
  if (!is_ordinary || !regime_has_stagnant(program)) return false;
  rng_t ahead = *rng;
  for (int i = 0; i < AHEAD; i++) (void)rng_bits(&ahead);
  return rng_one_in(&ahead, ONE_IN);
}

/* Sums of so many narrow floats may be anything that is not far off, but for data of few terms. */
static bool takes_sparse(const rng_t *rng, data_kind_t kind, const program_t *program) {
  enum { ONE_IN = 2, AHEAD = 5 };
  bool is_ordinary = kind == DATA_ordinary || kind == DATA_deployed;
  if (!is_ordinary || !regime_has_sparse(program)) return false;
  rng_t ahead = *rng;
  for (int i = 0; i < AHEAD; i++) (void)rng_bits(&ahead);
  return rng_one_in(&ahead, ONE_IN);
}

static gen_regime_t choose_regime(rng_t *rng, data_kind_t kind, const program_t *program) {
  if (kind == DATA_turning && regime_has_turns(program)) return REGIME_turns;
  if (kind == DATA_laned && regime_has_lanes(program)) return REGIME_lanes;
  if (kind >= DATA_KINDS) kind = DATA_corner;
  if (takes_heavy(rng, kind, program)) return REGIME_heavy;
  if (takes_stagnant(rng, kind, program)) return REGIME_stagnant;
  if (takes_sparse(rng, kind, program)) return REGIME_sparse;
  if (takes_edges(rng, kind, program)) return REGIME_edges;
  bool splits = kind <= DATA_ordinary && names_algorithm(program);
  return splits && rng_one_in(rng, 2) ? REGIME_split : draw_regime(rng, kind);
}

gen_regime_t gen_data_in_stratum(rng_t *rng, stratum_t stratum, case_t *inout_case) {
  gen_regime_t regime = choose_regime(rng, data_kinds[stratum], &inout_case->program);
  gen_data_in_regime(rng, regime, inout_case);
  return regime;
}

bool gen_has_turns(const program_t *program) { return regime_has_turns(program); }

bool gen_has_lanes(const program_t *program) { return regime_has_lanes(program); }

stratum_t gen_data_stratum(rng_t *rng, const strata_t *strata, stratum_t own,
                           const program_t *program) {
  enum { ONE_IN = 6 };
  switch (rng_below(rng, ONE_IN)) {
    case 0:
      return strata->shares[STRATUM_lanes] > 0 && gen_has_lanes(program) ? STRATUM_lanes : own;
    case 1:
      return strata->shares[STRATUM_swept] > 0 && gen_has_turns(program) ? STRATUM_swept : own;
    default:
      return own;
  }
}

gen_regime_t gen_data(rng_t *rng, case_t *inout_case) {
  return gen_data_in_stratum(rng, STRATUM_corner, inout_case);
}
