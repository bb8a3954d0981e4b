/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of convolutions, pools and their gradients, of some million elements each: what is right
 * conforms; and one wrong element in 1,000, a wrong last tile, and a wrong last row are found, each
 * of several samples, none of which misses the first but once in a million times. */
#include <stdbool.h>
#include <string.h>

#include "tests/api/api_test.h"
#include "tests/api/naive_kernels.h"

enum { SEEDS = 2, TILE = 16 };

typedef struct subject {
  const char *line;
  image_t image;
  assay_program_handle_t *program;
  float *data[4]; /* Operands; the result last. */
  assay_tensor_t operands[3], result;
  assay_question_t question;
} subject_t;

static void subject_init(subject_t *subject) {
  assay_error_t error = ERROR_INIT;
  subject->program = program_make(subject->line);
  const uint32_t count = assay_program_operand_count(subject->program);
  for (uint32_t i = 0; i <= count; i++) {
    assay_tensor_t *type = i == count ? &subject->result : &subject->operands[i];
    *type = (assay_tensor_t){.struct_size = sizeof *type};
    if (i == count) MUST(assay_program_result_type(subject->program, 0, type, &error));
    if (i < count) MUST(assay_program_operand_type(subject->program, i, type, &error));
    type->data = subject->data[i == count ? 3 : i] = g_new0(float, MAX(count_of(type), 1));
  }
  subject->question = ask(subject->program, subject->operands, count, &subject->result);
  subject->question.budget_seconds = 1e-9;
  subject->question.threads = 2;
}

static void subject_clear(subject_t *subject) {
  for (size_t i = 0; i < G_N_ELEMENTS(subject->data); i++) g_free(subject->data[i]);
  assay_program_free(subject->program);
}

static bool in_last_tile(image_t image, size_t i) {
  const int64_t channel = (int64_t)i % image.channels,
                column = (int64_t)i / image.channels % image.size;
  const int64_t row = (int64_t)i / image.channels / image.size;
  return channel == image.channels - 1 && column >= image.size - TILE && row >= image.size - TILE;
}

static bool in_last_row(image_t image, size_t i) {
  return (int64_t)i / image.channels / image.size == image.size - 1;
}

static bool is_one_in_1000(image_t image, size_t i) {
  (void)image;
  return i % 1000 == 617;
}

static bool is_none(image_t image, size_t i) {
  (void)image;
  (void)i;
  return false;
}

typedef bool (*plan_t)(image_t image, size_t i);

static void plant(subject_t *subject, plan_t is_wrong) {
  const size_t count = image_count(subject->image);
  for (size_t i = 0; i < count; i++) {
    if (is_wrong(subject->image, i)) subject->data[3][i] += 1;
  }
}

static void uproot(subject_t *subject, plan_t is_wrong) {
  const size_t count = image_count(subject->image);
  for (size_t i = 0; i < count; i++) {
    if (is_wrong(subject->image, i)) subject->data[3][i] -= 1;
  }
}

/* What was found is what was planted, and the worst is among it. */
static void compare_wrong(const subject_t *subject, const assay_verdict_t *verdict,
                          plan_t is_wrong) {
  assay_error_t error = ERROR_INIT;
  const assay_verdict_info_t info = info_of(verdict);
  const uint8_t *wrong = NULL;
  size_t count = 0, found = 0, place = 0;
  MUST(assay_verdict_wrong(verdict, 0, &wrong, &count, &error));
  for (size_t i = 0; i < count; i++) {
    found += wrong[i];
    if (wrong[i] != 0) g_assert_true(is_wrong(subject->image, i));
  }
  g_assert_cmpuint(found, ==, info.wrong_count);
  for (uint32_t d = 0; d < info.worst_rank; d++) {
    place = place * (size_t)subject->result.dims[d] + (size_t)info.worst_index[d];
  }
  g_assert_true(is_wrong(subject->image, place));
}

static void check_all(subject_t *subject) {
  static const plan_t plans[] = {is_none, is_one_in_1000, in_last_tile, in_last_row};
  assay_error_t error = ERROR_INIT;
  assay_context_t *context = context_make();
  for (size_t p = 0; p < G_N_ELEMENTS(plans); p++) {
    plant(subject, plans[p]);
    for (uint64_t seed = 1; seed <= (p == 0 ? 1 : SEEDS); seed++) {
      assay_verdict_t *verdict = NULL;
      subject->question.seed = seed;
      MUST(assay_check(context, &subject->question, &verdict, &error));
      const assay_verdict_info_t info = info_of(verdict);
      g_test_message("%s", info.explanation);
      g_assert_cmpuint(info.left_out_count, >, image_count(subject->image) / 2);
      g_assert_cmpuint(info.missed_one_in, ==, 1000);
      g_assert_cmpint(info.outcome, ==, p == 0 ? ASSAY_CONFORMS : ASSAY_DIVERGES);
      if (p > 0) compare_wrong(subject, verdict, plans[p]);
      assay_verdict_free(verdict);
    }
    uproot(subject, plans[p]);
  }
  assay_context_free(context);
}

static void test_convolution(void) {
  subject_t subject = {
      .line =
          "stablehlo.convolution window_strides=[1,1] padding=[[1,1],[1,1]] lhs_dilation=[1,1] "
          "rhs_dilation=[1,1] window_reversal=[false,false] "
          "dimension_numbers=[b,0,1,f]x[0,1,i,o]->[b,0,1,f] feature_group_count=1 "
          "batch_group_count=1 f32[1,192,192,64] f32[3,3,64,64] -> f32[1,192,192,64]",
      .image = {192, 64}};
  subject_init(&subject);
  naive_fill(subject.data[0], image_count(subject.image), naive_small);
  naive_fill(subject.data[1], 9 * 64 * 64, naive_small);
  naive_convolve(subject.image, subject.data[0], subject.data[1], subject.data[3]);
  check_all(&subject);
  subject_clear(&subject);
}

static void test_pool(void) {
  subject_t subject = {
      .line =
          "stablehlo.reduce_window body=maximum window_dimensions=[1,3,3,1] "
          "window_strides=[1,1,1,1] base_dilations=[1,1,1,1] window_dilations=[1,1,1,1] "
          "padding=[[0,0],[1,1],[1,1],[0,0]] f32[1,1024,1024,2] f32[] -> f32[1,1024,1024,2]",
      .image = {1024, 2}};
  subject_init(&subject);
  naive_fill(subject.data[0], image_count(subject.image), naive_distinct);
  subject.data[1][0] = -INFINITY;
  naive_pool(subject.image, subject.data[0], subject.data[3]);
  check_all(&subject);
  subject_clear(&subject);
}

static void test_scatter(void) {
  subject_t subject = {
      .line =
          "stablehlo.select_and_scatter select=ge scatter=add window_dimensions=[1,3,3,1] "
          "window_strides=[1,2,2,1] padding=[[0,0],[0,1],[0,1],[0,0]] f32[1,1024,1024,2] "
          "f32[1,512,512,2] f32[] -> f32[1,1024,1024,2]",
      .image = {1024, 2}};
  subject_init(&subject);
  naive_fill(subject.data[0], image_count(subject.image), naive_distinct);
  naive_fill(subject.data[1], image_count(subject.image) / 4, naive_small);
  naive_scatter(subject.image, subject.data[0], subject.data[1], subject.data[3]);
  check_all(&subject);
  subject_clear(&subject);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/api/samples/convolution", test_convolution);
  g_test_add_func("/api/samples/pool", test_pool);
  g_test_add_func("/api/samples/scatter", test_scatter);
  return g_test_run();
}
