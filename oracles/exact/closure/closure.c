/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic programming over parts of the terms: contiguous ranges, or so many of each kind of equal
 * ones.  The set of a part are the sums of two parts that make it up, closed under adding what
 * initial values alone give; with the least number of initial values for each of its values, as
 * Dijkstra's algorithm finds it (theory.md, T120). */
#include "oracles/exact/closure/closure.h"

#include <glib.h>
#include <string.h>

#include "oracles/exact/any_order/leaves.h"
#include "oracles/exact/closure/unsettled.h"

enum { ROW = 256 }; /* Results that are computed at a time. */

/* The values of a part, and how many initial values each takes at the least, ascending by that. */
typedef struct part {
  size_t count;
  const uint16_t *values;
  const uint32_t *least;
  const uint32_t *least_of; /* By value, CLOSURE_NEVER where it is none; NULL where no row asks. */
} part_t;

typedef struct builder {
  const closure_question_t *question;
  closure_rows_t *rows; /* NULL: each way is computed whenever it is asked for. */
  uint32_t *least;      /* Of the part at work, by value. */
  uint16_t *reached;    /* The values of the part at work, in any order. */
  size_t reached_count;
  unsettled_t unsettled; /* Those of them whose least number is not final, while they are closed. */
  bool is_closing;
  uint16_t *settled; /* Those that are final then. */
  uint32_t *settled_least;
  part_t inits; /* What initial values alone give. */
  part_t *parts;
  size_t work_left;
  arena_t *arena;
} builder_t;

static uint16_t *keep(arena_t *arena, const uint16_t *values, size_t count) {
  uint16_t *kept = ARENA_NEW_ARRAY(arena, uint16_t, MAX(count, 1));
  return memcpy(kept, values, count * sizeof *values);
}

/* The results of one value with all others; of each way those that no way before gave (theory.md,
 * T291). */
static closure_row_t make_row(const closure_node_t *node, uint16_t value, arena_t *arena) {
  enum { WORDS = CLOSURE_SHORT_VALUES / 64 };
  uint16_t all[CLOSURE_SHORT_VALUES], results[CLOSURE_SHORT_VALUES];
  uint64_t given[CLOSURE_SHORT_VALUES][WORDS] = {{0}};
  g_autofree uint16_t *others = g_new(uint16_t, node->way_count * node->value_count);
  g_autofree uint16_t *more = g_new(uint16_t, node->way_count * node->value_count);
  closure_row_t row = {.more_count = 0};
  for (size_t i = 0; i < node->value_count; i++) all[i] = (uint16_t)i;
  for (size_t way = 0; way < node->way_count; way++) {
    node->combine(node->context, way, value, all, node->value_count, results);
    if (way == 0) row.first = keep(arena, results, node->value_count);
    for (size_t i = 0; i < node->value_count; i++) {
      uint64_t *word = &given[i][results[i] / 64], bit = UINT64_C(1) << results[i] % 64;
      bool is_new = way > 0 && (*word & bit) == 0;
      *word |= bit;
      if (!is_new) continue;
      others[row.more_count] = (uint16_t)i;
      more[row.more_count++] = results[i];
    }
  }
  row.more_others = keep(arena, others, row.more_count);
  row.more_results = keep(arena, more, row.more_count);
  return row;
}

static const closure_row_t *row_of(builder_t *builder, uint16_t value) {
  closure_rows_t *rows = builder->rows;
  if (rows->rows[value] != NULL) return rows->rows[value];
  closure_row_t *row = ARENA_NEW_ARRAY(rows->arena, closure_row_t, 1);
  *row = make_row(&builder->question->node, value, rows->arena);
  rows->rows[value] = row;
  return row;
}

static void start_part(builder_t *builder) {
  for (size_t i = 0; i < builder->reached_count; i++) {
    builder->least[builder->reached[i]] = CLOSURE_NEVER;
  }
  builder->reached_count = 0;
  builder->is_closing = false;
}

static void take(builder_t *builder, uint16_t value, uint32_t inits) {
  uint32_t known = builder->least[value];
  if (inits >= known || inits > builder->question->init_most) return;
  if (known == CLOSURE_NEVER) builder->reached[builder->reached_count++] = value;
  builder->least[value] = inits;
  if (builder->is_closing) unsettled_add(&builder->unsettled, value, inits);
}

/* How many of a part's values, the first ones, leave room for so many initial values. */
static size_t affordable_count(const builder_t *builder, const part_t *part, uint32_t inits) {
  size_t low = 0, high = part->count;
  uint32_t most = builder->question->init_most - inits;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (part->least[middle] <= most) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* One value with the values of a part, in all ways: the first of them as `count` says. */
static void combine_row(builder_t *builder, uint16_t value, uint32_t inits, const part_t *part,
                        size_t count) {
  const closure_row_t *row = row_of(builder, value);
  for (size_t i = 0; i < count; i++) {
    take(builder, row->first[part->values[i]], inits + part->least[i]);
  }
  for (size_t i = 0; i < row->more_count; i++) {
    uint32_t least = part->least_of[row->more_others[i]];
    bool is_affordable = least <= builder->question->init_most - inits;
    if (is_affordable) take(builder, row->more_results[i], inits + least);
  }
}

/* One value in one way with the values of a part, whose results are computed. */
static void combine_way(builder_t *builder, size_t way, uint16_t value, uint32_t inits,
                        const part_t *part, size_t count) {
  const closure_node_t *node = &builder->question->node;
  uint16_t results[ROW];
  for (size_t start = 0; start < count; start += ROW) {
    size_t length = MIN(count - start, (size_t)ROW);
    node->combine(node->context, way, value, part->values + start, length, results);
    for (size_t i = 0; i < length; i++) {
      take(builder, results[i], inits + part->least[start + i]);
    }
  }
}

/* One value that takes so many initial values, combined with all of a part. */
static bool combine_value(builder_t *builder, uint16_t value, uint32_t inits, const part_t *part) {
  size_t ways = builder->question->node.way_count;
  size_t count = affordable_count(builder, part, inits);
  if (count * ways >= builder->work_left) return false;
  builder->work_left -= count * ways + 1;
  if (builder->rows != NULL) {
    combine_row(builder, value, inits, part, count);
    return true;
  }
  for (size_t way = 0; way < ways; way++) {
    combine_way(builder, way, value, inits, part, count);
  }
  return true;
}

static bool combine_parts(builder_t *builder, const part_t *a, const part_t *b) {
  const part_t *few = a->count <= b->count ? a : b;
  const part_t *many = few == a ? b : a;
  bool is_done = true;
  for (size_t i = 0; i < few->count && is_done; i++) {
    is_done = combine_value(builder, few->values[i], few->least[i], many);
  }
  return is_done;
}

static void take_leaf(builder_t *builder, closure_leaf_t leaf, uint32_t inits) {
  take(builder, leaf.values[0], inits);
  take(builder, leaf.values[1], inits);
}

/* Nothing is settled yet; NULL where no row asks. */
static uint32_t *make_least_of(const builder_t *builder) {
  const size_t values = builder->question->node.value_count;
  if (builder->rows == NULL) return NULL;
  uint32_t *least_of = ARENA_NEW_ARRAY(builder->arena, uint32_t, values);
  return memset(least_of, 0xff, values * sizeof *least_of);
}

/* Closes the part at work under adding what initial values give: all of that, or, of initial values
 * alone, what has been settled.  Each addition takes more of them, so that a value with the least
 * number is not reached with fewer later on. */
static bool close_part(builder_t *builder, const part_t *inits, part_t *out_part) {
  uint16_t *values = builder->settled;
  uint32_t *least = builder->settled_least;
  uint32_t *least_of = make_least_of(builder);
  *out_part = (part_t){.values = values, .least = least, .least_of = least_of};
  unsettled_clear(&builder->unsettled);
  for (size_t i = 0; i < builder->reached_count; i++) {
    uint16_t value = builder->reached[i];
    unsettled_add(&builder->unsettled, value, builder->least[value]);
  }
  builder->is_closing = true;
  bool is_done = true;
  uint16_t value = 0;
  uint32_t number = 0;
  while (is_done && unsettled_take_least(&builder->unsettled, &value, &number)) {
    if (number != builder->least[value]) continue; /* Settled with fewer. */
    values[out_part->count] = value;
    if (least_of != NULL) least_of[value] = number;
    least[out_part->count++] = number;
    is_done = combine_value(builder, value, number, inits == NULL ? out_part : inits);
  }
  out_part->values = memcpy(ARENA_NEW_ARRAY(builder->arena, uint16_t, out_part->count), values,
                            out_part->count * sizeof *values);
  out_part->least = memcpy(ARENA_NEW_ARRAY(builder->arena, uint32_t, out_part->count), least,
                           out_part->count * sizeof *least);
  return is_done;
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

static builder_t builder_make(const closure_question_t *question, arena_t *arena) {
  size_t values = question->node.value_count;
  builder_t builder = {.question = question,
                       .least = ARENA_NEW_ARRAY(arena, uint32_t, values),
                       .reached = ARENA_NEW_ARRAY(arena, uint16_t, values),
                       .unsettled = unsettled_make(),
                       .settled = ARENA_NEW_ARRAY(arena, uint16_t, values),
                       .settled_least = ARENA_NEW_ARRAY(arena, uint32_t, values),
                       .work_left = question->work,
                       .arena = arena};
  memset(builder.least, 0xff, values * sizeof *builder.least); /* CLOSURE_NEVER everywhere. */
  return builder;
}

static bool make(const closure_question_t *question, closure_rows_t *rows, arena_t *arena,
                 uint32_t *out_least) {
  if (question->count > CLOSURE_TERMS_MAX) return false;
  arena_mark_t mark = arena_mark(arena);
  builder_t builder = builder_make(question, arena);
  builder.rows = rows;
  const part_t *all = &builder.inits;
  bool is_done = make_inits(&builder);
  if (is_done && question->count > 0) {
    is_done =
        question->is_in_order ? make_in_order(&builder, &all) : make_any_order(&builder, &all);
  }
  memset(out_least, 0xff, question->node.value_count * sizeof *out_least);
  for (size_t i = 0; is_done && i < all->count; i++) out_least[all->values[i]] = all->least[i];
  unsettled_free(&builder.unsettled);
  arena_rewind(arena, mark);
  return is_done;
}

bool closure_make(const closure_question_t *question, arena_t *arena, uint32_t *out_least) {
  bool are_short = question->node.value_count <= CLOSURE_SHORT_VALUES;
  closure_rows_t own = {.arena = arena};
  closure_rows_t *rows = question->rows == NULL ? &own : question->rows;
  arena_mark_t mark = arena_mark(arena);
  bool is_done = make(question, are_short ? rows : NULL, arena, out_least);
  arena_rewind(arena, mark);
  return is_done;
}

bool closure_make_plain(const closure_question_t *question, arena_t *arena, uint32_t *out_least) {
  return make(question, NULL, arena, out_least);
}
