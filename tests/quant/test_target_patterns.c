/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns in tables: read, printed and read again, and refused with line and column. */
#include "harness/quant/target/target.h"

#define HEAD                                                                                     \
  "table t\ndefault i8\nkernel dense\nin input i8\nin weights i8\nin bias i32 optional\n"        \
  "out output i8\nend\nkernel join\nin input i8 repeated\nout output i8\nend\nkernel two\n"      \
  "in input i8\nout output i8\nout other i8\nend\nkernel odd\nin input i8\nout output i8\nend\n" \
  "kernel odd\nin source i8\nout output i8\nend\n" /* 25 lines */
#define DOT "products = stablehlo.dot_general(input, weights)\n"

static void test_round_trip(void) {
  static const char text[] = HEAD
      "pattern  dense # a comment\n" DOT
      "wide=stablehlo.broadcast_in_dim( bias )  broadcast_dimensions=[1]\n"
      "shifted ?= stablehlo.add(products,wide)\nbounded = stablehlo.maximum(shifted, -0.5)\n"
      "output = stablehlo.minimum(bounded, 1e+300) rank=2 x=dim(weights,1) y=[0,*] z=last\nend\n"
      "pattern join\n output = stablehlo.concatenate(input...)\n end\n"
      "pattern dense\nsums = stablehlo.reduce(input, -inf) body=add\n"
      "means = stablehlo.multiply(sums, 1/count(sums))\n"
      "output = stablehlo.dot_general(means, weights)\nend\n";
  static const char wanted[] =
      "\npattern dense\n  products = stablehlo.dot_general(input, weights)\n"
      "  wide = stablehlo.broadcast_in_dim(bias) broadcast_dimensions=[1]\n"
      "  shifted ?= stablehlo.add(products, wide)\n"
      "  bounded = stablehlo.maximum(shifted, -0.5)\n"
      "  output = stablehlo.minimum(bounded, 1.0000000000000001e+300) rank=2 x=dim(weights,1) "
      "y=[0,*] z=last\nend\n"
      "\npattern join\n  output = stablehlo.concatenate(input...)\nend\n"
      "\npattern dense\n  sums = stablehlo.reduce(input, -inf) body=add\n"
      "  means = stablehlo.multiply(sums, 1/count(sums))\n"
      "  output = stablehlo.dot_general(means, weights)\nend\n";
  arena_t arena;
  arena_init(&arena);
  quant_target_t table;
  failure_t error = {0};
  if (quant_target_parse(str_from(text), &arena, &table, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  g_assert_cmpuint(table.pattern_count, ==, 3);
  g_autoptr(GString) printed = g_string_new(NULL);
  quant_target_print(&table, printed);
  const char *patterns = strstr(printed->str, "\npattern");
  g_assert_cmpstr(patterns, ==, wanted);
  g_assert_cmpint(quant_target_parse((str_t){printed->str, printed->len}, &arena, &table, &error),
                  ==, STATUS_OK);
  g_autoptr(GString) again = g_string_new(NULL);
  quant_target_print(&table, again);
  g_assert_cmpstr(again->str, ==, printed->str);
  arena_deinit(&arena);
}

/* Every table that comes with Assay says what its kernels are. */
static void test_shipped(void) {
  static const char *const kernels[] = {
      "conv_2d", "depthwise_conv_2d", "fully_connected", "add", "softmax", "mean", "max_pool_2d",
      "relu"};
  arena_t arena;
  arena_init(&arena);
  for (const char *const *name = quant_target_names(); *name != NULL; name++) {
    quant_target_t table;
    failure_t error = {0};
    g_assert_cmpint(
        quant_target_parse(str_from(quant_target_text(str_from(*name))), &arena, &table, &error),
        ==, STATUS_OK);
    for (size_t k = 0; k < G_N_ELEMENTS(kernels); k++) {
      bool is_there = false;
      for (uint32_t i = 0; i < table.pattern_count; i++) {
        is_there |= strcmp(table.patterns[i].kernel, kernels[k]) == 0;
      }
      if (!is_there) g_error("table %s has no pattern of %s", *name, kernels[k]);
    }
  }
  arena_deinit(&arena);
}

#define ONE "pattern dense\n" DOT
static const char *const refused[][2] = {
    {"pattern\n", "line 26, column 8: expected the name of a kernel"},
    {"pattern none\n", "line 26, column 9: no row above is of kernel none"},
    {"pattern two\n", "line 26, column 9: a pattern is of a kernel with one output, two has 2"},
    {"pattern odd\n",
     "line 26, column 9: the rows of kernel odd name their ports differently "
     "(line 18 and 22)"},
    {"patterns dense\n", "line 26, column 9: expected kernel NAME or pattern KERNEL"},
    {"pattern dense more\n", "line 26, column 15: expected the end of the line"},
    {ONE, "line 27, column 49: pattern dense of line 26 has no end"},
    {ONE "end\n", "line 28, column 4: the last line of a pattern of dense makes its output"},
    {"pattern dense\nend\n", "line 27, column 4: the last line of a pattern of dense makes its"},
    {ONE "products = stablehlo.negate(input)\n",
     "line 28, column 9: a line above is called products already"},
    {ONE "input = stablehlo.negate(products)\n",
     "line 28, column 6: input is an input of the kernel"},
    {ONE "output stablehlo.negate(products)\n", "line 28, column 8: expected \"=\""},
    {ONE "output = stablehlo.nothing(products)\n", "line 28, column 10: expected an op"},
    {ONE "output = stablehlo.negate products\n", "line 28, column 27: expected \"(\""},
    {ONE "output = stablehlo.negate(product)\n",
     "line 28, column 27: no line above and no input of kernel dense is called product"},
    {ONE "output = stablehlo.negate(output)\n",
     "line 28, column 27: no line above and no input of kernel dense is called output"},
    {ONE "output = stablehlo.add(products, 0x)\n", "line 28, column 34: expected a number"},
    {ONE "output = stablehlo.add(products, nan)\n",
     "line 28, column 34: no line above and no input"},
    {ONE "output = stablehlo.add(products, count(products))\n",
     "line 28, column 40: count() is of a reduction, not of stablehlo.dot_general"},
    {ONE "output = stablehlo.add(products, 1/count(sums))\n",
     "line 28, column 42: no line above is called sums"},
    {ONE "output = stablehlo.negate(products\n", "line 28, column 35: expected \")\""},
    {ONE "output = stablehlo.concatenate(input...)\n",
     "line 28, column 32: input input is not repeated: write input"},
    {"pattern join\noutput = stablehlo.negate(input)\n",
     "line 27, column 27: input input is repeated: write input..."},
    {"pattern join\noutput = stablehlo.concatenate(input..., 0)\n",
     "line 27, column 42: a repeated input is the last argument"},
    {ONE "output ?= stablehlo.maximum(0, products)\n",
     "line 28, column 7: output may be left out, so that its first argument is to be a line"},
    {ONE "output = stablehlo.negate(products) rank\n", "line 28, column 41: expected \"=\""},
    {ONE "output = stablehlo.negate(products) rank= 2\n",
     "line 28, column 42: expected what the attribute is to be"},
    {ONE "output = stablehlo.negate(products) x=dim(products,1)\n",
     "line 28, column 39: expected dim(INPUT,N)"},
    {ONE "output = stablehlo.negate(products) x=dim(input,99)\n",
     "line 28, column 39: expected dim(INPUT,N)"},
    {ONE "output = stablehlo.negate(input)\nend\n", "line 29, column 4: nothing uses products"},
    {"pattern dense\noutput = stablehlo.negate(input)\nend\n",
     "line 28, column 4: input weights of the kernel is missing in the pattern"},
    {"pattern dense\noutput ?= stablehlo.dot_general(input, weights)\nend\n",
     "line 28, column 4: all lines of the pattern may be left out"},
    {"pattern dense\nfirst = stablehlo.negate(input)\noutput ?= stablehlo.add(first, weights)\n"
     "end\n",
     "line 29, column 4: input weights of the kernel is missing in the pattern where lines are "
     "left out"},
    {ONE "output = stablehlo.negate(products)\nend\nkernel dense\nin input i8\nout output i8\n",
     "line 30, column 13: all rows of kernel dense stand above its patterns (line 26)"},
};

static void test_refused(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
    g_autofree char *text = g_strconcat(HEAD, refused[i][0], NULL);
    arena_t arena;
    arena_init(&arena);
    quant_target_t table;
    failure_t error = {0};
    status_t status = quant_target_parse(str_from(text), &arena, &table, &error);
    if (status != STATUS_INVALID || !g_str_has_prefix(error.text, refused[i][1])) {
      g_error("%s\ngives \"%s\", not \"%s\"", refused[i][0], error.text, refused[i][1]);
    }
    arena_deinit(&arena);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quant/target_patterns/round_trip", test_round_trip);
  g_test_add_func("/quant/target_patterns/shipped", test_shipped);
  g_test_add_func("/quant/target_patterns/refused", test_refused);
  return g_test_run();
}
