/* SPDX-License-Identifier: Apache-2.0 */
/* Types and bodies come evenly over what an op allows and an executor takes: counted over streams
 * whose programs are answered as executors of few types would. */
#include "harness/run/acceptance/evenness.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "harness/run/stream.h"

typedef bool takes_t(const program_t *program);

static bool takes_all(const program_t *program) {
  (void)program;
  return true;
}

static bool is_of(const program_t *program, const char *element) {
  const element_t *wanted = element_named(element);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *type = &program->operands[i];
    if (type->element != wanted || type->quantization != NULL) return false;
  }
  return true;
}

static bool takes_f32(const program_t *program) { return is_of(program, "f32"); }

static bool takes_three(const program_t *program) {
  return is_of(program, "f32") || is_of(program, "bf16") || is_of(program, "ui8");
}

/* "add", "maximum"; "{" of written ones. */
static char *body_of(const program_t *program) {
  g_autoptr(GString) text = g_string_new(NULL);
  program_print_attributes(program, text);
  const char *body = strstr(text->str, "body=");
  g_assert_nonnull(body);
  body += strlen("body=");
  return g_strndup(body, *body == '{' ? 1 : strcspn(body, " "));
}

static bool takes_f32_and_greatest_ui8(const program_t *program) {
  if (takes_f32(program)) return true;
  g_autofree char *body = body_of(program);
  return is_of(program, "ui8") && strcmp(body, "maximum") == 0;
}

/* ---- Kinds of types -------------------------------------------------------------------------- */

/* Kinds of types, by the beginnings of their names; the first that fits. */
static const char *const kinds[][4] = {{"i1 "}, {"i"},   {"ui"},  {"f4", "f6E", "f8"}, {"bf16"},
                                       {"f16"}, {"f32"}, {"f64"}, {"complex"}};

static size_t kind_of(const char *name) {
  g_autofree char *word = g_strconcat(name, " ", NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    for (size_t j = 0; kinds[i][j] != NULL; j++) {
      if (g_str_has_prefix(word, kinds[i][j])) return i;
    }
  }
  g_error("%s is of no kind", name);
}

/* ---- Streams --------------------------------------------------------------------------------- */

/* Programs of reduce that were put to an executor. */
typedef struct mix {
  GHashTable *types;  /* Of those that are not quantized and were taken, by their first operand; */
  GHashTable *bodies; /* and by "KIND BODY"; owned texts -> numbers. */
  size_t asked, taken, quantized;
  uint64_t cases;
} mix_t;

static void count(GHashTable *counts, const char *name) {
  gsize number = GPOINTER_TO_SIZE(g_hash_table_lookup(counts, name));
  g_hash_table_insert(counts, g_strdup(name), GSIZE_TO_POINTER(number + 1));
}

static size_t count_of(GHashTable *counts, const char *name) {
  return GPOINTER_TO_SIZE(g_hash_table_lookup(counts, name));
}

static mix_t mix_make(void) {
  return (mix_t){.types = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                 .bodies = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
}

static void mix_clear(mix_t *mix) {
  g_hash_table_destroy(mix->types);
  g_hash_table_destroy(mix->bodies);
}

static void mix_add(mix_t *mix, const program_t *program) {
  mix->taken++;
  if (program->operands[0].quantization != NULL) {
    mix->quantized++;
    return;
  }
  const char *type = program->operands[0].element->name;
  g_autofree char *body = body_of(program);
  g_autofree char *key = g_strdup_printf("%zu %s", kind_of(type), body);
  count(mix->types, type);
  count(mix->bodies, key);
}

static program_t parse(const char *line, arena_t *arena) {
  program_t program;
  failure_t error = {0};
  if (program_parse(str_from(line), arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  return program;
}

static const char sum[] = "stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[]";

/* The op of all streams. */
static const op_t *find_op(void) {
  arena_t arena;
  arena_init(&arena);
  const op_t *op = parse(sum, &arena).op;
  arena_deinit(&arena);
  return op;
}

/* Small programs, and so many cases of them. */
static mix_t run_stream(takes_t *takes, uint64_t seed, uint64_t cases) {
  const op_t *op = find_op();
  stream_options_t options = {
      .ops = &op, .op_count = 1, .gen = gen_options_default(), .seed = seed, .executor_count = 1};
  options.gen.limits.elements_max = 64;
  options.gen.invalid_one_in = 0;
  mix_t mix = mix_make();
  stream_t stream;
  stream_init(&stream, &options);
  for (mix.cases = 0; mix.cases < cases; mix.cases++) {
    stream_next(&stream);
    const program_t *program = &stream.instance.program;
    bool is_taken = takes(program);
    stream_learn(&stream, 0, is_taken);
    if (!is_taken) stream_skip_program(&stream);
    if (!stream.is_new_program) continue;
    mix.asked++;
    if (is_taken) mix_add(&mix, program);
  }
  stream_deinit(&stream);
  return mix;
}

/* As the op itself draws them. */
static mix_t draw_plainly(size_t programs) {
  const op_t *op = find_op();
  gen_options_t gen = gen_options_default();
  gen.limits.elements_max = 64;
  gen.invalid_one_in = 0;
  mix_t mix = mix_make();
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(1);
  for (size_t i = 0; i < programs; i++) {
    arena_reset(&arena);
    program_t program;
    const char *broken;
    gen_program(&rng, op, &gen, &arena, &program, &broken);
    mix_add(&mix, &program);
  }
  arena_deinit(&arena);
  return mix;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* The least and the most programs of a kind of types, as shares of what is due. */
static void spread_of_kinds(const mix_t *mix, double *out_least, double *out_most) {
  size_t total = 0;
  *out_least = INFINITY;
  *out_most = 0;
  size_t counts[G_N_ELEMENTS(kinds)] = {0};
  GHashTableIter iterator;
  gpointer name, number;
  g_hash_table_iter_init(&iterator, mix->types);
  while (g_hash_table_iter_next(&iterator, &name, &number)) {
    total += GPOINTER_TO_SIZE(number);
    counts[kind_of((const char *)name)] += GPOINTER_TO_SIZE(number);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    double share = (double)(counts[i] * G_N_ELEMENTS(kinds)) / (double)total;
    *out_least = fmin(*out_least, share);
    *out_most = fmax(*out_most, share);
  }
}

/* The same of the bodies of each kind, and how many there are in all. */
static size_t spread_of_bodies(const mix_t *mix, double *out_least, double *out_most) {
  size_t total[G_N_ELEMENTS(kinds)] = {0}, count[G_N_ELEMENTS(kinds)] = {0};
  size_t least[G_N_ELEMENTS(kinds)], most[G_N_ELEMENTS(kinds)] = {0};
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) least[i] = SIZE_MAX;
  GHashTableIter iterator;
  gpointer key, number;
  g_hash_table_iter_init(&iterator, mix->bodies);
  while (g_hash_table_iter_next(&iterator, &key, &number)) {
    size_t kind = (size_t)g_ascii_strtoull((const char *)key, NULL, 10);
    size_t own = GPOINTER_TO_SIZE(number);
    total[kind] += own;
    count[kind]++;
    least[kind] = MIN(least[kind], own);
    most[kind] = MAX(most[kind], own);
  }
  *out_least = INFINITY;
  *out_most = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    double due = (double)total[i] / (double)count[i];
    *out_least = fmin(*out_least, (double)least[i] / due);
    *out_most = fmax(*out_most, (double)most[i] / due);
  }
  return g_hash_table_size(mix->bodies);
}

/* ---- The tests ------------------------------------------------------------------------------- */

enum { CASES = 4000, MANY_CASES = 20000 };

/* No kind and no body of a kind has much more than what is due, and those that are drawn rarely
 * (booleans are 2 % of all) have twice what they would have otherwise: a program is chosen among
 * eight.  What ops draw by themselves is far from that, so that this could fail. */
static void test_takes_all(void) {
  double least, most;
  mix_t mix = run_stream(takes_all, 1, MANY_CASES);
  mix_t plain = draw_plainly(mix.taken);
  spread_of_kinds(&plain, &least, &most);
  g_test_message("kinds, as drawn: %.2f to %.2f of what is due", least, most);
  g_assert_true(least < 0.2 && most > 2);
  spread_of_kinds(&mix, &least, &most);
  g_test_message("kinds: %.2f to %.2f", least, most);
  g_assert_cmpfloat(least, >=, 0.3);
  g_assert_cmpfloat(most, <=, 1.3);
  size_t drawn = spread_of_bodies(&plain, &least, &most);
  g_test_message("bodies of a kind, as drawn: %.2f to %.2f", least, most);
  g_assert_true(least < 0.2 && most > 3);
  g_assert_cmpuint(spread_of_bodies(&mix, &least, &most), >=, drawn);
  g_test_message("bodies of a kind: %.2f to %.2f", least, most);
  g_assert_cmpfloat(least, >=, 0.15);
  g_assert_cmpfloat(most, <=, 2);
  /* Quantized programs, of which ops draw a part of their own, are as many as before. */
  double quantized = (double)mix.quantized / (double)mix.taken;
  double quantized_drawn = (double)plain.quantized / (double)plain.taken;
  g_assert_cmpfloat(fabs(quantized - quantized_drawn), <, 0.02);
  mix_clear(&mix);
  mix_clear(&plain);
}

/* Who takes one type sees it at least as often as if nothing were spread: that was 770 programs. */
static void test_takes_one(void) {
  size_t taken = 0;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    mix_t mix = run_stream(takes_f32, seed, 1000);
    g_test_message("seed %d: %zu taken of %zu programs", (int)seed, mix.taken, mix.asked);
    taken += mix.taken;
    mix_clear(&mix);
  }
  g_assert_cmpuint(taken, >, 800);
}

/* Who takes three gets much of each, though ops draw one of them eleven times as often as another,
 * which was one program in eighteen. */
static void test_takes_three(void) {
  mix_t mix = run_stream(takes_three, 1, CASES);
  static const char *const names[] = {"f32", "bf16", "ui8"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    size_t own = count_of(mix.types, names[i]);
    g_test_message("%s: %zu of %zu", names[i], own, mix.taken);
    g_assert_cmpuint(own * 9, >, mix.taken);
  }
  mix_clear(&mix);
}

/* What is refused but for one body is still found, by some seeds, and most are of the type that is
 * taken whole. */
static void test_takes_one_body(void) {
  unsigned found = 0;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    mix_t mix = run_stream(takes_f32_and_greatest_ui8, seed, 4 * CASES);
    size_t own = count_of(mix.types, "ui8");
    g_test_message("ui8: %zu of %zu taken, %zu asked", own, mix.taken, mix.asked);
    found += own > 0;
    g_assert_cmpuint(count_of(mix.types, "f32") * 2, >, mix.asked);
    mix_clear(&mix);
  }
  g_assert_cmpuint(found, >=, 2);
}

/* By hand. */
static void test_excess(void) {
  arena_t arena;
  arena_init(&arena);
  program_t f32 = parse(sum, &arena);
  program_t f64 = parse("stablehlo.reduce body=add dims=[0] f64[3] f64[] -> f64[]", &arena);
  program_t i8 = parse("stablehlo.reduce body=maximum dims=[0] i8[3] i8[] -> i8[]", &arena);
  program_t greatest =
      parse("stablehlo.reduce body=maximum dims=[0] f32[3] f32[] -> f32[]", &arena);
  evenness_t *evenness = evenness_new();
  g_assert_true(evenness_excess(evenness, &f32) == 0);
  for (int i = 0; i < 4; i++) evenness_learn(evenness, &f32, true);
  g_assert_true(evenness_excess(evenness, &f32) == 0); /* It is all there is. */
  for (int i = 0; i < 6; i++) evenness_learn(evenness, &i8, false);
  g_assert_true(evenness_excess(evenness, &f32) == 0);
  g_assert_true(evenness_excess(evenness, &i8) == 0.5); /* 6, where 4 are due; no body was taken. */
  g_assert_true(evenness_excess(evenness, &f64) == 0);  /* It is new. */
  evenness_learn(evenness, &f64, true);
  evenness_learn(evenness, &f64, true);
  g_assert_true(evenness_excess(evenness, &f32) == 4.0 / 3 - 1); /* 4 and 2: 3 are due. */
  g_assert_true(evenness_excess(evenness, &f64) == 0);
  evenness_learn(evenness, &greatest, true);
  /* Of types 5 and 2; of the bodies of f32 4 and 1. */
  g_assert_true(evenness_excess(evenness, &f32) == 5 / 3.5 - 1 + (4 / 2.5 - 1));
  g_assert_true(evenness_excess(evenness, &greatest) == 5 / 3.5 - 1);
  evenness_free(evenness);
  evenness_free(NULL);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/evenness/excess", test_excess);
  g_test_add_func("/evenness/takes_all", test_takes_all);
  g_test_add_func("/evenness/takes_one", test_takes_one);
  g_test_add_func("/evenness/takes_three", test_takes_three);
  g_test_add_func("/evenness/takes_one_body", test_takes_one_body);
  return g_test_run();
}
