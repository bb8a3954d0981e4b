/* SPDX-License-Identifier: Apache-2.0 */
/* What compilers make of quotients: one of several, and products of those by roots and exponentials
 * (theory.md, T269 and T270). */
#include "oracles/ops/module/module.h"

/* A value as a quotient of two terms. */
typedef struct fraction {
  const module_term_t *above, *below;
} fraction_t;

typedef struct fractions {
  uint32_t count;
  fraction_t items[MODULE_FORMS_MAX];
} fractions_t;

/* Values that are used twice double what is made of them at each step: of much nothing is said. */
enum { TERMS_MAX = 512, TERM_SIZE_MAX = 128 };
typedef struct finder {
  const module_t *module;
  arena_t *arena;
  uint32_t term_count; /* That were made. */
  bool is_over;        /* They are too many, or too large, or did not fit; not all are found. */
} finder_t;

/* ---- Terms ----------------------------------------------------------------------------------- */

static const module_term_t *keep(finder_t *finder, module_term_t term) {
  module_term_t *kept = arena_alloc(finder->arena, sizeof *kept);
  *kept = term;
  kept->size = 1;
  for (uint32_t i = 0; i < 2; i++) {
    if (term.operands[i] != NULL) kept->size += term.operands[i]->size;
  }
  finder->is_over |= ++finder->term_count > TERMS_MAX || kept->size > TERM_SIZE_MAX;
  return kept;
}

static const module_term_t *term_of(finder_t *finder, module_value_t value) {
  return keep(finder, (module_term_t){.value = value});
}

/* stablehlo.NAME of terms of one type; of one alone if there is no second. */
static const module_term_t *apply(finder_t *finder, const char *name, const type_t *type,
                                  const module_term_t *first, const module_term_t *second) {
  g_autofree char *full = g_strconcat("stablehlo.", name, NULL);
  program_t *program = arena_alloc(finder->arena, sizeof *program);
  *program = (program_t){.op = op_find(str_from(full)),
                         .operand_count = second == NULL ? 1 : 2,
                         .result_count = 1,
                         .operands = {*type, *type},
                         .results = {*type}};
  return keep(finder, (module_term_t){.program = program, .operands = {first, second}});
}

/* The term, moved as the step moves its operand. */
static const module_term_t *move(finder_t *finder, const module_step_t *step,
                                 const module_term_t *term) {
  return keep(finder, (module_term_t){.program = &step->program, .operands = {term}});
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* An op on floats of one type, whose result has it: in all dimensions too. */
static bool is_plain(const program_t *program) {
  const type_t *result = &program->results[0];
  if (program->result_count != 1 || result->quantization != NULL) return false;
  if (result->element->format == NULL || result->element->components != 1) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *operand = &program->operands[i];
    if (operand->quantization != NULL || operand->element != result->element) return false;
  }
  return true;
}

static bool is_plain_one(const module_step_t *step, const char *name) {
  return step != NULL && module_step_is(step, name) && is_plain(&step->program);
}

static bool moves_one(const module_step_t *step) {
  return step != NULL && step->program.operand_count == 1 && module_step_moves(step) &&
         is_plain(&step->program);
}

/* ---- Quotients ------------------------------------------------------------------------------- */

static void add_fraction(finder_t *finder, fractions_t *fractions, const module_term_t *above,
                         const module_term_t *below) {
  if (fractions->count == MODULE_FORMS_MAX) finder->is_over = true;
  if (finder->is_over) return;
  fractions->items[fractions->count++] = (fraction_t){.above = above, .below = below};
}

static void find_fractions(finder_t *finder, module_value_t value, fractions_t *out);

static void move_fractions(finder_t *finder, const module_step_t *step, fractions_t *out) {
  fractions_t own;
  find_fractions(finder, step->operands[0], &own);
  for (uint32_t i = 0; i < own.count; i++) {
    add_fraction(finder, out, move(finder, step, own.items[i].above),
                 move(finder, step, own.items[i].below));
  }
}

/* Of x / y: x / y itself; a / (b y) of x = a / b; x d / c of y = c / d; a d / (b c) of both. */
static void divide_fractions(finder_t *finder, const module_step_t *step, fractions_t *out) {
  const type_t *type = &step->program.results[0];
  const module_term_t *left = term_of(finder, step->operands[0]);
  const module_term_t *right = term_of(finder, step->operands[1]);
  fractions_t of_left, of_right;
  find_fractions(finder, step->operands[0], &of_left);
  find_fractions(finder, step->operands[1], &of_right);
  add_fraction(finder, out, left, right);
  for (uint32_t i = 0; i < of_left.count; i++) {
    const fraction_t *own = &of_left.items[i];
    add_fraction(finder, out, own->above, apply(finder, "multiply", type, own->below, right));
  }
  for (uint32_t i = 0; i < of_right.count; i++) {
    const fraction_t *other = &of_right.items[i];
    add_fraction(finder, out, apply(finder, "multiply", type, left, other->below), other->above);
    for (uint32_t k = 0; k < of_left.count; k++) {
      const fraction_t *own = &of_left.items[k];
      add_fraction(finder, out, apply(finder, "multiply", type, own->above, other->below),
                   apply(finder, "multiply", type, own->below, other->above));
    }
  }
}

static void find_fractions(finder_t *finder, module_value_t value, fractions_t *out) {
  const module_step_t *step = module_definition(finder->module, value);
  out->count = 0;
  if (finder->is_over) return;
  if (moves_one(step)) {
    move_fractions(finder, step, out);
  } else if (is_plain_one(step, "divide")) {
    divide_fractions(finder, step, out);
  }
}

/* ---- Exponentials and roots ------------------------------------------------------------------ */

/* What a value is the exponential of: of exp(a) a, of products the sum, of quotients the
 * difference; NULL if it is none. */
static const module_term_t *find_exponent(finder_t *finder, module_value_t value) {
  const module_step_t *step = module_definition(finder->module, value);
  if (finder->is_over) return NULL;
  if (is_plain_one(step, "exponential")) return term_of(finder, step->operands[0]);
  if (moves_one(step)) {
    const module_term_t *own = find_exponent(finder, step->operands[0]);
    return own == NULL ? NULL : move(finder, step, own);
  }
  bool multiplies = is_plain_one(step, "multiply");
  if (!multiplies && !is_plain_one(step, "divide")) return NULL;
  const module_term_t *left = find_exponent(finder, step->operands[0]);
  const module_term_t *right = left == NULL ? NULL : find_exponent(finder, step->operands[1]);
  if (right == NULL) return NULL;
  const char *name = multiplies ? "add" : "subtract";
  return apply(finder, name, &step->program.results[0], left, right);
}

/* The inverse of a divisor that is a root or an exponential, moved perhaps, as one function; NULL
 * if it is none. */
static const module_term_t *find_inverse(finder_t *finder, module_value_t value) {
  const module_step_t *step = module_definition(finder->module, value);
  if (moves_one(step)) {
    const module_term_t *own = find_inverse(finder, step->operands[0]);
    return own == NULL ? NULL : move(finder, step, own);
  }
  bool is_root = is_plain_one(step, "sqrt"), is_exponential = is_plain_one(step, "exponential");
  if (!is_root && !is_exponential && !is_plain_one(step, "rsqrt")) return NULL;
  const type_t *type = &step->program.results[0];
  const module_term_t *operand = term_of(finder, step->operands[0]);
  if (!is_exponential) return apply(finder, is_root ? "rsqrt" : "sqrt", type, operand, NULL);
  return apply(finder, "exponential", type, apply(finder, "negate", type, operand, NULL), NULL);
}

/* ---- All ------------------------------------------------------------------------------------- */

static void add_form(module_forms_t *forms, const module_term_t *term) {
  forms->has_more |= forms->count == MODULE_FORMS_MAX;
  if (!forms->has_more) forms->items[forms->count++] = term;
}

static void add_products(finder_t *finder, const module_step_t *step, bool inverts,
                         module_forms_t *out_forms) {
  const type_t *type = &step->program.results[0];
  const module_term_t *left = term_of(finder, step->operands[0]);
  const module_term_t *inverse = find_inverse(finder, step->operands[1]);
  if (inverse != NULL) add_form(out_forms, apply(finder, "multiply", type, left, inverse));
  fractions_t divisors = {.count = 0};
  if (inverts) find_fractions(finder, step->operands[1], &divisors);
  for (uint32_t i = 0; i < divisors.count; i++) {
    inverse = apply(finder, "divide", type, divisors.items[i].below, divisors.items[i].above);
    add_form(out_forms, apply(finder, "multiply", type, left, inverse));
  }
}

void module_find_forms(const module_t *module, const module_step_t *step, bool inverts,
                       arena_t *arena, module_forms_t *out_forms) {
  finder_t finder = {.module = module, .arena = arena};
  const type_t *type = &step->program.results[0];
  bool divides = is_plain_one(step, "divide");
  out_forms->count = 0;
  out_forms->has_more = false;
  if (!divides && !is_plain_one(step, "multiply")) return;
  if (divides) {
    fractions_t fractions;
    find_fractions(&finder, step->results[0], &fractions);
    for (uint32_t i = 1; i < fractions.count; i++) { /* The first is the step. */
      const fraction_t *own = &fractions.items[i];
      add_form(out_forms, apply(&finder, "divide", type, own->above, own->below));
    }
    add_products(&finder, step, inverts, out_forms);
  }
  const module_term_t *exponent = find_exponent(&finder, step->results[0]);
  if (exponent != NULL) add_form(out_forms, apply(&finder, "exponential", type, exponent, NULL));
  out_forms->has_more |= finder.is_over;
}

bool module_find_others(const module_t *module, const module_step_t *step,
                        const contract_t *contract, arena_t *arena, module_others_t *out_others) {
  const uint8_t algebra = PERMITTED(contract, algebra);
  *out_others = (module_others_t){.has_numbers = false};
  if (algebra == ALGEBRA_NONE) return false;
  bool divides = module_divides_numbers(contract);
  out_others->has_numbers = module_find_numbers(module, step, divides, arena, &out_others->numbers);
  if (algebra >= ALGEBRA_QUOTIENTS) {
    module_find_forms(module, step, divides, arena, &out_others->forms);
  }
  out_others->has_scales =
      algebra == ALGEBRA_SCALES && module_find_scales(module, step, &out_others->scales);
  return out_others->has_numbers || out_others->has_scales || out_others->forms.count > 0 ||
         out_others->forms.has_more;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static status_t enclose_term(const module_algebra_t *algebra, const module_term_t *term,
                             const type_t *type, const box_t **out_boxes) {
  size_t count = type_element_count(type);
  if (term->program == NULL && !term->is_one) {
    *out_boxes = algebra->boxes[term->value];
    return STATUS_OK;
  }
  box_t *made = ARENA_NEW_ARRAY(algebra->arena, box_t, count);
  *out_boxes = made;
  for (size_t i = 0; i < count; i++) made[i] = box_point(1);
  if (term->is_one) return STATUS_OK;
  const box_t *operands[2] = {NULL};
  for (uint32_t i = 0; i < term->program->operand_count; i++) {
    STATUS_TRY(enclose_term(algebra, term->operands[i], &term->program->operands[i], &operands[i]));
  }
  return module_combine(algebra, term->program, operands, made);
}

/* Of the last operation what is stored: what is kept follows from that, as of any step (T175). */
status_t module_add_forms(const module_algebra_t *algebra, const module_step_t *step,
                          const module_forms_t *forms, box_t *inout_boxes) {
  const size_t elements = type_element_count(&step->program.results[0]);
  box_t *made[] = {ARENA_NEW_ARRAY(algebra->arena, box_t, elements)};
  for (uint32_t i = 0; i < forms->count; i++) {
    const module_term_t *form = forms->items[i];
    const box_t *operands[2] = {NULL};
    for (uint32_t k = 0; k < form->program->operand_count; k++) {
      STATUS_TRY(
          enclose_term(algebra, form->operands[k], &form->program->operands[k], &operands[k]));
    }
    STATUS_TRY(
        algebra->enclose(algebra->context, form->program, algebra->contract, operands, made));
    for (size_t k = 0; k < elements; k++) inout_boxes[k] = box_unite(inout_boxes[k], made[0][k]);
  }
  return STATUS_OK;
}

status_t module_add_others(const module_algebra_t *algebra, const module_step_t *step,
                           const module_others_t *others, box_t *inout_boxes) {
  if (others->forms.has_more || (others->has_scales && others->scales.has_more)) {
    size_t count = type_element_count(&step->program.results[0]);
    for (size_t i = 0; i < count; i++) inout_boxes[i] = box_whole_line();
    return STATUS_OK;
  }
  if (others->has_numbers) {
    STATUS_TRY(module_add_algebra(algebra, step, &others->numbers, inout_boxes));
  }
  STATUS_TRY(module_add_forms(algebra, step, &others->forms, inout_boxes));
  if (!others->has_scales) return STATUS_OK;
  *algebra->is_scaled = true;
  status_t status = module_add_scales(algebra, &others->scales, inout_boxes);
  *algebra->is_scaled = false;
  return status;
}

/* ---- A model --------------------------------------------------------------------------------- */

static void fill_ones(tensor_t *tensor) {
  const element_t *element = tensor->type.element;
  for (size_t i = 0; i < type_element_count(&tensor->type); i++) {
    element_store(element, tensor->data, i, format_from_double(element->format, 1));
  }
}

status_t module_simulate_term(const oracle_call_t *call, const module_term_t *term,
                              const type_t *type, const implementation_model_t *schedule,
                              const tensor_t *values, tensor_t *out_tensor) {
  if (term->program == NULL && !term->is_one) {
    *out_tensor = values[term->value];
    out_tensor->type = *type;
    return STATUS_OK;
  }
  *out_tensor = tensor_make(call->arena, type);
  if (term->is_one) fill_ones(out_tensor);
  if (term->is_one) return STATUS_OK;
  tensor_t own[2];
  const tensor_t *operands[] = {&own[0], &own[1]};
  for (uint32_t i = 0; i < term->program->operand_count; i++) {
    STATUS_TRY(module_simulate_term(call, term->operands[i], &term->program->operands[i], schedule,
                                    values, &own[i]));
  }
  return module_simulate_program(call, term->program, operands, schedule, out_tensor);
}

status_t module_simulate_forms(const oracle_call_t *call, const module_step_t *step,
                               const module_forms_t *forms, const implementation_model_t *schedule,
                               tensor_t *values) {
  const module_term_t *form = forms->items[schedule->other_way ? 0 : forms->count - 1];
  return module_simulate_term(call, form, &step->program.results[0], schedule, values,
                              &values[step->results[0]]);
}
