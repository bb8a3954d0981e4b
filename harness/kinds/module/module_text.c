/* SPDX-License-Identifier: Apache-2.0 */
/* Modules as text: constants, steps, and what is returned. */
#include "harness/kinds/module/module.h"

typedef struct reader {
  scan_t *scan;
  arena_t *arena;
  failure_t *error;
  module_t module;
  tensor_t *constants;
  module_step_t *steps;
} reader_t;

static uint32_t defined_count(const reader_t *self) {
  return self->module.value_count - MODULE_ARGUMENTS_MAX;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static status_t read_value(reader_t *self, module_value_t *out_value) {
  scan_t start = *self->scan;
  bool is_argument = scan_accept(self->scan, "a");
  if (!is_argument && !scan_accept(self->scan, "v")) {
    return scan_fail_expecting(self->scan, self->error, "a value (a0 or v0)");
  }
  int64_t number;
  STATUS_TRY(scan_integer(self->scan, &number, self->error));
  if (is_argument && (number < 0 || number >= MODULE_ARGUMENTS_MAX)) {
    return scan_fail(&start, self->error, "a module has at most the operands a0 to a%d",
                     MODULE_ARGUMENTS_MAX - 1);
  }
  if (!is_argument && (number < 0 || number >= (int64_t)defined_count(self))) {
    return scan_fail(&start, self->error, "a value is named before it is used");
  }
  *out_value = (module_value_t)number + (is_argument ? 0 : MODULE_ARGUMENTS_MAX);
  return STATUS_OK;
}

/* Values with commas between them, up to ')'; at most `count_max`. */
static status_t read_values(reader_t *self, uint32_t count_max, module_value_t out_values[],
                            uint32_t *out_count) {
  uint32_t count = 0;
  if (!scan_accept(self->scan, ")")) {
    do {
      if (count == count_max) {
        return scan_fail(self->scan, self->error, "there are at most %u values here", count_max);
      }
      STATUS_TRY(read_value(self, &out_values[count++]));
    } while (scan_accept(self->scan, ","));
    STATUS_TRY(scan_expect(self->scan, ")", self->error));
  }
  *out_count = count;
  return STATUS_OK;
}

/* "v3", the next one. */
static status_t read_name(reader_t *self, module_value_t *out_value) {
  char name[16];
  g_snprintf(name, sizeof name, "v%u", defined_count(self));
  STATUS_TRY(scan_expect(self->scan, name, self->error));
  *out_value = self->module.value_count++;
  return STATUS_OK;
}

/* Behind "constant(". */
static status_t read_constant(reader_t *self) {
  module_t *module = &self->module;
  scan_t start = *self->scan;
  if (module->step_count > 0) {
    return scan_fail(&start, self->error, "constants come before the steps");
  }
  if (module->constant_count == MODULE_CONSTANTS_MAX) {
    return scan_fail(&start, self->error, "a module has at most %d constants",
                     (int)MODULE_CONSTANTS_MAX);
  }
  type_t type;
  STATUS_TRY(type_parse(self->scan, self->arena, &type, self->error));
  failure_t reason;
  if (type_check(&type, &reason) != STATUS_OK) {
    return scan_fail(&start, self->error, "%.250s", reason.text);
  }
  STATUS_TRY(scan_expect(self->scan, ",", self->error));
  /* The data end where the constant does; there they are read as an operand's are. */
  scan_t field = *self->scan;
  str_t digits = scan_until(self->scan, ")");
  scan_t data = {.begin = field.begin, .cursor = digits.data, .end = digits.data + digits.size};
  tensor_t *constant = &self->constants[module->constant_count++];
  STATUS_TRY(tensor_parse_data(&data, &type, self->arena, constant, self->error));
  if (!scan_at_end(&data)) return scan_fail_expecting(&data, self->error, "')'");
  return scan_expect(self->scan, ");", self->error);
}

/* The rest of a step: up to the ';' that no brace encloses. */
static str_t take_program(scan_t *scan) {
  const char *begin = scan->cursor;
  for (uint32_t depth = 0; !scan_at_end(scan); scan->cursor++) {
    char next = scan_peek(scan);
    if (next == ';' && depth == 0) break;
    if (next == '{') depth++;
    if (next == '}' && depth-- == 0) break;
  }
  return (str_t){.data = begin, .size = (size_t)(scan->cursor - begin)};
}

static status_t check_counts(reader_t *self, const scan_t *start, const module_step_t *step,
                             uint32_t operands, uint32_t results) {
  if (step->program.operand_count == operands && step->program.result_count == results) {
    return STATUS_OK;
  }
  return scan_fail(start, self->error, "the program of the step takes %u values and gives %u",
                   step->program.operand_count, step->program.result_count);
}

/* Behind "v1,v2=": "stablehlo.add(a0,v0) f32[2] f32[2] -> f32[2];" */
static status_t read_step(reader_t *self, module_step_t *step, uint32_t results) {
  scan_t start = *self->scan;
  str_t op = scan_until(self->scan, "(;} ");
  STATUS_TRY(scan_expect(self->scan, "(", self->error));
  uint32_t operands;
  /* Its own results are no operands of it. */
  self->module.value_count -= results;
  STATUS_TRY(read_values(self, CASE_OPERANDS_MAX, step->operands, &operands));
  self->module.value_count += results;
  str_t rest = take_program(self->scan);
  g_autofree char *line = g_strdup_printf("%.*s%.*s", STR_FORMAT(op), STR_FORMAT(rest));
  if (str_equal_text(op, "module")) {
    return scan_fail(&start, self->error, "a module has no module as a step");
  }
  const char *violation;
  failure_t reason = {0};
  status_t status = program_parse(str_from(line), self->arena, &step->program, &violation, &reason);
  if (status != STATUS_OK) {
    return scan_fail(&start, self->error, "in this step: %.400s", reason.text);
  }
  STATUS_TRY(check_counts(self, &start, step, operands, results));
  return scan_expect(self->scan, ";", self->error);
}

/* A constant or a step. */
static status_t read_definition(reader_t *self) {
  module_t *module = &self->module;
  scan_t start = *self->scan;
  if (module->step_count == MODULE_STEPS_MAX) {
    return scan_fail(&start, self->error, "a module has at most %d steps", (int)MODULE_STEPS_MAX);
  }
  module_step_t *step = &self->steps[module->step_count];
  *step = (module_step_t){.operands = {0}};
  uint32_t results = 0;
  do {
    if (results == CASE_RESULTS_MAX) {
      return scan_fail(self->scan, self->error, "a step has at most %d results",
                       (int)CASE_RESULTS_MAX);
    }
    STATUS_TRY(read_name(self, &step->results[results++]));
  } while (scan_accept(self->scan, ","));
  STATUS_TRY(scan_expect(self->scan, "=", self->error));
  if (results == 1 && scan_accept(self->scan, "constant(")) return read_constant(self);
  STATUS_TRY(read_step(self, step, results));
  module->step_count++;
  return STATUS_OK;
}

status_t module_parse(scan_t *scan, arena_t *arena, const module_t **out_module, failure_t *error) {
  /* As many of each as there are definitions at the most. */
  size_t most = 1;
  for (const char *p = scan->cursor; p < scan->end; p++) most += *p == ';';
  size_t constants = MIN(most, MODULE_CONSTANTS_MAX), steps = MIN(most, MODULE_STEPS_MAX);
  reader_t self = {.scan = scan,
                   .arena = arena,
                   .error = error,
                   .constants = ARENA_NEW_ARRAY(arena, tensor_t, constants),
                   .steps = ARENA_NEW_ARRAY(arena, module_step_t, steps + 1)};
  self.module.value_count = MODULE_ARGUMENTS_MAX;
  STATUS_TRY(scan_expect(scan, "{", error));
  while (scan_peek(scan) == 'v') STATUS_TRY(read_definition(&self));
  if (!scan_accept(scan, "return(")) {
    return scan_fail_expecting(scan, error, "a definition (\"v0=...\") or \"return(\"");
  }
  STATUS_TRY(read_values(&self, CASE_RESULTS_MAX, self.module.returns, &self.module.return_count));
  STATUS_TRY(scan_expect(scan, "}", error));
  module_t *module = arena_alloc(arena, sizeof *module);
  *module = self.module;
  module->constants = self.constants;
  module->steps = self.steps;
  *out_module = module;
  return STATUS_OK;
}

/* ---- Printing -------------------------------------------------------------------------------- */

void module_print_value(module_value_t value, GString *out_text) {
  bool is_argument = value < MODULE_ARGUMENTS_MAX;
  g_string_append_printf(out_text, "%c%u", is_argument ? 'a' : 'v',
                         is_argument ? value : value - MODULE_ARGUMENTS_MAX);
}

static void print_values(const module_value_t *values, uint32_t count, GString *out_text) {
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) g_string_append_c(out_text, ',');
    module_print_value(values[i], out_text);
  }
}

static void print_step(const module_step_t *step, GString *out_text) {
  const program_t *program = &step->program;
  const char *name = program->op->name;
  g_autoptr(GString) line = g_string_new(NULL);
  program_print(program, line);
  print_values(step->results, program->result_count, out_text);
  g_string_append_printf(out_text, "=%s(", name);
  print_values(step->operands, program->operand_count, out_text);
  g_string_append_printf(out_text, ")%s;", line->str + strlen(name));
}

void module_print(const module_t *module, GString *out_text) {
  g_string_append_c(out_text, '{');
  for (uint32_t i = 0; i < module->constant_count; i++) {
    module_print_value(MODULE_ARGUMENTS_MAX + i, out_text);
    g_string_append(out_text, "=constant(");
    type_print(&module->constants[i].type, out_text);
    g_string_append_c(out_text, ',');
    tensor_print_data(&module->constants[i], out_text);
    g_string_append(out_text, ");");
  }
  for (uint32_t i = 0; i < module->step_count; i++) print_step(&module->steps[i], out_text);
  g_string_append(out_text, "return(");
  print_values(module->returns, module->return_count, out_text);
  g_string_append(out_text, ")}");
}

/* ---- The attribute --------------------------------------------------------------------------- */

static status_t parse_steps(const attribute_source_t *from, void *out_value) {
  return module_parse(from->scan, from->arena, (const module_t **)out_value, from->error);
}

static void print_steps(const void *value, const attribute_sink_t *to) {
  module_print(*(const module_t *const *)value, to->text);
}

static void copy_steps(arena_t *arena, void *inout_value) {
  const module_t **module = inout_value;
  *module = module_copy(*module, arena);
}

const attribute_codec_t module_steps = {
    .parse = parse_steps, .print = print_steps, .copy = copy_steps};
