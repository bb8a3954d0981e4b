/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel fusion: on drawn models with the tables that come with Assay, taking regions apart is the
 * inverse of fusing, fusing twice is fusing once, and the order of declaration does not matter;
 * each planted fault breaks one of these, or what a small graph becomes. */
#include "harness/quant/check/draw_graph.h"
#include "harness/quant/check/property.h"
#include "harness/quant/fuse/fuse.h"
#include "harness/quant/graph/rebuild.h"
#include "harness/quant/propagate/propagate.h"
#include "tests/quant/graph_text_test.h"

#ifdef ASSAY_SANITIZE
enum { GRAPHS = 60 };
#else
enum { GRAPHS = 600 };
#endif
enum { REGIONS_MAX = 10 };

static const char table_text[] =
    "table t\ndefault i8\n"
    "kernel dense\nin input i8\nin weights i8 symmetric axis=1 constant\n"
    "in bias i32 symmetric axis=0 optional\nout output i8\nend\n"
    "kernel difference add\nin left i8\nin right i8\nout output i8\nend\n"
    "kernel relu\nin input i8\nout output i8\nend\n"
    "kernel mean\nin input i8\nout output i8\nend\n"
    "kernel join\nin input i8 repeated\nout output i8\nend\n"
    "kernel sum\nin first i8\nin second i8\nin third i8\nout output i8\nend\n"
    "pattern dense\nproducts = stablehlo.dot_general(input, weights) contract=[1]x[0] rank=2\n"
    "biases = stablehlo.broadcast_in_dim(bias) broadcast_dimensions=[1]\n"
    "shifted ?= stablehlo.add(products, biases)\noutput ?= stablehlo.maximum(shifted, 0)\nend\n"
    "pattern relu\noutput = stablehlo.maximum(input, 0)\nend\n"
    "pattern difference\nturned = stablehlo.negate(left)\n"
    "output = stablehlo.subtract(turned, right)\nend\n"
    "pattern mean\nsums = stablehlo.reduce(input, 0) body=add dims=[0,*]\n"
    "output = stablehlo.multiply(1/count(sums), sums)\nend\n"
    "pattern add\noutput = stablehlo.add(left, right)\nend\n"
    "pattern sum\npart = stablehlo.add(first, second)\noutput = stablehlo.add(part, third)\nend\n"
    "pattern join\noutput = stablehlo.concatenate(input...) dimension=0\nend\n";

/* ---- What is checked of a model -------------------------------------------------------------- */

typedef enum broken {
  BROKEN_NOTHING,
  BROKEN_BUILD,       /* No graph came out. */
  BROKEN_INVERSE,     /* Taken apart it is another graph. */
  BROKEN_IDEMPOTENCE, /* Fusing again takes more. */
  BROKEN_ORDER,       /* Declared in another order it becomes another graph. */
  BROKEN_COUNT
} broken_t;

typedef struct totals {
  uint32_t regions, ops, left;
} totals_t;

static quant_graph_t take_apart(const quant_graph_t *graph, const bool *is_wanted, arena_t *arena) {
  quant_graph_t apart;
  failure_t error;
  g_autoptr(GString) notes = g_string_new(NULL);
  if (quant_unfuse(graph, is_wanted, arena, &apart, notes, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return apart;
}

static quant_graph_t shuffled(const quant_graph_t *graph, rng_t *rng, arena_t *arena) {
  quant_parts_t parts = quant_parts_take(graph, arena);
  quant_parts_shuffle(&parts, rng);
  quant_graph_t other;
  failure_t error;
  g_assert_cmpint(quant_parts_build(&parts, arena, &other, NULL, NULL, &error), ==, STATUS_OK);
  return other;
}

static bool fuse(const quant_graph_t *graph, const quant_target_t *table, quant_fuse_fault_t fault,
                 arena_t *arena, quant_fusion_t *out_fusion) {
  failure_t error = {.text = ""};
  if (quant_fuse(graph, table, fault, arena, out_fusion, &error) == STATUS_OK) return true;
  g_test_message("%s", error.text);
  return false;
}

/* `is_plain`: the graph has no regions, so that taking all apart must give it back. */
static broken_t check(const quant_graph_t *graph, bool is_plain, const quant_target_t *table,
                      quant_fuse_fault_t fault, rng_t *rng, arena_t *arena, totals_t *inout) {
  quant_fusion_t fusion, again;
  if (!fuse(graph, table, fault, arena, &fusion)) return BROKEN_BUILD;
  const quant_graph_t *fused = &fusion.fused;
  inout->regions += fusion.match_count;
  for (uint32_t r = 0; r < fused->region_count; r++) inout->left += fused->regions[r].is_op;
  inout->ops += graph->region_count;
  check_graph_round_trip(fused);
  if (is_plain) {
    quant_graph_t apart = take_apart(fused, NULL, arena);
    if (!quant_graph_equal(&apart, graph)) return BROKEN_INVERSE;
  }
  if (!fuse(fused, table, fault, arena, &again)) return BROKEN_BUILD;
  if (again.match_count > 0 || !quant_graph_equal(&again.fused, fused)) return BROKEN_IDEMPOTENCE;
  quant_graph_t other = shuffled(graph, rng, arena);
  if (!fuse(&other, table, fault, arena, &again)) return BROKEN_BUILD;
  if (!quant_graph_equal(&again.fused, fused)) return BROKEN_ORDER;
  return BROKEN_NOTHING;
}

/* A drawn model with all of its regions, or some, taken apart. */
static quant_graph_t draw_model(rng_t *rng, bool is_plain, arena_t *arena) {
  quant_graph_t *graph = arena_alloc(arena, sizeof *graph);
  failure_t error;
  if (quant_draw_graph(rng, REGIONS_MAX, arena, graph, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  bool *is_wanted = arena_alloc_zeroed(arena, graph->region_count + 1);
  for (uint32_t r = 0; r < graph->region_count; r++) is_wanted[r] = is_plain || rng_one_in(rng, 2);
  return take_apart(graph, is_wanted, arena);
}

static quant_target_t read_table(const char *text, arena_t *arena) {
  quant_target_t table;
  failure_t error;
  if (quant_target_parse(str_from(text), arena, &table, &error) != STATUS_OK) {
    g_error("%s\n%s", error.text, text);
  }
  return table;
}

/* Tables that drawn models are fused for: those that come with Assay, and the one above. */
static const char *const table_names[] = {"tflite_int8", "onednn", "onnxruntime", NULL};

/* What the fault breaks in so many drawn models. */
static void draw_and_check(quant_fuse_fault_t fault, int graphs, uint32_t out_broken[BROKEN_COUNT],
                           totals_t *out_totals) {
  arena_t tables, arena;
  arena_init(&tables);
  arena_init(&arena);
  rng_t rng = rng_make(1);
  *out_totals = (totals_t){0};
  memset(out_broken, 0, BROKEN_COUNT * sizeof out_broken[0]);
  for (size_t t = 0; t < G_N_ELEMENTS(table_names); t++) {
    const char *name = table_names[t];
    quant_target_t table =
        read_table(name == NULL ? table_text : quant_target_text(str_from(name)), &tables);
    for (int i = 0; i < graphs; i++) {
      bool is_plain = i % 4 != 0;
      quant_graph_t graph = draw_model(&rng, is_plain, &arena);
      check_graph_round_trip(&graph);
      out_broken[check(&graph, is_plain, &table, fault, &rng, &arena, out_totals)]++;
      arena_reset(&arena);
    }
  }
  arena_deinit(&arena);
  arena_deinit(&tables);
}

/* Graphs of which some ops stand in no region keep all properties of propagation. */
static void test_propagation(void) {
  arena_t tables, arena;
  arena_init(&tables);
  arena_init(&arena);
  rng_t rng = rng_make(3);
  quant_target_t table = read_table(quant_target_text(str_from("onednn")), &tables);
  uint32_t plain = 0;
  for (int i = 0; i < GRAPHS / 2; i++) {
    quant_graph_t graph = draw_model(&rng, false, &arena);
    for (uint32_t r = 0; r < graph.region_count; r++) plain += graph.regions[r].is_op;
    const quant_trial_input_t input = {
        .graph = &graph, .table = &table, .fault = QUANT_FAULT_none, .seed = rng_bits(&rng)};
    quant_property_result_t results[QUANT_PROPERTY_COUNT];
    if (!quant_property_check_all(&input, &arena, results, NULL)) {
      g_autofree char *text = print_graph(&graph);
      for (uint32_t p = 0; p < QUANT_PROPERTY_COUNT; p++) {
        if (results[p].outcome != QUANT_VIOLATED) continue;
        g_error("%s: %s\n%s", quant_properties()[p].name, results[p].words.text, text);
      }
    }
    arena_reset(&arena);
  }
  g_assert_cmpuint(plain, >, 100);
  arena_deinit(&arena);
  arena_deinit(&tables);
}

static void test_drawn(void) {
  uint32_t broken[BROKEN_COUNT];
  totals_t totals;
  draw_and_check(QUANT_FUSE_FAULT_none, GRAPHS, broken, &totals);
  g_test_message("%u regions of %u ops, %u left", totals.regions, totals.ops, totals.left);
  for (int i = BROKEN_BUILD; i < BROKEN_COUNT; i++) {
    if (broken[i] > 0) g_error("%u graphs break property %d", broken[i], i);
  }
  g_assert_cmpuint(totals.left * 2, <, totals.ops); /* Most ops become kernels. */
}

/* ---- Small graphs ---------------------------------------------------------------------------- */

#define T "f32[2,2]"
#define HEAD                                                      \
  "graph g\ninput x " T "\ninput z " T "\nconstant w " T          \
  " = [1.0, 2.0, 3.0, 4.0]\n"                                     \
  "constant b f32[2] = [1.0, 2.0]\nconstant none f32[] = [0.0]\n" \
  "constant one f32[] = [1.0]\nconstant share f32[] = [0.25]\n"
#define DOT "op p = stablehlo.dot_general(x, w) batch=[]x[] contract=[1]x[0] " T " " T " -> " T "\n"
#define WIDE(out, in) \
  "op " out " = stablehlo.broadcast_in_dim(" in ") broadcast_dimensions=[] f32[] -> " T "\n"
#define BIAS "op bs = stablehlo.broadcast_in_dim(b) broadcast_dimensions=[1] f32[2] -> " T "\n"
#define TWO(out, op, a, c) "op " out " = stablehlo." op "(" a ", " c ") " T " " T " -> " T "\n"

static int compare_texts(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "REGION:KERNEL(OPS)" of the regions that there are, by name, and the ops that are left, "NAME".
 */
static char *describe(const quant_graph_t *graph) {
  GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    g_ptr_array_add(words, region->is_op ? g_strdup(quant_region_key(graph, region))
                                         : g_strdup_printf("%s:%s(%u)", region->name,
                                                           region->kernel, region->op_count));
  }
  g_ptr_array_sort(words, compare_texts);
  g_ptr_array_add(words, NULL);
  char *text = g_strjoinv(" ", (char **)words->pdata);
  g_ptr_array_free(words, TRUE);
  return text;
}

typedef struct example {
  const char *body;
  const char *wanted;
  const char *explained; /* Somewhere in the explanation, or NULL. */
} example_t;

static const example_t examples[] = {
    /* The largest pattern; either order of a sum; the number as it is, or widened. */
    {DOT BIAS TWO("s", "add", "p", "bs") WIDE("n", "none")
         TWO("y", "maximum", "s", "n") "output y\n",
     "y:dense(5)", "y (stablehlo.maximum) is output"},
    {DOT BIAS TWO("s", "add", "bs", "p") WIDE("n", "none")
         TWO("y", "maximum", "n", "s") "output y\n",
     "y:dense(5)", NULL},
    {DOT "constant n " T " = [0.0, 0.0, 0.0, -0.0]\n" TWO("y", "maximum", "p", "n") "output y\n",
     "y:dense(2)", NULL},
    {DOT "output p\n", "p:dense(1)", NULL},
    /* A second use, of the product and of the sum, and an output in between. */
    {DOT BIAS TWO("s", "add", "p", "bs") TWO("y", "subtract", "p", "s") "output y\n",
     "bs p:dense(1) s:add(1) y", "dense (pattern of line 32): p is used by y too"},
    {DOT BIAS TWO("s", "add", "p", "bs") WIDE("n", "none")
         TWO("y", "maximum", "s", "n") "output y\noutput s\n",
     "s:dense(3) y:relu(2)", "not ended in y by dense (pattern of line 32): s is an output"},
    {DOT BIAS TWO("s", "add", "p", "bs") WIDE("n", "none") TWO("y", "maximum", "s", "n")
         TWO("q", "subtract", "s", "y") "output q\n",
     "q s:dense(3) y:relu(2)", "s is used by q too"},
    /* Not the number; no constant; a constant of another shape. */
    {DOT WIDE("n", "one") TWO("y", "maximum", "p", "n") "output y\n", "n p:dense(1) y",
     "n is not 0 everywhere"},
    {DOT TWO("y", "maximum", "p", "z") "output y\n", "p:dense(1) y", "z is no constant of 0"},
    /* What a difference takes is not swapped. */
    {"op t = stablehlo.negate(x) " T " -> " T "\n" TWO("y", "subtract", "t", "z") "output y\n",
     "y:difference(2)", NULL},
    {"op t = stablehlo.negate(x) " T " -> " T "\n" TWO("y", "subtract", "z", "t") "output y\n",
     "t y", "z is an input, not made by stablehlo.negate"},
    /* A number of terms: a share of 4, and not of 3. */
    {"op s = stablehlo.reduce(x, none) body=add dims=[0,1] " T " f32[] -> f32[]\n"
     "op y = stablehlo.multiply(s, share) f32[] f32[] -> f32[]\noutput y\n",
     "y:mean(2)", NULL},
    {"op s = stablehlo.reduce(x, none) body=add dims=[0,1] " T " f32[] -> f32[]\n"
     "op y = stablehlo.multiply(s, one) f32[] f32[] -> f32[]\noutput y\n",
     "s y", "one is not 0.25 everywhere"},
    {"op s = stablehlo.reduce(x, none) body=maximum dims=[0,1] " T " f32[] -> f32[]\n"
     "op y = stablehlo.multiply(s, share) f32[] f32[] -> f32[]\noutput y\n",
     "s y", "s has body maximum, not add"},
    /* Weights that are no constant; an output that is to stay in high precision. */
    {"op p = stablehlo.dot_general(x, z) batch=[]x[] contract=[1]x[0] " T " " T " -> " T
     "\noutput p\n",
     "p", "weights takes only constants"},
    {"value y f32\n" DOT WIDE("n", "none") TWO("y", "maximum", "p", "n") "output y\n",
     "n p:dense(1) y", "output is quantized, and y stays in high precision"},
    /* What widens a number is copied; the op stays where it is used otherwise too. */
    {WIDE("n", "none") TWO("a", "maximum", "x", "n") TWO("y", "maximum", "a", "n") "output y\n",
     "a:relu(2) y:relu(2)", NULL},
    {WIDE("n", "none") TWO("a", "maximum", "x", "n") TWO("y", "subtract", "a", "n") "output y\n",
     "a:relu(2) n y", "copied: it is made of constants and used elsewhere too"},
    /* One operand twice, many operands, and what is made of constants alone. */
    {TWO("y", "add", "x", "x") "output y\n", "y:add(1)", NULL},
    {"op y = stablehlo.concatenate(x, z, x) dimension=0 " T " " T " " T " -> f32[6,2]\noutput y\n",
     "y:join(1)", NULL},
    {"op y = stablehlo.concatenate(x, z) dimension=1 " T " " T " -> f32[2,4]\noutput y\n", "y",
     "y has dimension 1, not 0"},
    {TWO("y", "add", "w", "w") "output y\n", "y", "it is made of constants alone"},
    {"op y = stablehlo.negate(x) " T " -> " T "\noutput y\n", "y",
     "no pattern of table t ends in stablehlo.negate"},
    /* Regions are no ops; a name that is taken; a constraint inside. */
    {"region p other\nin x\nout p " T "\n" TWO("t", "add", "x", "x") "return t\nend\n" WIDE(
         "n", "none") TWO("y", "maximum", "p", "n") "output y\n",
     "p:other(1) y:relu(2)", NULL},
    {"region y other\nin x\nout p " T "\n" TWO("t", "add", "x", "x") "return t\nend\n" WIDE(
         "n", "none") TWO("y", "maximum", "p", "n") "output y\n",
     "y.2:relu(2) y:other(1)", NULL},
    {"value p !quant.any<i8:f32>\n" DOT WIDE("n", "none")
         TWO("y", "maximum", "p", "n") "output y\n",
     "y:dense(3)", "on p is inside, and not considered in quantization"},
    /* Of two that would take one op the one nearer to the inputs gets it. */
    {TWO("y", "add", "c", "x") TWO("c", "add", "a", "z") TWO("a", "add", "x", "z") "output y\n",
     "c:sum(2) y:add(1)", NULL},
    /* Integers are no kernel's. */
    {"constant k i32[2] = [1, 2]\ninput j i32[2]\n"
     "op y = stablehlo.add(k, j) i32[2] i32[2] -> i32[2]\noutput y\n",
     "y", "left is quantized, and k stays in high precision"},
};

static bool becomes_wanted(const example_t *example, quant_fuse_fault_t fault, bool is_loud) {
  arena_t arena;
  arena_init(&arena);
  quant_target_t table = read_table(table_text, &arena);
  g_autofree char *text = g_strconcat(HEAD, example->body, NULL);
  quant_graph_t graph = parse_graph(text, &arena);
  quant_fusion_t fusion;
  bool is_wanted = fuse(&graph, &table, fault, &arena, &fusion);
  if (is_wanted) {
    g_autofree char *got = describe(&fusion.fused);
    g_autoptr(GString) explained = g_string_new(NULL);
    quant_fuse_explain(&fusion, explained);
    is_wanted = strcmp(got, example->wanted) == 0;
    is_wanted &= example->explained == NULL || strstr(explained->str, example->explained) != NULL;
    if (!is_wanted && is_loud) {
      g_error("%s\nbecomes \"%s\", not \"%s\":\n%s", text, got, example->wanted, explained->str);
    }
  }
  arena_deinit(&arena);
  return is_wanted;
}

static void test_examples(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(examples); i++) {
    g_assert_true(becomes_wanted(&examples[i], QUANT_FUSE_FAULT_none, true));
  }
}

/* A chain of sums, declared in many orders: any two of its links fit one pattern. */
static uint32_t count_broken_chains(quant_fuse_fault_t fault) {
  static const char chain[] = HEAD TWO("a", "add", "x", "z") TWO("c", "add", "a", "x")
      TWO("d", "add", "c", "z") TWO("e", "add", "x", "d") TWO("y", "add", "e", "z") "output y\n";
  arena_t arena;
  arena_init(&arena);
  quant_target_t table = read_table(table_text, &arena);
  quant_graph_t graph = parse_graph(chain, &arena);
  rng_t rng = rng_make(2);
  uint32_t broken = 0;
  for (int i = 0; i < 30; i++) {
    totals_t totals = {0};
    broken += check(&graph, true, &table, fault, &rng, &arena, &totals) == BROKEN_ORDER;
  }
  arena_deinit(&arena);
  return broken;
}

static void test_order(void) {
  g_assert_cmpuint(count_broken_chains(QUANT_FUSE_FAULT_none), ==, 0);
  g_assert_cmpuint(count_broken_chains(QUANT_FUSE_FAULT_declaration_order), >, 0);
}

/* Every fault is seen by drawn models or by the examples. */
static void test_faults(void) {
  for (quant_fuse_fault_t fault = 1; fault < QUANT_FUSE_FAULT_COUNT; fault++) {
    uint32_t broken[BROKEN_COUNT], wrong = 0, seen = 0;
    totals_t totals;
    draw_and_check(fault, 40, broken, &totals);
    for (int i = BROKEN_BUILD; i < BROKEN_COUNT; i++) seen += broken[i];
    for (size_t i = 0; i < G_N_ELEMENTS(examples); i++) {
      wrong += !becomes_wanted(&examples[i], fault, false);
    }
    g_test_message(
        "fault %d: %u examples wrong; drawn: %u no graph, %u inverse, %u idempotence, %u "
        "order",
        (int)fault, wrong, broken[BROKEN_BUILD], broken[BROKEN_INVERSE], broken[BROKEN_IDEMPOTENCE],
        broken[BROKEN_ORDER]);
    g_assert_cmpuint(seen + wrong, >, 0);
    if (fault == QUANT_FUSE_FAULT_second_use) g_assert_cmpuint(seen, >, 0);
    if (fault == QUANT_FUSE_FAULT_constraints_lost) g_assert_cmpuint(broken[BROKEN_INVERSE], >, 0);
    if (fault == QUANT_FUSE_FAULT_swaps_all) g_assert_cmpuint(wrong, >, 0);
    if (fault == QUANT_FUSE_FAULT_smallest_first) g_assert_cmpuint(wrong, >, 0);
  }
}

/* Both copies of a subprogram are fused alike, and print as one subprogram again. */
static void test_calls(void) {
  static const char text[] =
      "graph g\ninput x " T "\ninput z " T
      "\ncall one part(x) -> (y)\ncall two part(z) -> (q)\n"
      "output y\noutput q\nsubprogram part(a: " T
      ") -> (r)\nconstant none f32[] = [0.0]\n"
      "constant w " T
      " = [1.0, 2.0, 3.0, 4.0]\n"
      "op p = stablehlo.dot_general(a, w) batch=[]x[] contract=[1]x[0] " T " " T " -> " T
      "\n" WIDE("n", "none") TWO("r", "maximum", "p", "n") "end\n";
  arena_t arena;
  arena_init(&arena);
  quant_target_t table = read_table(table_text, &arena);
  quant_graph_t graph = parse_graph(text, &arena);
  quant_fusion_t fusion;
  g_assert_true(fuse(&graph, &table, QUANT_FUSE_FAULT_none, &arena, &fusion));
  g_autofree char *got = describe(&fusion.fused);
  g_assert_cmpstr(got, ==, "one/r:dense(3) two/r:dense(3)");
  g_autofree char *printed = print_graph(&fusion.fused);
  g_assert_null(strstr(printed, "part.2"));
  check_graph_round_trip(&fusion.fused);
  quant_graph_t apart = take_apart(&fusion.fused, NULL, &arena);
  g_assert_true(quant_graph_equal(&apart, &graph));
  arena_deinit(&arena);
}

/* A number, or what widens it, that belongs to the caller stays there. */
static void test_other_call(void) {
  static const char text[] = "graph g\ninput x " T "\nconstant none f32[] = [0.0]\n" WIDE(
      "n", "none") "call one part(x, n) -> (y)\noutput y\nsubprogram part(a: " T ", m: " T
                   ") -> (r)\n" TWO("r", "maximum", "a", "m") "end\n";
  arena_t arena;
  arena_init(&arena);
  quant_target_t table = read_table(table_text, &arena);
  quant_graph_t graph = parse_graph(text, &arena);
  quant_fusion_t fusion;
  g_assert_true(fuse(&graph, &table, QUANT_FUSE_FAULT_none, &arena, &fusion));
  g_autofree char *got = describe(&fusion.fused);
  g_assert_cmpstr(got, ==, "n y");
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quant/fuse/examples", test_examples);
  g_test_add_func("/quant/fuse/calls", test_calls);
  g_test_add_func("/quant/fuse/other_call", test_other_call);
  g_test_add_func("/quant/fuse/drawn", test_drawn);
  g_test_add_func("/quant/fuse/propagation", test_propagation);
  g_test_add_func("/quant/fuse/order", test_order);
  g_test_add_func("/quant/fuse/faults", test_faults);
  return g_test_run();
}
