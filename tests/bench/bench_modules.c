/* SPDX-License-Identifier: Apache-2.0 */
/* What programs of several ops cost: drawing data for a module of four small ops, and judging it,
 * beside the sum of the same of its ops alone; and a case of all ops beside one of all but modules.
 * Times of this thread, with those of the executor, a model; methods take turns. */
#include <glib.h>
#include <stdio.h>

#include "harness/builtin/builtin.h"
#include "harness/kinds/module/module.h"
#include "harness/session/session.h"
#include "tests/bench/bench_timing.h"

enum {
  MODULES = 40,   /* That are measured. */
  STEPS = 4,      /* Of each. */
  ELEMENTS = 256, /* Of each value, at most: all is small. */
  CASES = 300,    /* Of each program in a round. */
  DRAWN = 4000,   /* Of all ops in a round. */
  ROUNDS_DEFAULT = 5,
};

typedef struct setting {
  executor_t *executor;
  const op_t **ops; /* All, op `module` last. */
  size_t op_count;
} setting_t;

static void fail(const char *why) {
  fprintf(stderr, "bench_modules: %s\n", why);
  exit(3);
}

static setting_t open_setting(void) {
  setting_t setting = {0};
  failure_t error;
  const executor_options_t options = {.find_builtin = builtin_find};
  if (executor_open("model:sequential", &options, &setting.executor, &error) != STATUS_OK) {
    fail(error.text);
  }
  while (op_all()[setting.op_count] != NULL) setting.op_count++;
  setting.ops = g_new0(const op_t *, setting.op_count + 1);
  for (size_t i = 0; i < setting.op_count; i++) setting.ops[i] = op_all()[i];
  setting.ops[setting.op_count++] = op_find(str_from(MODULE_OP));
  return setting;
}

/* Microseconds a case of a session takes. */
static double run(const setting_t *setting, stream_options_t stream, uint64_t cases) {
  failure_t error;
  session_t *session;
  stream.gen = gen_options_default();
  stream.gen.invalid_one_in = 0;
  const session_options_t options = {.stream = stream,
                                     .executors = &setting->executor,
                                     .executor_count = 1,
                                     .contract = contract_backend(),
                                     .cases_max = cases};
  double begin = microseconds();
  if (session_open(&options, &session, &error) != STATUS_OK) fail(error.text);
  if (session_run(session, &error) != STATUS_OK) fail(error.text);
  double taken = (microseconds() - begin) / (double)session_cases(session);
  if (session_close(session, 0, &error) != STATUS_OK) fail(error.text);
  return taken;
}

static double run_program(const setting_t *setting, const program_t *program) {
  const stream_program_t given = {.program = *program};
  return run(setting, (stream_options_t){.seed = 1, .programs = &given, .program_count = 1}, CASES);
}

static bool is_small(const program_t *program) {
  bool small = true;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    small &= type_element_count(&program->operands[i]) <= ELEMENTS;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    small &= type_element_count(&program->results[i]) <= ELEMENTS;
  }
  return small;
}

static bool is_wanted(const program_t *program) {
  if (!is_small(program)) return false;
  const module_t *module = module_of(program);
  bool wanted = module->step_count == STEPS;
  for (uint32_t i = 0; i < module->step_count && wanted; i++) {
    wanted = is_small(&module->steps[i].program);
  }
  return wanted;
}

/* Programs as they are drawn, of modules alone, until so many are wanted. */
static size_t draw_modules(const setting_t *setting, arena_t *arena, program_t *out_programs) {
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  size_t count = 0;
  for (uint64_t index = 0; count < MODULES; index++) {
    rng_t rng = rng_make(index);
    const char *broken;
    gen_program(&rng, setting->ops[setting->op_count - 1], &options, arena, &out_programs[count],
                &broken);
    count += is_wanted(&out_programs[count]) ? 1 : 0;
  }
  return count;
}

static double measure_module(const setting_t *setting, const program_t *program) {
  const module_t *module = module_of(program);
  double steps = 0;
  double whole = run_program(setting, program);
  for (uint32_t i = 0; i < module->step_count; i++) {
    steps += run_program(setting, &module->steps[i].program);
  }
  return whole / steps;
}

static double measure_all_ops(const setting_t *setting, uint64_t seed) {
  stream_options_t stream = {.seed = seed, .ops = setting->ops, .op_count = setting->op_count};
  double with = run(setting, stream, DRAWN);
  stream.op_count--;
  return with / run(setting, stream, DRAWN);
}

/* bench_modules [ROUNDS] */
int main(int count, char **arguments) {
  size_t rounds = count > 1 ? (size_t)g_ascii_strtoull(arguments[1], NULL, 10) : ROUNDS_DEFAULT;
  setting_t setting = open_setting();
  arena_t arena;
  arena_init(&arena);
  program_t programs[MODULES];
  size_t modules = draw_modules(&setting, &arena, programs);
  g_autofree double *of_modules = g_new(double, modules);
  g_autofree double *of_rounds = g_new(double, rounds);
  for (size_t i = 0; i < modules; i++) {
    for (size_t k = 0; k < rounds; k++) of_rounds[k] = measure_module(&setting, &programs[i]);
    of_modules[i] = median(of_rounds, rounds);
  }
  double middle = median(of_modules, modules);
  printf(
      "module / sum of its ops: %.2f (%zu modules of %d small ops: %.2f to %.2f, 90 %% below "
      "%.2f)\n",
      middle, modules, STEPS, of_modules[0], of_modules[modules - 1], of_modules[modules * 9 / 10]);
  for (size_t k = 0; k < rounds; k++) of_rounds[k] = measure_all_ops(&setting, k + 1);
  printf("a case of all ops / of all but modules: %.2f\n", median(of_rounds, rounds));
  arena_deinit(&arena);
  g_free(setting.ops);
  executor_close(setting.executor);
  return 0;
}
