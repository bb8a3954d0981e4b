/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of real sizes: seconds, and the peak of memory beside what operands take.
 *
 *   bench_large [NAME [THREADS [BUDGET [FAULTS]]]]     each in a process of its own, or one
 *
 * FAULTS: one result element in so many is made wrong, 0: none.  The peak is that of the process
 * behind the check, less that before it; operands and results are the caller's own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/api/assay/assay.h"
#include "tests/api/naive_kernels.h"
#include "tests/bench/bench_timing.h"

typedef struct subject {
  const char *name;
  const char *line;
  int64_t rows, terms, columns;
  double budget;
} subject_t;

static const subject_t subjects[] = {
    {"product",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[1024,1024] f32[1024,1024] -> "
     "f32[1024,1024]",
     1024, 1024, 1024, 0},
    {"product-of-bf16",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] bf16[4096,4096] bf16[4096,4096] -> "
     "bf16[4096,4096]",
     4096, 4096, 4096, 2},
    {"softmax", "byteir.softmax axis=1 f32[4096,4096] -> f32[4096,4096]", 4096, 4096, 0, 0},
    {"softmax-of-gigabyte", "byteir.softmax axis=1 f32[32768,8192] -> f32[32768,8192]", 32768, 8192,
     0, 2},
    {"layer_norm",
     "byteir.layer_norm epsilon=0x1.4f8b58p-17 axis=[1] f32[4096,4096] f32[4096] f32[4096] -> "
     "f32[4096,4096]",
     4096, 4096, 0, 0},
    {"sum", "stablehlo.reduce body=add dims=[1] f32[4096,4096] f32[] -> f32[4096]", 4096, 4096, 0,
     0},
    {"add", "stablehlo.add f32[4096,4096] f32[4096,4096] -> f32[4096,4096]", 4096, 4096, 0, 0},
    /* Images of so many rows, and channels. */
    {"convolution",
     "stablehlo.convolution window_strides=[1,1] padding=[[1,1],[1,1]] lhs_dilation=[1,1] "
     "rhs_dilation=[1,1] window_reversal=[false,false] "
     "dimension_numbers=[b,0,1,f]x[0,1,i,o]->[b,0,1,f] feature_group_count=1 batch_group_count=1 "
     "f32[1,512,512,64] f32[3,3,64,64] -> f32[1,512,512,64]",
     512, 64, 0, 0},
    {"pool",
     "stablehlo.reduce_window body=maximum window_dimensions=[1,3,3,1] "
     "window_strides=[1,1,1,1] base_dilations=[1,1,1,1] window_dilations=[1,1,1,1] "
     "padding=[[0,0],[1,1],[1,1],[0,0]] f32[1,2048,2048,4] f32[] -> f32[1,2048,2048,4]",
     2048, 4, 0, 0},
    {"scatter",
     "stablehlo.select_and_scatter select=ge scatter=add window_dimensions=[1,3,3,1] "
     "window_strides=[1,2,2,1] padding=[[0,0],[0,1],[0,1],[0,0]] f32[1,2048,2048,4] "
     "f32[1,1024,1024,4] f32[] -> f32[1,2048,2048,4]",
     2048, 4, 0, 0}};

static void must(int32_t status, const assay_error_t *error) {
  if (status == ASSAY_OK) return;
  fprintf(stderr, "bench_large: %s\n", error->text);
  exit(3);
}

static uint64_t state = 1;
static float draw(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (float)(int32_t)(state >> 40) * 0x1p-23f - 1.0f;
}

static uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static float from_bf16(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void *make(const assay_tensor_t *type) {
  size_t count = 1;
  for (uint32_t i = 0; i < type->rank; i++) count *= (size_t)type->dims[i];
  const int is_short = strcmp(type->element, "bf16") == 0;
  void *data = malloc(count * (is_short ? 2 : 4) + 64);
  for (size_t i = 0; i < count; i++) {
    if (is_short) ((uint16_t *)data)[i] = to_bf16(draw());
    if (!is_short) ((float *)data)[i] = draw();
  }
  return data;
}

/* Columns of the right operand repeat, so that few of them have to be computed. */
enum { DISTINCT = 64 };

static void multiply_row(const subject_t *subject, const float *left, const float *right,
                         float *sums) {
  memset(sums, 0, DISTINCT * sizeof *sums);
  for (int64_t k = 0; k < subject->terms; k++) {
    for (int j = 0; j < DISTINCT; j++) sums[j] += left[k] * right[k * DISTINCT + j];
  }
}

static void multiply(const subject_t *subject, void *a, void *b, void *c) {
  const int is_short = strstr(subject->name, "bf16") != NULL;
  const int64_t columns = subject->columns, terms = subject->terms;
  float *right = malloc((size_t)terms * DISTINCT * sizeof *right);
  float *left = malloc((size_t)terms * sizeof *left), sums[DISTINCT];
  for (int64_t k = 0; k < terms; k++) {
    for (int64_t j = 0; j < columns; j++) {
      const int64_t to = k * columns + j, from = k * columns + j % DISTINCT;
      if (is_short) ((uint16_t *)b)[to] = ((uint16_t *)b)[from];
      if (!is_short) ((float *)b)[to] = ((float *)b)[from];
      const float value = is_short ? from_bf16(((uint16_t *)b)[from]) : ((float *)b)[from];
      if (j < DISTINCT) right[k * DISTINCT + j] = value;
    }
  }
  for (int64_t i = 0; i < subject->rows; i++) {
    for (int64_t k = 0; k < terms; k++) {
      const int64_t at = i * terms + k;
      left[k] = is_short ? from_bf16(((uint16_t *)a)[at]) : ((float *)a)[at];
    }
    multiply_row(subject, left, right, sums);
    for (int64_t j = 0; j < columns; j++) {
      const int64_t at = i * columns + j;
      if (is_short) ((uint16_t *)c)[at] = to_bf16(sums[j % DISTINCT]);
      if (!is_short) ((float *)c)[at] = sums[j % DISTINCT];
    }
  }
  free(left);
  free(right);
}

static void compute_row(const subject_t *subject, float *const *operands, int64_t row,
                        float *result) {
  const float *x = operands[0] + row * subject->terms;
  float *y = result + row * subject->terms;
  double sum = 0, squares = 0;
  const int is_softmax = strncmp(subject->name, "softmax", 7) == 0;
  for (int64_t k = 0; k < subject->terms; k++) {
    if (is_softmax) y[k] = expf(x[k] - 1.0f);
    sum += (double)(is_softmax ? y[k] : x[k]);
  }
  const double mean = sum / (double)subject->terms;
  for (int64_t k = 0; k < subject->terms; k++)
    squares += ((double)x[k] - mean) * ((double)x[k] - mean);
  const double root = sqrt(squares / (double)subject->terms + 0x1.4f8b58p-17);
  for (int64_t k = 0; k < subject->terms; k++) {
    if (is_softmax) y[k] = (float)((double)y[k] / sum);
    if (strcmp(subject->name, "layer_norm") == 0) {
      y[k] =
          (float)(((double)x[k] - mean) / root * (double)operands[1][k] + (double)operands[2][k]);
    }
    if (strcmp(subject->name, "add") == 0) y[k] = x[k] + operands[1][row * subject->terms + k];
  }
  if (strcmp(subject->name, "sum") == 0) {
    float total = operands[1][0] = 0;
    for (int64_t k = 0; k < subject->terms; k++) total += x[k];
    result[row] = total;
  }
}

static double peak_mebibytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024;
}

static double processor_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static size_t spoil(const subject_t *subject, void *data, size_t count, size_t faults) {
  size_t spoilt = 0;
  for (size_t i = faults / 2; faults > 0 && i < count; i += faults, spoilt++) {
    if (strstr(subject->name, "bf16") != NULL) ((uint16_t *)data)[i] ^= 0x20;
    if (strstr(subject->name, "bf16") == NULL) ((float *)data)[i] = ((float *)data)[i] * 1.01f + 1;
  }
  return spoilt;
}

/* What is asked, with data of its own. */
typedef struct asked {
  assay_program_handle_t *program;
  assay_tensor_t operands[3], result;
  assay_question_t question;
  double mebibytes; /* Of operands. */
} asked_t;

static size_t count_of(const assay_tensor_t *type) {
  size_t count = 1;
  for (uint32_t i = 0; i < type->rank; i++) count *= (size_t)type->dims[i];
  return count;
}

/* False if it is none of an image. */
static int compute_image(const subject_t *subject, float *const *operands, float *result) {
  const image_t image = {subject->rows, subject->terms};
  if (strcmp(subject->name, "convolution") == 0) {
    naive_fill(operands[0], image_count(image), naive_small);
    naive_fill(operands[1], (size_t)(9 * image.channels * image.channels), naive_small);
    naive_convolve(image, operands[0], operands[1], result);
  } else if (strcmp(subject->name, "pool") == 0) {
    naive_fill(operands[0], image_count(image), naive_distinct);
    operands[1][0] = -INFINITY;
    naive_pool(image, operands[0], result);
  } else if (strcmp(subject->name, "scatter") == 0) {
    naive_fill(operands[0], image_count(image), naive_distinct);
    naive_fill(operands[1], image_count(image) / 4, naive_small);
    operands[2][0] = 0;
    naive_scatter(image, operands[0], operands[1], result);
  } else {
    return 0;
  }
  return 1;
}

static void compute(const subject_t *subject, float *const *operands, float *result) {
  if (compute_image(subject, operands, result)) return;
  if (subject->columns > 0) multiply(subject, operands[0], operands[1], result);
  for (int64_t i = 0; subject->columns == 0 && i < subject->rows; i++) {
    compute_row(subject, operands, i, result);
  }
}

static void prepare(const subject_t *subject, size_t faults, asked_t *asked) {
  assay_error_t error = {.struct_size = sizeof error};
  must(assay_program_parse(subject->line, &asked->program, &error), &error);
  float *data[3];
  const uint32_t count = assay_program_operand_count(asked->program);
  for (uint32_t i = 0; i < count; i++) {
    assay_tensor_t *operand = &asked->operands[i];
    *operand = (assay_tensor_t){.struct_size = sizeof *operand};
    must(assay_program_operand_type(asked->program, i, operand, &error), &error);
    operand->data = data[i] = (float *)make(operand);
    const size_t bytes = strcmp(operand->element, "bf16") == 0 ? 2 : 4;
    asked->mebibytes += (double)(count_of(operand) * bytes) / (1 << 20);
  }
  asked->result.struct_size = sizeof asked->result;
  must(assay_program_result_type(asked->program, 0, &asked->result, &error), &error);
  float *result = (float *)make(&asked->result);
  asked->result.data = result;
  compute(subject, data, result);
  spoil(subject, result, count_of(&asked->result), faults);
  asked->question = (assay_question_t){.struct_size = sizeof asked->question,
                                       .program = asked->program,
                                       .operands = asked->operands,
                                       .results = &asked->result,
                                       .operand_count = count,
                                       .result_count = 1};
}

static void run(const subject_t *subject, uint32_t threads, double budget, size_t faults) {
  assay_error_t error = {.struct_size = sizeof error};
  assay_context_t *context = NULL;
  assay_contract_t *contract = NULL;
  must(assay_context_new(&context, &error), &error);
  must(assay_contract_new("wide", &contract, &error), &error);
  asked_t asked = {.program = NULL};
  prepare(subject, faults, &asked);
  asked.question.contract = contract;
  asked.question.budget_seconds = budget;
  asked.question.threads = threads;
  assay_verdict_t *verdict = NULL;
  assay_verdict_info_t info = {.struct_size = sizeof info};
  const double before = peak_mebibytes(), processor = processor_seconds(), begin = microseconds();
  must(assay_check(context, &asked.question, &verdict, &error), &error);
  const double seconds = 1e-6 * (microseconds() - begin);
  must(assay_verdict_info(verdict, &info, &error), &error);
  static const char *const outcomes[] = {"conforms", "diverges", "vacuous", "no-oracle"};
  const double more = peak_mebibytes() - before;
  printf("%-20s %7u %6.1f %7.2f %7.2f %9.1f %8.1f %5.2f  %-8s %6llu %8llu\n", subject->name,
         threads, budget, seconds, processor_seconds() - processor, asked.mebibytes, more,
         (more + asked.mebibytes) / asked.mebibytes, outcomes[info.outcome],
         (unsigned long long)info.missed_one_in, (unsigned long long)info.wrong_count);
  assay_verdict_free(verdict);
  assay_contract_free(contract);
  assay_context_free(context);
  assay_program_free(asked.program);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc > 1) {
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
      if (strcmp(subjects[i].name, argv[1]) != 0) continue;
      const uint32_t threads = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
      const double budget = argc > 3 ? strtod(argv[3], NULL) : subjects[i].budget;
      run(&subjects[i], threads, budget, argc > 4 ? strtoul(argv[4], NULL, 10) : 0);
      return 0;
    }
    fprintf(stderr, "bench_large: there is no '%s'\n", argv[1]);
    return 2;
  }
  printf("%-20s %7s %6s %7s %7s %9s %8s %5s  %-8s %6s %8s\n", "check", "threads", "budget",
         "seconds", "cpu", "operands", "peak MiB", "times", "outcome", "1 in", "wrong");
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      run(&subjects[i], 1, subjects[i].budget, 0);
      exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) return 3;
  }
  return 0;
}
