#include "harness/model/op.h"

#include <string.h>

/* Generated from the folders: oracles/ops/row_table.c.in. */
extern const op_t *const *const op_families[];

/* The families' rows in one array, which lives as long as the program. */
static gpointer join_families(gpointer unused) {
  (void)unused;
  GPtrArray *rows = g_ptr_array_new();
  for (const op_t *const *const *family = op_families; *family != NULL; family++) {
    for (const op_t *const *row = *family; *row != NULL; row++) {
      g_ptr_array_add(rows, (gpointer)(uintptr_t)*row);
    }
  }
  g_ptr_array_add(rows, NULL);
  return g_ptr_array_free(rows, FALSE);
}

const op_t *const *op_all(void) {
  static GOnce once = G_ONCE_INIT;
  return g_once(&once, join_families, NULL);
}

const op_t *op_find(str_t name) {
  for (const op_t *const *row = op_all(); *row != NULL; row++) {
    if (str_equal_text(name, (*row)->name)) return *row;
  }
  return NULL;
}

static const char *find_text(const op_constraint_t *rows, const char *id) {
  for (const op_constraint_t *row = rows; row != NULL && row->id != NULL; row++) {
    if (strcmp(row->id, id) == 0) return row->text;
  }
  return NULL;
}

const char *op_constraint_text(const op_t *op, const char *id) {
  const char *text = find_text(op->constraints, id);
  if (text == NULL) text = find_text(op->contract_constraints, id);
  return text == NULL ? "" : text;
}

const char *program_broken_under(const program_t *program, const char *broken,
                                 const contract_t *contract) {
  if (broken != NULL || program->op->validate_under == NULL) return broken;
  return program->op->validate_under(program, contract);
}

size_t op_attributes(const program_t *program, arena_t *arena,
                     op_attribute_t out_attributes[OP_ATTRIBUTES_MAX]) {
  GString *words = g_string_new(NULL);
  program->op->print_attributes(program, words);
  scan_t scan = scan_make((str_t){.data = words->str, .size = words->len});
  size_t count = 0;
  while (scan_accept(&scan, " ")) {
    g_assert(count < OP_ATTRIBUTES_MAX);
    str_t key = scan_until(&scan, "=");
    bool has_value = scan_accept(&scan, "=");
    g_assert(has_value);
    str_t value = scan_until(&scan, " ");
    out_attributes[count++] = (op_attribute_t){
        .key = arena_copy_text(arena, key.data, key.size),
        .value = arena_copy_text(arena, value.data, value.size),
    };
  }
  g_string_free(words, TRUE);
  return count;
}
