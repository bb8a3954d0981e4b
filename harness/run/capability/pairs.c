/* SPDX-License-Identifier: Apache-2.0 */
/* Draws tiny programs of each op by a generator of its own and sorts them by their types. */
#include "harness/run/capability/pairs.h"

#include <string.h>

/* Draws of an op, some milliseconds of them: of those with hundreds of types nearly all are then
 * found. */
enum { DRAWS = 8192 };

static const draw_limits_t tiny = {.rank_max = 4, .elements_max = 16, .terms_max = 8};

/* What is drawn of an op does not hang on which others there are. */
static rng_t rng_for(const op_t *op) {
  uint64_t state = 20;
  for (const char *byte = op->name; *byte != '\0'; byte++) {
    state = rng_splitmix(&state) ^ (uint64_t)(unsigned char)*byte;
  }
  return rng_make(state);
}

/* The pairs of one op while they are looked for. */
typedef struct search {
  pairs_t *pairs;
  GHashTable *by_types; /* Borrowed texts -> owned pair_t. */
  GHashTable *seen;     /* Owned texts: types and attributes of programs that are kept. */
  GString *text;
} search_t;

static bool has_written_body(const char *attributes) {
  return strstr(attributes, "body={") != NULL;
}

static void add_program(search_t *search, const profile_t *profile, const program_t *program) {
  g_string_truncate(search->text, 0);
  program_print_types(program, search->text);
  if (!profile_has(profile, program->op->name, search->text->str)) return;
  pair_t *pair = (pair_t *)g_hash_table_lookup(search->by_types, search->text->str);
  if (pair != NULL && pair->program_count == PAIR_PROGRAMS_MAX) return;
  size_t types_size = search->text->len;
  program_print_attributes(program, search->text);
  bool is_new = !has_written_body(search->text->str + types_size) &&
                !g_hash_table_contains(search->seen, search->text->str);
  if (!is_new) return;
  g_hash_table_add(search->seen, g_strdup(search->text->str));
  if (pair == NULL) {
    pair = g_new0(pair_t, 1);
    pair->op = program->op;
    char *types = (char *)arena_alloc(&search->pairs->arena, types_size + 1);
    memcpy(types, search->text->str, types_size);
    types[types_size] = '\0';
    pair->types = types;
    g_hash_table_insert(search->by_types, types, pair);
  }
  program_t *copy = (program_t *)arena_alloc(&search->pairs->arena, sizeof *copy);
  *copy = program_copy(&search->pairs->arena, program);
  pair->programs[pair->program_count++] = copy;
}

static gint compare_types(gconstpointer a, gconstpointer b) {
  return strcmp((const char *)a, (const char *)b);
}

/* Those with no more operands and results than the op must have: reductions of many inputs have
 * any mixture of types. */
static void keep_shortest(search_t *search) {
  GList *types = g_list_sort(g_hash_table_get_keys(search->by_types), compare_types);
  uint32_t least = UINT32_MAX;
  for (const GList *item = types; item != NULL; item = item->next) {
    const pair_t *pair = (const pair_t *)g_hash_table_lookup(search->by_types, item->data);
    least = MIN(least, pair->programs[0]->operand_count + pair->programs[0]->result_count);
  }
  for (const GList *item = types; item != NULL; item = item->next) {
    const pair_t *pair = (const pair_t *)g_hash_table_lookup(search->by_types, item->data);
    const program_t *program = pair->programs[0];
    bool is_mixed = program->operand_count + program->result_count > least;
    if (!is_mixed) g_array_append_vals(search->pairs->items, pair, 1);
  }
  g_list_free(types);
}

static void find_of_op(const op_t *op, const profile_t *profile, const contract_t *contract,
                       pairs_t *pairs) {
  search_t search = {.pairs = pairs,
                     .by_types = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free),
                     .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                     .text = g_string_new(NULL)};
  const gen_options_t options = {.limits = tiny, .contract = contract};
  rng_t rng = rng_for(op);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < DRAWS; i++) {
    arena_reset(&arena);
    program_t program;
    const char *broken;
    gen_program(&rng, op, &options, &arena, &program, &broken);
    add_program(&search, profile, &program);
  }
  keep_shortest(&search);
  arena_deinit(&arena);
  g_hash_table_destroy(search.by_types);
  g_hash_table_destroy(search.seen);
  g_string_free(search.text, TRUE);
}

void pairs_find(const op_t *const *ops, size_t op_count, const profile_t *profile,
                const contract_t *contract, pairs_t *out_pairs) {
  out_pairs->items = g_array_new(FALSE, FALSE, sizeof(pair_t));
  arena_init(&out_pairs->arena);
  for (size_t i = 0; i < op_count; i++) {
    if (profile_names(profile, ops[i]->name)) find_of_op(ops[i], profile, contract, out_pairs);
  }
}

void pairs_deinit(pairs_t *pairs) {
  g_array_unref(pairs->items);
  arena_deinit(&pairs->arena);
}
