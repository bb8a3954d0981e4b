/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of stablehlo.all_reduce and stablehlo.reduce_scatter. */
#include "oracles/ops/collective/collective.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 4, .elements_max = 1024, .terms_max = 64};

#define ALL "stablehlo.all_reduce "
#define SCATTER "stablehlo.reduce_scatter "
#define PAIRS "replica_groups=[[0,1],[2,3]] "
#define U8 "!quant.uniform<ui8:f32,0x1p-1:3>"
#define PER_AXIS "!quant.uniform<i8:f32:0,{0x1p+0,0x1p+1}>"

static const violation_row_t all_rows[] = {
    {ALL PAIRS "body=add f32[4,3] -> f32[4,3]", NULL},
    {ALL PAIRS "body=add f32[4] -> f64[4]", NULL},
    {ALL "replica_groups=[[3,0,1,2]] body=maximum i8[4,2] -> i8[4,2]", NULL},
    {ALL "replica_groups=[] body=add f32[0,2] -> f32[0,2]", NULL},
    {ALL "replica_groups=[[0]] body=add " U8 "[1,2] -> " U8 "[1,2]", NULL},
    {ALL "replica_groups=[[0,1],[1,2]] body=add f32[4,3] -> f32[4,3]", "C1"},
    {ALL "replica_groups=[[0,1]] body=add f32[4,3] -> f32[4,3]", "C2"},
    {ALL PAIRS "body=add f32[3,3] -> f32[3,3]", "C2"},
    {ALL "replica_groups=[] body=add f32[1,2] -> f32[1,2]", "C2"},
    {ALL "replica_groups=[[0,4],[2,3]] body=add f32[4,3] -> f32[4,3]", "C3"},
    {ALL "replica_groups=[[0,-1],[2,3]] body=add f32[4,3] -> f32[4,3]", "C3"},
    {ALL "replica_groups=[[0,9223372036854775807]] body=add f32[2,3] -> f32[2,3]", "C3"},
    {ALL PAIRS "body=add f32[4,3] -> f16[4,3]", "C5"},
    {ALL PAIRS "body=sum_count f32[4,3] -> f32[4,3]", "C5"},
    {ALL PAIRS "body=add f32[4,3] -> f32[4,2]", "C6"},
    {ALL PAIRS "body=add f32[4,3] -> f32[]", "C6"},
    {ALL PAIRS "body=add accumulation=f32 f32[4,3] -> f64[4,3]", "C7"},
    {ALL PAIRS "body=add f32[4,3] -> i32[4,3]", "case-D"},
    {ALL PAIRS "body=add i32[4,3] -> f32[4,3]", "case-E"},
    {ALL PAIRS "body=add f32[4,3] -> " U8 "[4,3]", "case-B"},
    {ALL PAIRS "body=add " U8 "[4,3] -> f32[4,3]", "case-C"},
    {ALL PAIRS "body=add accumulation=complex<f64> complex<f32>[4] -> complex<f32>[4]", "case-H"},
    {ALL PAIRS "body=add accumulation=f32 f32[4,3] -> f32[4,3]", "accumulation"},
    {ALL PAIRS "body=add f32[] -> f32[]", "replicas"},
    {ALL "replica_groups=[[0,1],[2]] body=add f32[3,3] -> f32[3,3]", NULL},
    {ALL "replica_groups=[[2],[],[1,0]] body=add f32[3,3] -> f32[3,3]", NULL},
    {ALL "replica_groups=[[0,1],[1]] body=add f32[3,3] -> f32[3,3]", "C1"},
    {ALL PAIRS "body=add f32[4,3] f32[] -> f32[4,3]", "types"},
    {ALL PAIRS "body=xor f32[4,3] -> f32[4,3]", "bits"},
    {ALL PAIRS "body=maximum complex<f32>[4,3] -> complex<f32>[4,3]", "body"},
    {ALL PAIRS "body=add f32[4,3] f32[5,3] -> f32[4,3] f32[5,3]", "replicas"},
    {ALL PAIRS "body=add f32[4,3] f32[4,3] -> f32[4,3] f32[4,3]", NULL},
    {ALL PAIRS "body=add f32[4,3] f16[4] i1[4] -> f32[4,3] f32[4] f32[4]", "C5"},
    {ALL PAIRS "body=add f32[4,3] f16[4] -> f32[4,3] f32[4]", NULL},
    {ALL PAIRS "body=add f32[4,3] f16[4] -> f32[4,3] f16[4]", "C7"},
    {ALL PAIRS "body=add f32[4,3] f64[4] -> f32[4,3] f32[4]", "C5"},
    {ALL PAIRS "body=add f32[4,3] f32[4] -> f32[4,3] f32[4,1]", "C6"},
    {ALL PAIRS "body=add accumulation=f32 f32[4] f32[4] -> f32[4] f32[4]", "accumulation"},
    {ALL PAIRS "channel_id=3 use_global_device_ids=true body=add f32[4] -> f32[4]", NULL},
    {ALL PAIRS "channel_id=-3 body=add f32[4] -> f32[4]", NULL},
    {ALL PAIRS "use_global_device_ids=true body=add f32[4] -> f32[4]", "C4"},
    {ALL PAIRS "channel_id=-1 use_global_device_ids=true body=add f32[4] -> f32[4]", "C4"},
    {ALL "replica_groups=[[0,1]] body=add " PER_AXIS "[2] -> " U8 "[2]", "types"},
};

static const violation_row_t scatter_rows[] = {
    {SCATTER "replica_groups=[[0,1]] scatter_dimension=0 body=add f32[2,4] -> f32[2,2]", NULL},
    {SCATTER PAIRS "scatter_dimension=1 body=add f16[4,3,0] -> f32[4,3,0]", NULL},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,3] -> f32[4,1]", "C1"},
    {SCATTER "replica_groups=[[]] scatter_dimension=0 body=add f32[0,3] -> f32[0,3]", "C1"},
    {SCATTER PAIRS "scatter_dimension=1 body=add f32[4,2] -> f32[4,1]", "C2"},
    {SCATTER PAIRS "scatter_dimension=-1 body=add f32[4,2] -> f32[4,1]", "C2"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4] -> f32[4]", "C2"},
    {SCATTER PAIRS "scatter_dimension=9223372036854775807 body=add f32[4,2] -> f32[4,1]", "C2"},
    {SCATTER "replica_groups=[[0,0]] scatter_dimension=0 body=add f32[2,4] -> f32[2,2]", "C3"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[2,4] -> f32[2,2]", "C4"},
    {SCATTER "replica_groups=[[0,2]] scatter_dimension=0 body=add f32[2,4] -> f32[2,2]", "C5"},
    {SCATTER PAIRS "channel_id=1 scatter_dimension=0 body=add f32[4,2] -> f32[4,1]", NULL},
    {SCATTER PAIRS "use_global_device_ids=true scatter_dimension=0 body=add f32[4,2] -> f32[4,1]",
     "C6"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,2] -> f16[4,1]", "C7"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,2] -> f32[4,2]", "C8"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,2] -> f32[4]", "C8"},
    {SCATTER PAIRS "scatter_dimension=0 body=add accumulation=f32 f32[4,2] -> f64[4,1]", "C9"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,2] -> i32[4,1]", "case-D"},
    {SCATTER PAIRS "scatter_dimension=0 body=add i32[4,2] -> f32[4,1]", "case-E"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[4,2] -> " U8 "[4,1]", "case-B"},
    {SCATTER PAIRS "scatter_dimension=0 body=add " U8 "[4,2] -> f32[4,1]", "case-C"},
    {SCATTER PAIRS "scatter_dimension=0 body=add accumulation=complex<f64> complex<f32>[4,2] -> "
                   "complex<f32>[4,1]",
     "case-H"},
    {SCATTER PAIRS "scatter_dimension=0 body=add accumulation=f32 f32[4,2] -> f32[4,1]",
     "accumulation"},
    {SCATTER PAIRS "scatter_dimension=0 body=add f32[] -> f32[]", "replicas"},
    {SCATTER "replica_groups=[[0,1],[2]] scatter_dimension=0 body=add f32[3,4] -> f32[3,2]",
     "types"},
    {SCATTER PAIRS "scatter_dimension=0 body=xor f32[4,4] -> f32[4,2]", "bits"},
    {SCATTER PAIRS "scatter_dimension=0 body=maximum complex<f32>[4,4] -> complex<f32>[4,2]",
     "body"},
};

static const op_t *all_op(void) { return check_find_op("stablehlo.all_reduce"); }
static const op_t *scatter_op(void) { return check_find_op("stablehlo.reduce_scatter"); }

static void test_violations(void) {
  check_violations(all_op(), all_rows, G_N_ELEMENTS(all_rows), NULL);
  check_violations(scatter_op(), scatter_rows, G_N_ELEMENTS(scatter_rows), NULL);
}

static void test_hostile(void) {
  check_hostile(all_rows, G_N_ELEMENTS(all_rows), 15000);
  check_hostile(scatter_rows, G_N_ELEMENTS(scatter_rows), 15000);
}

/* What drawn programs have to show at least once. */
typedef struct coverage {
  uint32_t bodies;
  uint64_t group_sizes;
  bool several_groups, unsorted, empty, promotion, channel, device_ids;
  bool uneven, several_operands, several_shapes, several_elements; /* Of an all_reduce. */
} coverage_t;

static void visit(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const collective_attributes_t *attributes = collective_attributes(program);
  const replica_groups_t *groups = &attributes->groups;
  coverage->bodies |= 1u << attributes->reduction.body;
  coverage->group_sizes |= (uint64_t)1 << (replica_group_size(groups) - 1);
  coverage->several_groups |= groups->group_count > 1 && replica_group_size(groups) > 1;
  coverage->empty |= type_element_count(&program->operands[0]) == 0;
  coverage->promotion |= program->operands[0].element != program->results[0].element;
  coverage->channel |= attributes->channel_id < 0;
  coverage->device_ids |= attributes->channel_id > 0 && attributes->use_global_device_ids;
  coverage->uneven |= !replica_groups_are_even(groups);
  coverage->several_operands |= program->operand_count > 2;
  for (uint32_t i = 1; i < program->operand_count; i++) {
    const type_t *first = &program->operands[0], *other = &program->operands[i];
    coverage->several_shapes |= !type_shapes_equal(first, other);
    coverage->several_elements |= first->element != other->element;
  }
  for (uint32_t i = 1; i < groups->id_count; i++) {
    coverage->unsorted |= groups->ids[i] < groups->ids[i - 1];
  }
}

static void test_drawn(void) {
  const op_t *const ops[] = {all_op(), scatter_op()};
  for (size_t i = 0; i < G_N_ELEMENTS(ops); i++) {
    coverage_t coverage = {0};
    check_drawn(ops[i], &limits, 3000, visit, &coverage);
    for (int body = 0; body < REDUCE_BODY_COUNT; body++) {
      bool is_drawn = (coverage.bodies >> body & 1) != 0;
      g_assert_cmpint(is_drawn, ==, reduce_body_table[body].inputs == 1);
    }
    g_assert_cmphex(coverage.group_sizes & 0xffff, ==, 0xffff);
    g_assert_true(coverage.group_sizes >> (REPLICAS_MAX - 1) != 0);
    g_assert_true(coverage.several_groups && coverage.unsorted);
    g_assert_true(coverage.empty && coverage.promotion);
    g_assert_true(coverage.channel && coverage.device_ids);
    bool is_all = ops[i] == all_op();
    g_assert_cmpint(coverage.uneven, ==, is_all);
    g_assert_cmpint(coverage.several_operands, ==, is_all);
    g_assert_cmpint(coverage.several_shapes, ==, is_all);
    g_assert_cmpint(coverage.several_elements, ==, is_all);
    const draw_limits_t tight = {.rank_max = 2, .elements_max = 1, .terms_max = 1};
    check_drawn(ops[i], &tight, 300, visit, &coverage);
  }
}

static void test_mlir(void) {
  g_autofree char *all =
      check_text(ALL PAIRS "body=add f16[4,3] -> f32[4,3]", all_op()->print_mlir);
  g_assert_cmpstr(all, ==,
                  "module {\n"
                  "  func.func @main(%arg0: tensor<3xf16>) -> tensor<3xf32> {\n"
                  "    %0 = \"stablehlo.all_reduce\"(%arg0) <{replica_groups = dense<[[0, 1], "
                  "[2, 3]]> : tensor<2x2xi64>}> ({\n"
                  "    ^body(%lhs0: tensor<f32>, %rhs0: tensor<f32>):\n"
                  "      %1 = \"stablehlo.add\"(%lhs0, %rhs0) : (tensor<f32>, tensor<f32>)"
                  " -> tensor<f32>\n"
                  "      \"stablehlo.return\"(%1) : (tensor<f32>) -> ()\n"
                  "    }) : (tensor<3xf16>) -> tensor<3xf32>\n"
                  "    return %0 : tensor<3xf32>\n"
                  "  }\n"
                  "}\n");
  g_autofree char *several = check_text(
      ALL
      "replica_groups=[[2],[],[0,1]] channel_id=7 use_global_device_ids=true body=add f32[3] "
      "f16[3,2] -> f32[3] f32[3,2]",
      all_op()->print_mlir);
  g_assert_nonnull(strstr(several,
                          "    %0:2 = \"stablehlo.all_reduce\"(%arg0, %arg1) <{replica_groups = "
                          "dense<[[2, -1], [-1, -1], [0, 1]]> : tensor<3x2xi64>, channel_handle = "
                          "#stablehlo.channel_handle<handle = 7, type = 1>, "
                          "use_global_device_ids}> ({\n"
                          "    ^body(%lhs0: tensor<f32>, %rhs0: tensor<f32>):\n"));
  g_autofree char *scatter = check_text(
      SCATTER "replica_groups=[[1],[0]] scatter_dimension=1 body=add f32[2,4,1] -> f32[2,4,1]",
      scatter_op()->print_mlir);
  g_assert_nonnull(strstr(scatter,
                          "\"stablehlo.reduce_scatter\"(%arg0) <{replica_groups = dense<[[1], "
                          "[0]]> : tensor<2x1xi64>, scatter_dimension = 1 : i64}> ({\n"));
  for (size_t i = 0; i < G_N_ELEMENTS(all_rows); i++) {
    g_autofree char *text = check_text(all_rows[i].line, all_op()->print_mlir);
    g_assert_true(g_str_has_suffix(text, "  }\n}\n"));
  }
  for (size_t i = 0; i < G_N_ELEMENTS(scatter_rows); i++) {
    g_autofree char *text = check_text(scatter_rows[i].line, scatter_op()->print_mlir);
    g_assert_true(g_str_has_suffix(text, "  }\n}\n"));
  }
}

static void test_words(void) {
  g_autofree char *all = check_text(ALL PAIRS "body=add f16[4,3] -> f32[4,3]", program_print_words);
  g_assert_cmpstr(all, ==,
                  "sums what the replicas of each group have in f16[4,3], accumulating in f32: 2 "
                  "groups of 2 replicas, each of which gets all; the module is what one replica "
                  "runs, among as many processes");
  g_autofree char *several =
      check_text(ALL "replica_groups=[[0,1],[2]] body=add f16[3] f32[3,2] -> f32[3] f32[3,2]",
                 program_print_words);
  g_assert_nonnull(strstr(several,
                          "in f16[3] and in f32[3,2], accumulating in f32: 2 groups of up to 2 "
                          "replicas, each"));
  g_autofree char *scatter =
      check_text(SCATTER "replica_groups=[[0,1]] scatter_dimension=0 body=add f32[2,4] -> f32[2,2]",
                 program_print_words);
  g_assert_nonnull(strstr(scatter, "each of which gets its part of dimension 0"));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/collective/violations", test_violations);
  g_test_add_func("/collective/hostile", test_hostile);
  g_test_add_func("/collective/drawn", test_drawn);
  g_test_add_func("/collective/mlir", test_mlir);
  g_test_add_func("/collective/words", test_words);
  return g_test_run();
}
