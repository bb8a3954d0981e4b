/* SPDX-License-Identifier: Apache-2.0 */
/* Which reductions jaxlib's verifier takes of types that are quantized per axis: none, wherever
 * such a type stands and whether the axis is reduced or stays; the same modules are taken per
 * tensor.  That is what our constraints have ("per tensor alone"), and why there is no oracle of
 * others. */
#include <stdbool.h>
#include <string.h>

#include "tests/exec/verifier.h"

#define PER_TENSOR "!quant.uniform<i8:f32, 0.5:3>"
#define AXIS_0 "!quant.uniform<i8:f32:0, {0.5:3, 0.25:1}>"
#define AXIS_1 "!quant.uniform<i8:f32:1, {0.5:3, 0.25:1}>"

/* An op of one result: operands are tensors of `shape`, then scalars. */
typedef struct reduction_row {
  const char *op;
  const char *attributes;
  const char *shape;
  const char *result_shape;
  int tensors, scalars;
  bool selects;
} reduction_row_t;

static const reduction_row_t rows[] = {
    {"reduce", "dimensions = array<i64: 0>", "2x2x", "2x", 1, 1, false},
    {"reduce", "dimensions = array<i64: 1>", "2x2x", "2x", 1, 1, false},
    {"reduce_window", "window_dimensions = array<i64: 1, 1>", "2x2x", "2x2x", 1, 1, false},
    {"select_and_scatter", "window_dimensions = array<i64: 1, 1>", "2x2x", "2x2x", 2, 1, true},
    {"all_reduce", "replica_groups = dense<[[0]]> : tensor<1x1xi64>", "2x2x", "2x2x", 1, 0, false},
    {"reduce_scatter",
     "replica_groups = dense<[[0]]> : tensor<1x1xi64>, scatter_dimension = 0 : i64", "2x2x", "2x2x",
     1, 0, false},
};

static void append_region(GString *text, const char *op, const char *type, const char *result) {
  g_string_append_printf(text,
                         "  ^b(%%l: tensor<%s>, %%r: tensor<%s>):\n"
                         "    %%v = \"stablehlo.%s\"(%%l, %%r) : (tensor<%s>, tensor<%s>) -> "
                         "tensor<%s>\n    \"stablehlo.return\"(%%v) : (tensor<%s>) -> ()\n",
                         type, type, op, type, type, result, result);
}

/* The module whose place number `place` has the type `other`: operands, then the result, then the
 * arguments of the body. */
static char *print_module(const reduction_row_t *row, int place, const char *other) {
  int operands = row->tensors + row->scalars;
  GString *types = g_string_new(NULL), *names = g_string_new(NULL), *arguments = g_string_new(NULL);
  for (int i = 0; i < operands; i++) {
    const char *before = i == 0 ? "" : ", ";
    g_autofree char *type = g_strdup_printf("tensor<%s%s>", i < row->tensors ? row->shape : "",
                                            place == i ? other : PER_TENSOR);
    g_string_append_printf(types, "%s%s", before, type);
    g_string_append_printf(names, "%s%%a%d", before, i);
    g_string_append_printf(arguments, "%s%%a%d: %s", before, i, type);
  }
  g_autofree char *result =
      g_strdup_printf("tensor<%s%s>", row->result_shape, place == operands ? other : PER_TENSOR);
  GString *text = g_string_new(NULL);
  g_string_printf(text,
                  "module { func.func @main(%s) -> %s {\n  %%0 = \"stablehlo.%s\"(%s) <{%s}> ({\n",
                  arguments->str, result, row->op, names->str, row->attributes);
  if (row->selects) {
    append_region(text, "maximum", PER_TENSOR, PER_TENSOR);
    char *end = strstr(text->str, "    %v = ");
    g_string_truncate(text, (gsize)(end - text->str));
    g_string_append(
        text,
        "    %v = \"stablehlo.compare\"(%l, %r) <{comparison_direction = "
        "#stablehlo<comparison_direction GE>}> : (tensor<" PER_TENSOR ">, tensor<" PER_TENSOR
        ">) -> tensor<i1>\n    \"stablehlo.return\"(%v) : (tensor<i1>) -> ()\n  }, {\n");
  }
  const char *body = place == operands + 1 ? other : PER_TENSOR;
  append_region(text, "add", body, body);
  g_string_append_printf(text, "  }) : (%s) -> %s\n  return %%0 : %s\n} }\n", types->str, result,
                         result);
  g_string_free(types, TRUE);
  g_string_free(names, TRUE);
  g_string_free(arguments, TRUE);
  return g_string_free(text, FALSE);
}

static verifier_word_t ask(verifier_t *verifier, const reduction_row_t *row, int place,
                           const char *other) {
  g_autofree char *module = print_module(row, place, other);
  const char *const modules[] = {module};
  verifier_opinion_t opinion;
  verifier_ask(verifier, modules, 1, &opinion);
  g_test_message("%s, place %d: %s", row->op, place, opinion.message);
  if (opinion.word == VERIFIER_UNREAD) g_error("%s\n%s", module, opinion.message);
  g_free(opinion.message);
  return opinion.word;
}

static void test_per_axis(void) {
  verifier_t *verifier;
  failure_t absence;
  if (verifier_open(ASSAY_SOURCE_DIR, &verifier, &absence) != STATUS_OK) {
    g_test_skip(absence.text);
    return;
  }
  static const char *const others[] = {AXIS_0, AXIS_1};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmpint(ask(verifier, &rows[i], -1, NULL), ==, VERIFIER_ACCEPTED);
    int places = rows[i].tensors + rows[i].scalars + 2;
    for (int place = 0; place < places; place++) {
      for (size_t k = 0; k < G_N_ELEMENTS(others); k++) {
        g_assert_cmpint(ask(verifier, &rows[i], place, others[k]), ==, VERIFIER_REJECTED);
      }
    }
  }
  verifier_close(verifier);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/verifier/per_axis", test_per_axis);
  return g_test_run();
}
