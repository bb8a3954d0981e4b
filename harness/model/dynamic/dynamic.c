/* SPDX-License-Identifier: Apache-2.0 */
/* Marks dimensions of unknown size by axes, and keeps the marks where axes change. */
#include "harness/model/dynamic/dynamic.h"

#include <string.h>

#include "harness/model/op.h"

static bool any_is_dynamic(const type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (types[i].dynamic_dims != 0) return true;
  }
  return false;
}

bool program_is_dynamic(const program_t *program) {
  return any_is_dynamic(program->operands, program->operand_count) ||
         any_is_dynamic(program->results, program->result_count);
}

void dynamic_clear(program_t *inout_program) {
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX; i++) inout_program->operands[i].dynamic_dims = 0;
  for (uint32_t i = 0; i < CASE_RESULTS_MAX; i++) inout_program->results[i].dynamic_dims = 0;
}

/* Adds the axes of the type's dimensions that are "?"; false if one runs along none. */
static bool add_axes(const type_t *type, const axis_list_t *list, uint32_t *inout_set) {
  if (type->dynamic_dims == 0) return true;
  if (list->count != type->rank) return false;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    if ((type->dynamic_dims >> dim & 1) != 0) *inout_set |= 1u << list->axes[dim];
  }
  return true;
}

bool dynamic_find(const program_t *program, const axes_t *axes, uint32_t *out_set) {
  *out_set = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!add_axes(&program->operands[i], &axes->operands[i], out_set)) return false;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (!add_axes(&program->results[i], &axes->results[i], out_set)) return false;
  }
  return true;
}

/* Which dimensions of a type run along axes of a set; false if some of them cannot be told, or have
 * another size than their axis. */
static bool find_dims(const type_t *type, const axes_t *axes, const axis_list_t *list, uint32_t set,
                      uint32_t *out_dims) {
  *out_dims = 0;
  bool is_told = list->count == type->rank;
  for (uint32_t i = 0; i < list->count; i++) {
    if ((set >> list->axes[i] & 1) == 0) continue;
    if (!is_told || type->dims[i] != axes->items[list->axes[i]].size) return false;
    *out_dims |= 1u << i;
  }
  return true;
}

static bool mark_types(const axes_t *axes, const axis_list_t *lists, uint32_t set, type_t *types,
                       uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (!find_dims(&types[i], axes, &lists[i], set, &types[i].dynamic_dims)) return false;
  }
  return true;
}

static bool mark(const axes_t *axes, uint32_t set, program_t *program) {
  return mark_types(axes, axes->operands, set, program->operands, program->operand_count) &&
         mark_types(axes, axes->results, set, program->results, program->result_count);
}

/* Whether operands have a dimension along each of these axes: what a program does not get from
 * there it has to know. */
static bool operands_tell(const program_t *program, const axes_t *axes, uint32_t set) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const axis_list_t *list = &axes->operands[i];
    for (uint32_t dim = 0; dim < list->count; dim++) set &= ~(1u << list->axes[dim]);
  }
  return set == 0;
}

bool dynamic_mark(program_t *inout_program, uint32_t set) {
  axes_t axes;
  program_t marked = *inout_program;
  bool is_good = program_broken(&marked) == NULL && axes_of(&marked, &axes) &&
                 mark(&axes, set, &marked) && dynamic_fits(&marked);
  if (is_good) *inout_program = marked;
  return is_good;
}

bool dynamic_keep(const program_t *program, const axes_t *view, program_t *out_program) {
  if (!program_is_dynamic(program)) return true;
  axes_t axes;
  uint32_t set;
  return axes_of(program, &axes) && dynamic_find(program, &axes, &set) &&
         mark(view, set, out_program);
}

bool dynamic_fits(const program_t *program) {
  if (!program_is_dynamic(program)) return true;
  if (program_broken(program) != NULL) return false;
  if (program->op->fits_dynamic != NULL) return program->op->fits_dynamic(program);
  axes_t axes;
  uint32_t set;
  if (!axes_of(program, &axes) || !dynamic_find(program, &axes, &set)) return false;
  program_t marked = *program;
  if (!operands_tell(program, &axes, set) || !mark(&axes, set, &marked)) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (marked.operands[i].dynamic_dims != program->operands[i].dynamic_dims) return false;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (marked.results[i].dynamic_dims != program->results[i].dynamic_dims) return false;
  }
  return true;
}

/* ---- Lines without sizes --------------------------------------------------------------------- */

/* The line with that size behind each question mark that has none. */
static char *with_size(str_t line, int64_t size) {
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < line.size; i++) {
    g_string_append_c(text, line.data[i]);
    bool is_last = i + 1 == line.size;
    if (line.data[i] != '?' || is_last || (line.data[i + 1] != ',' && line.data[i + 1] != ']')) {
      continue;
    }
    g_string_append_printf(text, "%" G_GINT64_FORMAT, size);
  }
  return g_string_free(text, FALSE);
}

status_t dynamic_parse(str_t line, int64_t size, arena_t *arena, program_t *out_program,
                       failure_t *error) {
  static const int64_t tried[] = {2, 1, 3, 4, 8, 16, 64, 512};
  status_t status = STATUS_INVALID;
  for (size_t i = 0; i < (size == 0 ? G_N_ELEMENTS(tried) : 1) && status == STATUS_INVALID; i++) {
    g_autofree char *text = with_size(line, size == 0 ? tried[i] : size);
    failure_t reason = {0};
    status = program_parse(str_from(text), arena, out_program, NULL, &reason);
    if (i == 0 && status != STATUS_OK) *error = reason;
  }
  return status;
}
