/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two graphs say the same: everything is found by its name. */
#include "harness/quant/graph/parts.h"

typedef struct pair {
  const quant_graph_t *a;
  const quant_graph_t *b;
  uint32_t *values; /* By value of a: the one of b that has its name. */
} pair_t;

/* ---- Regions --------------------------------------------------------------------------------- */

static bool tensors_equal(const tensor_t *a, const tensor_t *b) {
  if (a == NULL || b == NULL) return a == b;
  return type_equal(&a->type, &b->type) && memcmp(a->data, b->data, type_bytes(&a->type)) == 0;
}

static bool names_equal(const quant_region_t *a, const uint32_t *in_a, const quant_region_t *b,
                        const uint32_t *in_b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(a->inners[in_a[i]].name, b->inners[in_b[i]].name) != 0) return false;
  }
  return true;
}

/* A program line says all of a program. */
static bool programs_equal(const program_t *a, const program_t *b) {
  GString *line_a = g_string_new(NULL), *line_b = g_string_new(NULL);
  program_print(a, line_a);
  program_print(b, line_b);
  bool are_equal = g_string_equal(line_a, line_b);
  g_string_free(line_a, TRUE);
  g_string_free(line_b, TRUE);
  return are_equal;
}

static bool ops_equal(const quant_region_t *a, const quant_region_t *b) {
  if (a->op_count != b->op_count) return false;
  for (uint32_t i = 0; i < a->op_count; i++) {
    const quant_op_t *in_a = &a->ops[i], *in_b = &b->ops[i];
    if (!programs_equal(&in_a->program, &in_b->program) ||
        !names_equal(a, in_a->operands, b, in_b->operands, in_a->program.operand_count) ||
        !names_equal(a, in_a->results, b, in_b->results, in_a->program.result_count)) {
      return false;
    }
  }
  return true;
}

/* Inputs have their order, constants are found by name; the rest is made by ops. */
static bool inners_equal(const quant_region_t *a, const quant_region_t *b) {
  if (a->inner_count != b->inner_count) return false;
  GHashTable *constants = g_hash_table_new(g_str_hash, g_str_equal);
  for (uint32_t i = 0; i < b->inner_count; i++) {
    g_hash_table_insert(constants, (gpointer)(uintptr_t)b->inners[i].name, GUINT_TO_POINTER(i + 1));
  }
  bool are_equal = true;
  for (uint32_t i = 0; i < a->inner_count && are_equal; i++) {
    uint32_t found = GPOINTER_TO_UINT(g_hash_table_lookup(constants, a->inners[i].name));
    are_equal = found != 0 && (i >= a->input_count || found == i + 1) &&
                type_equal(&a->inners[i].type, &b->inners[found - 1].type) &&
                quant_spec_equal(&a->inners[i].spec, &b->inners[found - 1].spec) &&
                tensors_equal(a->inners[i].constant, b->inners[found - 1].constant);
  }
  g_hash_table_destroy(constants);
  return are_equal;
}

static bool regions_equal(const pair_t *pair, const quant_region_t *a, const quant_region_t *b) {
  if (strcmp(a->kernel, b->kernel) != 0 || a->input_count != b->input_count ||
      a->output_count != b->output_count) {
    return false;
  }
  for (uint32_t port = 0; port < quant_port_count(a); port++) {
    if (pair->values[a->ports[port].value] != b->ports[port].value ||
        !quant_spec_equal(&a->ports[port].spec, &b->ports[port].spec)) {
      return false;
    }
  }
  return inners_equal(a, b) && ops_equal(a, b) &&
         names_equal(a, a->returns, b, b->returns, a->output_count);
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

/* The producer needs no comparison: regions have their outputs compared. */
static bool values_equal(const quant_value_t *a, const quant_value_t *b) {
  bool is_made_a = a->producer != QUANT_NONE, is_made_b = b->producer != QUANT_NONE;
  return is_made_a == is_made_b && a->is_output == b->is_output && type_equal(&a->type, &b->type) &&
         quant_spec_equal(&a->spec, &b->spec) && tensors_equal(a->constant, b->constant);
}

static bool all_values_equal(const pair_t *pair, GHashTable *names) {
  for (uint32_t v = 0; v < pair->b->value_count; v++) {
    g_hash_table_insert(names, (gpointer)(uintptr_t)pair->b->values[v].name,
                        GUINT_TO_POINTER(v + 1));
  }
  for (uint32_t v = 0; v < pair->a->value_count; v++) {
    const quant_value_t *value = &pair->a->values[v];
    uint32_t found = GPOINTER_TO_UINT(g_hash_table_lookup(names, value->name));
    if (found == 0 || !values_equal(value, &pair->b->values[found - 1])) return false;
    pair->values[v] = found - 1;
  }
  return true;
}

/* Regions, or ops in no region, each by its key. */
static bool all_regions_equal(const pair_t *pair, GHashTable *names, bool of_ops) {
  g_hash_table_remove_all(names);
  for (uint32_t r = 0; r < pair->b->region_count; r++) {
    const quant_region_t *region = &pair->b->regions[r];
    if (region->is_op != of_ops) continue;
    g_hash_table_insert(names, (gpointer)(uintptr_t)quant_region_key(pair->b, region),
                        GUINT_TO_POINTER(r + 1));
  }
  for (uint32_t r = 0; r < pair->a->region_count; r++) {
    const quant_region_t *region = &pair->a->regions[r];
    if (region->is_op != of_ops) continue;
    const char *key = quant_region_key(pair->a, region);
    uint32_t found = GPOINTER_TO_UINT(g_hash_table_lookup(names, key));
    if (found == 0 || !regions_equal(pair, region, &pair->b->regions[found - 1])) return false;
  }
  return true;
}

static bool all_calls_equal(const pair_t *pair, GHashTable *names) {
  g_hash_table_remove_all(names);
  for (uint32_t c = 0; c < pair->b->call_count; c++) {
    g_hash_table_add(names, (gpointer)(uintptr_t)pair->b->calls[c].name);
  }
  for (uint32_t c = 0; c < pair->a->call_count; c++) {
    if (!g_hash_table_contains(names, pair->a->calls[c].name)) return false;
  }
  return true;
}

bool quant_graph_equal(const quant_graph_t *a, const quant_graph_t *b) {
  if (strcmp(a->name, b->name) != 0 || a->value_count != b->value_count ||
      a->region_count != b->region_count || a->call_count != b->call_count) {
    return false;
  }
  pair_t pair = {.a = a, .b = b, .values = g_new(uint32_t, a->value_count + 1)};
  GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
  bool are_equal = all_values_equal(&pair, names) && all_regions_equal(&pair, names, false) &&
                   all_regions_equal(&pair, names, true) && all_calls_equal(&pair, names);
  g_hash_table_destroy(names);
  g_free(pair.values);
  return are_equal;
}
