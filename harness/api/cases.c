/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of their own: copied, parsed, drawn. */
#include "harness/api/handles.h"
#include "harness/gen/gen.h"

assay_case_t *case_handle_new(const case_t *instance) {
  assay_case_t *handle = g_new0(assay_case_t, 1);
  arena_init(&handle->arena);
  handle->program = program_handle_new(&instance->program);
  case_t renamed = *instance;
  renamed.program = handle->program->program;
  for (uint32_t i = 0; i < renamed.program.operand_count; i++) {
    renamed.operands[i].type = renamed.program.operands[i];
  }
  handle->instance = case_copy(&handle->arena, &renamed);
  return handle;
}

void assay_case_free(assay_case_t *instance) {
  if (instance == NULL) return;
  assay_program_free(instance->program);
  arena_deinit(&instance->arena);
  g_free(atomic_load(&instance->line));
  g_free(instance);
}

static status_t new_case(call_t *call, const assay_program_handle_t *program,
                         const tensor_list_t *operands, assay_case_t **out_case) {
  if (out_case == NULL) return fail_null(call, "out_case", "give where the case goes");
  STATUS_TRY(check_bounded(call, program));
  arena_t arena;
  arena_init(&arena);
  case_t instance = {.program = program->program};
  status_t status = tensors_borrow(call, operands, program->program.operands,
                                   program->program.operand_count, &arena, instance.operands);
  if (status == STATUS_OK) *out_case = case_handle_new(&instance);
  arena_deinit(&arena);
  return status;
}

int32_t assay_case_new(const assay_program_handle_t *program, const assay_tensor_t *operands,
                       uint32_t operand_count, assay_case_t **out_case, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  const tensor_list_t given = {operands, operand_count, "operand"};
  return call_end(&call, new_case(&call, program, &given, out_case));
}

static status_t parse_case(call_t *call, const char *line, assay_case_t **out_case) {
  if (out_case == NULL) return fail_null(call, "out_case", "give where the case goes");
  if (line == NULL) return fail_null(call, "line", "give a case line");
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *violation = NULL;
  status_t status = case_parse(str_from(line), &arena, &instance, &violation, &call->failure);
  if (status == STATUS_OK && violation != NULL) {
    const op_constraint_t *broken = op_constraint_find(instance.program.op, violation);
    g_autoptr(GString) text = g_string_new(NULL);
    op_constraint_explain(instance.program.op, broken, text);
    status = status_fail(&call->failure,
                         op_constraint_is_forbidden(broken) ? STATUS_INVALID : STATUS_UNSUPPORTED,
                         "the program %.400s", text->str);
  }
  if (status == STATUS_OK) *out_case = case_handle_new(&instance);
  arena_deinit(&arena);
  return status;
}

int32_t assay_case_parse(const char *line, assay_case_t **out_case, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, parse_case(&call, line, out_case));
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* What is drawn. */
typedef struct drawing {
  const op_t *op;
  const char *types;
  strata_t strata;
} drawing_t;

/* A valid program of the types that are asked for. */
static status_t draw_program(call_t *call, const drawing_t *drawing, rng_t *rng, arena_t *arena,
                             program_t *out_program, stratum_t *out_stratum) {
  enum { ATTEMPTS = 20000 };
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  const contract_t contract = contract_backend();
  options.contract = &contract;
  for (int i = 0; i < ATTEMPTS; i++) {
    *out_stratum = strata_draw(&drawing->strata, rng);
    options.limits = stratum_limits(*out_stratum, rng);
    const char *broken;
    gen_program(rng, drawing->op, &options, arena, out_program, &broken);
    if (program_has_types(out_program, drawing->types)) return STATUS_OK;
    arena_reset(arena);
  }
  return status_fail(&call->failure, STATUS_INVALID,
                     "none of %d programs of %s has the types '%.100s'; give an element type "
                     "(\"f32\"), or all types (\"bf16,bf16->f32\")",
                     (int)ATTEMPTS, drawing->op->name, drawing->types);
}

static status_t read_draw(call_t *call, const assay_draw_t *draw, drawing_t *out_drawing) {
  if (draw == NULL) return fail_null(call, "draw", "give an assay_draw_t");
  STATUS_TRY(check_struct(call, "assay_draw_t", draw->struct_size, sizeof *draw));
  *out_drawing = (drawing_t){.types = draw->types, .strata = strata_default()};
  if (draw->strata != NULL) {
    STATUS_TRY(strata_parse(str_from(draw->strata), &out_drawing->strata, &call->failure));
  }
  if (draw->program != NULL) {
    if (draw->op != NULL || draw->types != NULL) {
      return status_fail(&call->failure, STATUS_INVALID,
                         "draw has a program and an op or types too; give one of the two");
    }
    return check_bounded(call, draw->program);
  }
  if (draw->op == NULL) return fail_null(call, "draw.op", "name one, or give a program");
  out_drawing->op = op_find(str_from(draw->op));
  if (out_drawing->op != NULL) return STATUS_OK;
  return status_fail(&call->failure, STATUS_INVALID,
                     "there is no op '%.80s'; assay_op_name() and `assay ops` list them", draw->op);
}

static status_t draw_case(call_t *call, assay_context_t *context, const assay_draw_t *draw,
                          assay_case_t **out_case) {
  if (out_case == NULL) return fail_null(call, "out_case", "give where the case goes");
  drawing_t drawing;
  STATUS_TRY(read_draw(call, draw, &drawing));
  rng_t rng = rng_make(draw->seed);
  program_t program;
  stratum_t stratum;
  if (draw->program != NULL) {
    program = draw->program->program;
    stratum = strata_draw(&drawing.strata, &rng);
  } else {
    STATUS_TRY(draw_program(call, &drawing, &rng, &context->arena, &program, &stratum));
  }
  case_t instance = case_make(&context->arena, &program);
  gen_data_in_stratum(&rng, stratum, &instance);
  *out_case = case_handle_new(&instance);
  return STATUS_OK;
}

int32_t assay_case_draw(assay_context_t *context, const assay_draw_t *draw, assay_case_t **out_case,
                        assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  status_t status = context_take(&call, context);
  if (status != STATUS_OK) return call_end(&call, status);
  status = draw_case(&call, context, draw, out_case);
  context_give_back(context);
  return call_end(&call, status);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Made once it is asked for: several threads may, and the first one's stays. */
const char *assay_case_line(const assay_case_t *instance) {
  if (instance == NULL) return NULL;
  _Atomic(char *) *line = &((assay_case_t *)(uintptr_t)instance)->line;
  char *known = atomic_load(line);
  if (known != NULL) return known;
  call_t call;
  call_begin(&call, NULL);
  GString *text = g_string_new(NULL);
  case_print(&instance->instance, text);
  char *made = g_string_free(text, FALSE);
  call_end(&call, STATUS_OK);
  if (atomic_compare_exchange_strong(line, &known, made)) return made;
  g_free(made);
  return known;
}

const assay_program_handle_t *assay_case_program(const assay_case_t *instance) {
  return instance == NULL ? NULL : instance->program;
}

static status_t read_operand(call_t *call, const assay_case_t *instance, uint32_t index,
                             assay_tensor_t *out_operand) {
  if (instance == NULL) return fail_null(call, "instance", "make one with assay_case_new()");
  if (out_operand == NULL) return fail_null(call, "out_operand", "give where the tensor goes");
  STATUS_TRY(check_struct(call, "assay_tensor_t", out_operand->struct_size, sizeof *out_operand));
  if (index >= instance->instance.program.operand_count) {
    return status_fail(&call->failure, STATUS_INVALID, "there is no operand %u; the case has %u",
                       index, instance->instance.program.operand_count);
  }
  const assay_tensor_t shown =
      tensor_show(&instance->instance.operands[index], instance->program->operand_elements[index]);
  write_struct(out_operand, &shown, sizeof shown);
  return STATUS_OK;
}

int32_t assay_case_operand(const assay_case_t *instance, uint32_t index,
                           assay_tensor_t *out_operand, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, read_operand(&call, instance, index, out_operand));
}
