/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic programming over parts of the terms: contiguous ranges, or so many of each kind of equal
 * ones.  The set of a part are the sums of two parts that make it up, closed under adding what
 * initial values alone give; with the least number of initial values for each of its values, as
 * Dijkstra's algorithm finds it (theory.md, T120). */
#include "oracles/exact/closure/closure.h"

#include <string.h>

#include "oracles/exact/any_order/leaves.h"

enum { WORK_MAX = 1 << 24 }; /* Pairs of values, of about a nanosecond. */

/* The values of a part, and how many initial values each takes at the least. */
typedef struct part {
  size_t count;
  uint8_t *values;
  uint32_t *least;
} part_t;

typedef struct builder {
  const closure_question_t *question;
  uint8_t *rows[CLOSURE_VALUES_MAX];  /* By value, what it gives with each, way by way; or NULL. */
  uint32_t least[CLOSURE_VALUES_MAX]; /* Of the part at work. */
  part_t inits;                       /* What initial values alone give. */
  part_t *parts;
  size_t work_left;
  arena_t *arena;
} builder_t;

static const uint8_t *row_of(builder_t *builder, uint8_t value) {
  const closure_node_t *node = &builder->question->node;
  if (builder->rows[value] != NULL) return builder->rows[value];
  uint8_t *row = ARENA_NEW_ARRAY(builder->arena, uint8_t, node->way_count * node->value_count);
  for (size_t way = 0; way < node->way_count; way++) {
    for (size_t other = 0; other < node->value_count; other++) {
      row[way * node->value_count + other] =
          node->combine(node->context, way, value, (uint8_t)other);
    }
  }
  builder->rows[value] = row;
  return row;
}

static void start_part(builder_t *builder) {
  memset(builder->least, 0xff, sizeof builder->least); /* CLOSURE_NEVER everywhere. */
}

static void take(builder_t *builder, uint8_t value, uint32_t inits) {
  if (inits > builder->question->init_most || inits >= builder->least[value]) return;
  builder->least[value] = inits;
}

/* One value that takes so many initial values, combined with all of a part. */
static bool combine_value(builder_t *builder, uint8_t value, uint32_t inits, const part_t *part) {
  const closure_node_t *node = &builder->question->node;
  size_t work = part->count * node->way_count;
  if (work > builder->work_left) return false;
  builder->work_left -= work;
  const uint8_t *row = row_of(builder, value);
  for (size_t way = 0; way < node->way_count; way++, row += node->value_count) {
    for (size_t i = 0; i < part->count; i++) {
      take(builder, row[part->values[i]], inits + part->least[i]);
    }
  }
  return true;
}

static bool combine_parts(builder_t *builder, const part_t *a, const part_t *b) {
  bool is_done = true;
  for (size_t i = 0; i < a->count && is_done; i++) {
    is_done = combine_value(builder, a->values[i], a->least[i], b);
  }
  return is_done;
}

static void take_leaf(builder_t *builder, closure_leaf_t leaf, uint32_t inits) {
  take(builder, leaf.values[0], inits);
  take(builder, leaf.values[1], inits);
}

static part_t part_make(builder_t *builder) {
  part_t part = {.values = ARENA_NEW_ARRAY(builder->arena, uint8_t, CLOSURE_VALUES_MAX),
                 .least = ARENA_NEW_ARRAY(builder->arena, uint32_t, CLOSURE_VALUES_MAX)};
  return part;
}

static void part_add(part_t *part, uint8_t value, uint32_t inits) {
  part->values[part->count] = value;
  part->least[part->count++] = inits;
}

/* Of the values that are not settled yet one with the least number; false if there is none. */
static bool next_value(const builder_t *builder, const bool *is_settled, uint8_t *out_value) {
  uint32_t least = CLOSURE_NEVER;
  for (size_t value = 0; value < builder->question->node.value_count; value++) {
    if (is_settled[value] || builder->least[value] >= least) continue;
    least = builder->least[value];
    *out_value = (uint8_t)value;
  }
  return least != CLOSURE_NEVER;
}

/* Closes the part at work under adding what initial values give: all of that, or, of initial values
 * alone, what has been settled.  Each addition takes more of them, so that a value with the least
 * number is not reached with fewer later on. */
static bool close_part(builder_t *builder, const part_t *inits, part_t *out_part) {
  bool is_settled[CLOSURE_VALUES_MAX] = {false};
  *out_part = part_make(builder);
  uint8_t value = 0;
  while (next_value(builder, is_settled, &value)) {
    is_settled[value] = true;
    part_add(out_part, value, builder->least[value]);
    const part_t *others = inits == NULL ? out_part : inits;
    if (!combine_value(builder, value, builder->least[value], others)) return false;
  }
  return true;
}

static bool make_inits(builder_t *builder) {
  start_part(builder);
  take_leaf(builder, builder->question->init, 1);
  return close_part(builder, NULL, &builder->inits);
}

/* ---- In order -------------------------------------------------------------------------------- */

static size_t range_index(const closure_question_t *question, size_t begin, size_t length) {
  return begin * (question->count + 1) + length;
}

static bool make_range(builder_t *builder, size_t begin, size_t length) {
  const closure_question_t *question = builder->question;
  start_part(builder);
  if (length == 1) take_leaf(builder, question->terms[begin], 0);
  for (size_t left = 1; left < length; left++) {
    if (!combine_parts(builder, &builder->parts[range_index(question, begin, left)],
                       &builder->parts[range_index(question, begin + left, length - left)]))
      return false;
  }
  return close_part(builder, &builder->inits,
                    &builder->parts[range_index(question, begin, length)]);
}

static bool make_in_order(builder_t *builder, const part_t **out_all) {
  const closure_question_t *question = builder->question;
  size_t count = question->count;
  builder->parts = ARENA_NEW_ARRAY(builder->arena, part_t, (count + 1) * (count + 1));
  for (size_t length = 1; length <= count; length++) {
    for (size_t begin = 0; begin + length <= count; begin++) {
      if (!make_range(builder, begin, length)) return false;
    }
  }
  *out_all = &builder->parts[range_index(question, 0, count)];
  return true;
}

/* ---- In any order ---------------------------------------------------------------------------- */

/* Kinds of equal terms; false if there are too many kinds or parts. */
static bool sort_terms(const closure_question_t *question, leaves_t *out_leaves,
                       closure_leaf_t out_kinds[LEAF_KINDS_MAX]) {
  *out_leaves = (leaves_t){0};
  for (size_t i = 0; i < question->count; i++) {
    size_t kind = 0;
    while (kind < out_leaves->kind_count &&
           memcmp(&out_kinds[kind], &question->terms[i], sizeof *out_kinds) != 0) {
      kind++;
    }
    if (kind == LEAF_KINDS_MAX) return false;
    if (kind == out_leaves->kind_count) out_leaves->kind_count++;
    out_kinds[kind] = question->terms[i];
    out_leaves->kinds[kind].count++;
  }
  return leaves_number_parts(out_leaves);
}

static bool make_any_order(builder_t *builder, const part_t **out_all) {
  leaves_t leaves;
  closure_leaf_t kinds[LEAF_KINDS_MAX];
  if (!sort_terms(builder->question, &leaves, kinds)) return false;
  builder->parts = ARENA_NEW_ARRAY(builder->arena, part_t, leaves.part_count);
  for (size_t part = 1; part < leaves.part_count; part++) {
    start_part(builder);
    const leaf_kind_t *single = leaves_single(&leaves, part);
    if (single != NULL) take_leaf(builder, kinds[single - leaves.kinds], 0);
    leaf_split_t split = leaf_split_begin(&leaves, part);
    while (leaf_split_next(&split)) {
      if (!combine_parts(builder, &builder->parts[split.part], &builder->parts[split.rest]))
        return false;
    }
    if (!close_part(builder, &builder->inits, &builder->parts[part])) return false;
  }
  *out_all = &builder->parts[leaves.part_count - 1];
  return true;
}

bool closure_make(const closure_question_t *question, arena_t *arena,
                  uint32_t out_least[CLOSURE_VALUES_MAX]) {
  if (question->count > CLOSURE_TERMS_MAX) return false;
  arena_mark_t mark = arena_mark(arena);
  builder_t builder = {.question = question, .work_left = WORK_MAX, .arena = arena};
  const part_t *all = &builder.inits;
  bool is_done = make_inits(&builder);
  if (is_done && question->count > 0) {
    is_done =
        question->is_in_order ? make_in_order(&builder, &all) : make_any_order(&builder, &all);
  }
  memset(out_least, 0xff, CLOSURE_VALUES_MAX * sizeof *out_least);
  for (size_t i = 0; is_done && i < all->count; i++) out_least[all->values[i]] = all->least[i];
  arena_rewind(arena, mark);
  return is_done;
}
