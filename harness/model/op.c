/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the op tables of all folders into one list, looks up ops and their constraints, and prints
 * the reasons why a program is refused or not modelled. */
#include "harness/model/op.h"

#include <string.h>

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Generated from the folders: oracles/ops/row_table.c.in. */
extern const op_t *const *const op_families[];

static void add_rows(GPtrArray *rows, const op_t *const *added, bool are_compound) {
  for (; added != NULL && *added != NULL; added++) {
    if ((*added)->is_compound != are_compound) continue;
    g_ptr_array_add(rows, (gpointer)(uintptr_t)*added);
  }
}

static void add_families(GPtrArray *rows, bool are_compound) {
  for (const op_t *const *const *family = op_families; *family != NULL; family++) {
    add_rows(rows, *family, are_compound);
  }
}

/* The rows that there are, and those that are declared, in one array that lives as long as the
 * program: somebody may walk through an earlier one. */
static gpointer join_families(const op_t *const *present, const op_t *const *declared) {
  GPtrArray *rows = g_ptr_array_new();
  if (present == NULL) add_families(rows, false);
  add_rows(rows, present, false);
  add_rows(rows, declared, false);
  g_ptr_array_add(rows, NULL);
  return g_ptr_array_free(rows, FALSE);
}

static gpointer join_compound(gpointer unused) {
  (void)unused;
  GPtrArray *rows = g_ptr_array_new();
  add_families(rows, true);
  g_ptr_array_add(rows, NULL);
  return g_ptr_array_free(rows, FALSE);
}

/* Which rows there are now; made by the first call. */
typedef struct registry {
  GMutex mutex; /* Of who adds some. */
  gpointer rows;
  GPtrArray *earlier; /* Arrays that somebody may walk through. */
} registry_t;

static gpointer make_registry(gpointer unused) {
  (void)unused;
  registry_t *registry = g_new0(registry_t, 1);
  g_mutex_init(&registry->mutex);
  registry->rows = join_families(NULL, NULL);
  registry->earlier = g_ptr_array_new();
  return registry;
}

static registry_t *find_registry(void) {
  static GOnce once = G_ONCE_INIT;
  return g_once(&once, make_registry, NULL);
}

const op_t *const *op_all(void) { return g_atomic_pointer_get(&find_registry()->rows); }

const op_t *const *op_compound(void) {
  static GOnce once = G_ONCE_INIT;
  return g_once(&once, join_compound, NULL);
}

void op_declare(const op_t *const *rows) {
  registry_t *registry = find_registry();
  g_mutex_lock(&registry->mutex);
  g_ptr_array_add(registry->earlier, registry->rows);
  g_atomic_pointer_set(&registry->rows, join_families(registry->rows, rows));
  g_mutex_unlock(&registry->mutex);
}

bool op_has_folder(str_t name) {
  for (const op_t *const *const *family = op_families; *family != NULL; family++) {
    for (const op_t *const *row = *family; *row != NULL; row++) {
      if (str_equal_text(name, (*row)->name)) return true;
    }
  }
  return false;
}

const op_t *op_find(str_t name) {
  const op_t *const *const lists[] = {op_all(), op_compound()};
  for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
    for (const op_t *const *row = lists[i]; *row != NULL; row++) {
      if (str_equal_text(name, (*row)->name)) return *row;
    }
  }
  return NULL;
}

/* ---- Constraints ----------------------------------------------------------------------------- */

static const op_constraint_t *find_row(const op_constraint_t *rows, const char *id) {
  for (const op_constraint_t *row = rows; row != NULL && row->id != NULL; row++) {
    if (strcmp(row->id, id) == 0) return row;
  }
  return NULL;
}

static const op_constraint_t *find_any(const op_t *op, const char *id) {
  const op_constraint_t *row = find_row(op->constraints, id);
  return row != NULL ? row : find_row(op->contract_constraints, id);
}

const op_constraint_t *op_constraint_find(const op_t *op, const char *id) {
  if (id == NULL) return NULL;
  const op_constraint_t *row = find_any(op, id);
  g_assert(row != NULL);
  return row;
}

bool op_constraint_is_forbidden(const op_constraint_t *constraint) {
  return constraint != NULL && constraint->clause != NULL;
}

bool op_constraint_is_breakable(const op_constraint_t *constraint) {
  return op_constraint_is_forbidden(constraint) &&
         (constraint->holds != NULL || constraint->holds_under != NULL);
}

bool op_constraint_is_unmodelled(const op_constraint_t *constraint) {
  return constraint != NULL && constraint->clause == NULL;
}

const char *op_constraint_text(const op_t *op, const char *id) {
  const op_constraint_t *row = find_any(op, id);
  return row == NULL ? "" : row->text;
}

void op_constraint_explain(const op_t *op, const op_constraint_t *constraint, GString *out_text) {
  if (op_constraint_is_forbidden(constraint)) {
    g_string_append_printf(out_text, "violates %s of %s: %s", constraint->id, op->name,
                           constraint->text);
  } else {
    g_string_append_printf(out_text, "is not modelled (%s): Assay knows %s only where %s",
                           constraint->id, op->name, constraint->text);
  }
}

void op_constraint_print_clause(const op_t *op, const op_constraint_t *constraint,
                                GString *out_text) {
  if (constraint->clause == NULL) return;
  g_string_append_printf(out_text, "%s, %s",
                         constraint->document == NULL ? op->spec : constraint->document,
                         constraint->clause);
}

bool program_is_unary(const program_t *program) {
  return program->operand_count == 1 && program->result_count == 1;
}

bool program_is_binary(const program_t *program) {
  return program->operand_count == 2 && program->result_count == 1;
}

bool program_keeps_shape(const program_t *program) {
  return type_shapes_equal(&program->operands[0], &program->results[0]);
}

bool program_is_plain(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (program->operands[i].quantization != NULL) return false;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (program->results[i].quantization != NULL) return false;
  }
  return true;
}

bool program_has_one_type(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!type_equal(&program->operands[i], &program->results[0])) return false;
  }
  return true;
}

const op_constraint_t *program_broken(const program_t *program) {
  for (const op_constraint_t *row = program->op->constraints; row->id != NULL; row++) {
    if (row->holds != NULL && !row->holds(program)) return row;
  }
  return NULL;
}

const char *program_broken_id(const program_t *program) {
  const op_constraint_t *broken = program_broken(program);
  return broken == NULL ? NULL : broken->id;
}

const op_constraint_t *program_broken_under(const program_t *program, const op_constraint_t *broken,
                                            const contract_t *contract) {
  const op_constraint_t *row = program->op->contract_constraints;
  if (op_constraint_is_forbidden(broken) || row == NULL) return broken;
  for (; row->id != NULL; row++) {
    if (!row->holds_under(program, contract)) return row;
  }
  return broken;
}

void program_print_words(const program_t *program, GString *out_text) {
  const op_constraint_t *broken = program_broken(program);
  if (broken == NULL) {
    program->op->print_words(program, out_text);
  } else if (op_constraint_is_forbidden(broken)) {
    g_string_append_printf(out_text, "is no %s: it breaks %s", program->op->name, broken->id);
  } else {
    g_string_append_printf(out_text, "is not modelled: Assay has no oracle for such a %s",
                           program->op->name);
  }
}
