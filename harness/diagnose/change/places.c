/* SPDX-License-Identifier: Apache-2.0 */
/* Elements are read, or written, in the wrong places: maps from an element to the one that is taken
 * for it, of each operand and of the result, with blocks of the usual sizes. */
#include <glib.h>
#include <string.h>

#include "harness/diagnose/change/change.h"

/* A tensor, and how a map takes it. */
typedef struct walk {
  const type_t *type;
  size_t count;   /* Of all elements, */
  size_t columns; /* of the last dimension, */
  size_t rows;    /* and of the one before it. */
  size_t number;  /* The map's own: a size of blocks, a dimension, ... */
} walk_t;

/* The element that is taken for element `at`, or CHANGE_ZERO. */
typedef size_t place_map_t(const walk_t *walk, size_t at);

static size_t whole(size_t count, size_t block) { return count - count % block; }

static size_t tail_missing(const walk_t *walk, size_t at) {
  return at >= whole(walk->count, walk->number) ? CHANGE_ZERO : at;
}

static size_t tail_repeated(const walk_t *walk, size_t at) {
  bool is_tail = at >= whole(walk->count, walk->number) && at >= walk->number;
  return is_tail ? at - walk->number : at;
}

static size_t columns_missing(const walk_t *walk, size_t at) {
  return at % walk->columns >= whole(walk->columns, walk->number) ? CHANGE_ZERO : at;
}

static size_t columns_repeated(const walk_t *walk, size_t at) {
  size_t column = at % walk->columns;
  bool is_tail = column >= whole(walk->columns, walk->number) && column >= walk->number;
  return is_tail ? at - walk->number : at;
}

static size_t rows_missing(const walk_t *walk, size_t at) {
  size_t row = at / walk->columns % walk->rows;
  return row >= whole(walk->rows, walk->number) ? CHANGE_ZERO : at;
}

static size_t rows_repeated(const walk_t *walk, size_t at) {
  size_t row = at / walk->columns % walk->rows;
  bool is_tail = row >= whole(walk->rows, walk->number) && row >= walk->number;
  return is_tail ? at - walk->number * walk->columns : at;
}

static size_t stride_padded(const walk_t *walk, size_t at) {
  size_t stride = (walk->columns + walk->number - 1) / walk->number * walk->number;
  return (at / walk->columns * stride + at % walk->columns) % walk->count;
}

/* Of whole blocks, the middle quarters change places. */
static size_t lanes_crossed(const walk_t *walk, size_t at) {
  size_t quarter = walk->number / 4;
  if (quarter == 0 || at >= whole(walk->count, walk->number)) return at;
  size_t part = at % walk->number / quarter;
  return part == 1 ? at + quarter : part == 2 ? at - quarter : at;
}

static size_t index_wrapped(const walk_t *walk, size_t at) { return at % walk->number; }

static size_t beyond_missing(const walk_t *walk, size_t at) {
  return at >= walk->number ? CHANGE_ZERO : at;
}

static size_t beyond_repeated(const walk_t *walk, size_t at) {
  return at >= walk->number ? walk->number - 1 : at;
}

/* ---- Along one dimension, walk->number ------------------------------------------------------- */

typedef struct index_at {
  size_t size, stride, index;
} index_at_t;

static index_at_t index_of(const walk_t *walk, size_t at) {
  index_at_t found = {.size = (size_t)walk->type->dims[walk->number], .stride = 1};
  for (uint32_t i = (uint32_t)walk->number + 1; i < walk->type->rank; i++) {
    found.stride *= (size_t)walk->type->dims[i];
  }
  found.index = at / found.stride % found.size;
  return found;
}

static size_t dimension_ignored(const walk_t *walk, size_t at) {
  index_at_t in = index_of(walk, at);
  return at - in.index * in.stride;
}

static size_t dimension_reversed(const walk_t *walk, size_t at) {
  index_at_t in = index_of(walk, at);
  return at - in.index * in.stride + (in.size - 1 - in.index) * in.stride;
}

static size_t dimension_next(const walk_t *walk, size_t at) {
  index_at_t in = index_of(walk, at);
  return in.index + 1 < in.size ? at + in.stride : at;
}

static size_t dimension_before(const walk_t *walk, size_t at) {
  index_at_t in = index_of(walk, at);
  return in.index > 0 ? at - in.stride : at;
}

static size_t dimension_rotated(const walk_t *walk, size_t at) {
  index_at_t in = index_of(walk, at);
  return in.index + 1 < in.size ? at + in.stride : at - in.index * in.stride;
}

static size_t dimension_last_missing(const walk_t *walk, size_t at) {
  index_at_t in = index_of(walk, at);
  return in.index + 1 == in.size && in.size > 1 ? CHANGE_ZERO : at;
}

/* The elements with this dimension and the next one exchanged, as if the tensor were laid out so.
 */
static size_t dimensions_swapped(const walk_t *walk, size_t at) {
  if (walk->number + 1 >= walk->type->rank) return at;
  walk_t next = *walk;
  next.number++;
  index_at_t first = index_of(walk, at), second = index_of(&next, at);
  size_t base = at - first.index * first.stride - second.index * second.stride;
  return base + (second.index * first.size + first.index) * second.stride;
}

/* Counted with the first dimension running fastest. */
static size_t columns_first(const walk_t *walk, size_t at) {
  size_t place = 0, stride = walk->count;
  for (uint32_t i = 0; i < walk->type->rank; i++) {
    stride /= (size_t)walk->type->dims[i];
    place += at % (size_t)walk->type->dims[i] * stride;
    at /= (size_t)walk->type->dims[i];
  }
  return place;
}

static size_t tensor_reversed(const walk_t *walk, size_t at) { return walk->count - 1 - at; }

/* ---- All of them ----------------------------------------------------------------------------- */

typedef enum number_kind_of_map { BY_BLOCK, BY_POWER, BY_DIMENSION, BY_TENSOR } map_number_t;

static const struct {
  cause_id_t of_operand, of_result;
  place_map_t *map;
  map_number_t number;
  const char *words;
} maps[] = {
    {CAUSE_operand_tail, CAUSE_result_tail, tail_missing, BY_BLOCK,
     "zeros behind whole blocks of %zu elements of %s"},
    {CAUSE_operand_tail, CAUSE_result_tail, tail_repeated, BY_BLOCK,
     "the block before behind whole blocks of %zu elements of %s"},
    {CAUSE_operand_tail, CAUSE_result_tail, columns_missing, BY_BLOCK,
     "zeros behind whole tiles of %zu columns of %s"},
    {CAUSE_operand_tail, CAUSE_result_tail, columns_repeated, BY_BLOCK,
     "the tile before behind whole tiles of %zu columns of %s"},
    {CAUSE_operand_tail, CAUSE_result_tail, rows_missing, BY_BLOCK,
     "zeros behind whole tiles of %zu rows of %s"},
    {CAUSE_operand_tail, CAUSE_result_tail, rows_repeated, BY_BLOCK,
     "the tile before behind whole tiles of %zu rows of %s"},
    {CAUSE_operand_stride, CAUSE_result_stride, stride_padded, BY_BLOCK,
     "rows rounded up to %zu elements of %s"},
    {CAUSE_operand_stride, CAUSE_result_stride, lanes_crossed, BY_BLOCK,
     "quarters exchanged in blocks of %zu elements of %s"},
    {CAUSE_operand_index, CAUSE_result_index, index_wrapped, BY_POWER,
     "elements counted modulo %zu of %s"},
    {CAUSE_operand_index, CAUSE_result_index, beyond_missing, BY_POWER,
     "zeros from element %zu on of %s"},
    {CAUSE_operand_index, CAUSE_result_index, beyond_repeated, BY_POWER,
     "the last element below %zu repeated of %s"},
    {CAUSE_operand_index, CAUSE_result_index, dimension_ignored, BY_DIMENSION,
     "index 0 along dimension %zu of %s"},
    {CAUSE_operand_index, CAUSE_result_index, dimension_reversed, BY_DIMENSION,
     "dimension %zu in reverse of %s"},
    {CAUSE_operand_index, CAUSE_result_index, dimension_next, BY_DIMENSION,
     "the next index along dimension %zu of %s"},
    {CAUSE_operand_index, CAUSE_result_index, dimension_before, BY_DIMENSION,
     "the index before along dimension %zu of %s"},
    {CAUSE_operand_index, CAUSE_result_index, dimension_rotated, BY_DIMENSION,
     "the next index around dimension %zu of %s"},
    {CAUSE_operand_tail, CAUSE_result_tail, dimension_last_missing, BY_DIMENSION,
     "zeros at the end of dimension %zu of %s"},
    {CAUSE_operand_transposed, CAUSE_result_transposed, dimensions_swapped, BY_DIMENSION,
     "dimension %zu and the next exchanged of %s"},
    {CAUSE_operand_transposed, CAUSE_result_transposed, columns_first, BY_TENSOR,
     "elements by columns of %s"},
    {CAUSE_operand_index, CAUSE_result_index, tensor_reversed, BY_TENSOR,
     "elements from the last to the first of %s"},
};

/* Fills in where elements come from; false if each comes from its own place. */
static bool walk_all(const walk_t *walk, place_map_t *map, size_t *out_places) {
  bool moves = false;
  for (size_t at = 0; at < walk->count; at++) {
    out_places[at] = map(walk, at);
    moves |= out_places[at] != at;
  }
  return moves;
}

static void rearrange(const tensor_t *from, const size_t *places, tensor_t *to) {
  const size_t bytes = element_bytes(from->type.element);
  memset(to->data, 0, type_bytes(&to->type));
  for (size_t i = 0; i < type_element_count(&to->type); i++) {
    if (places[i] == CHANGE_ZERO) continue;
    memcpy(to->data + i * bytes, from->data + places[i] * bytes, bytes);
  }
}

/* One map of one tensor: operand `operand`, or the result if that is not below their count. */
static void test_map(solver_t *solver, uint32_t operand, size_t which, const walk_t *walk,
                     size_t tried, found_causes_t *found) {
  const case_t *instance = solver->question->instance;
  const bool is_operand = operand < instance->program.operand_count;
  bool is_of_columns = maps[which].map == columns_missing || maps[which].map == columns_repeated;
  bool is_of_rows = maps[which].map == rows_missing || maps[which].map == rows_repeated;
  /* Less than one block is all tail, which tells nothing of blocks. */
  if (is_of_columns && walk->number >= walk->columns) return;
  if (is_of_rows && walk->number >= walk->rows) return;
  size_t *places = ARENA_NEW_ARRAY(solver->arena, size_t, walk->count);
  if (!walk_all(walk, maps[which].map, places)) return;
  case_t changed = *instance;
  change_t change = {.cause = is_operand ? maps[which].of_operand : maps[which].of_result,
                     .instance = &changed,
                     .tried = tried};
  if (is_operand) {
    changed.operands[operand] = tensor_make(solver->arena, walk->type);
    rearrange(&instance->operands[operand], places, &changed.operands[operand]);
    size_t bytes = type_bytes(walk->type);
    if (memcmp(changed.operands[operand].data, instance->operands[operand].data, bytes) == 0)
      return;
  } else {
    change.places = places;
  }
  char who[16], detail[2 * CAUSE_DETAIL_BYTES];
  g_snprintf(who, sizeof who, is_operand ? "operand %u" : "the result", operand);
  const char *text = maps[which].words;
  const char *number = strstr(text, "%zu"), *name = strstr(text, "%s");
  if (number == NULL) {
    g_snprintf(detail, sizeof detail, "%.*s%s", (int)(name - text), text, who);
  } else {
    g_snprintf(detail, sizeof detail, "%.*s%zu%.*s%s", (int)(number - text), text, walk->number,
               (int)(name - number - 3), number + 3, who);
  }
  detail[CAUSE_DETAIL_BYTES - 1] = '\0';
  char key[CAUSE_KEY_BYTES];
  bool is_of_dimension = maps[which].number == BY_DIMENSION || maps[which].number == BY_TENSOR;
  g_snprintf(key, sizeof key, "%s %zu %zu", who, which, is_of_dimension ? 0 : walk->number);
  change.key = key;
  change_test(solver, &change, detail, found);
}

static const size_t blocks[] = {2, 4, 8, 16, 32, 64, 128, 256};

/* The numbers that a map is tried with; returns how many. */
static size_t numbers_of(size_t which, const type_t *type, size_t count,
                         size_t out_numbers[G_N_ELEMENTS(blocks) + TYPE_RANK_MAX]) {
  size_t found = 0;
  if (maps[which].number == BY_TENSOR) {
    out_numbers[0] = 0;
    return 1;
  }
  if (maps[which].number == BY_DIMENSION) {
    for (uint32_t i = 0; i < type->rank; i++) {
      if (type->dims[i] > 1) out_numbers[found++] = i;
    }
    return found;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) {
    if (blocks[i] < count || maps[which].map == stride_padded) out_numbers[found++] = blocks[i];
  }
  return found;
}

static void test_tensor(solver_t *solver, uint32_t operand, const type_t *type,
                        found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  const bool is_operand = operand < program->operand_count;
  const size_t count = type_element_count(type);
  if (count < 2 || count > CHANGE_ELEMENTS_MAX) return;
  for (size_t which = 0; which < G_N_ELEMENTS(maps); which++) {
    cause_id_t cause = is_operand ? maps[which].of_operand : maps[which].of_result;
    if (!solver_tests(solver, cause)) continue;
    size_t numbers[G_N_ELEMENTS(blocks) + TYPE_RANK_MAX];
    size_t tried = numbers_of(which, type, count, numbers);
    for (size_t i = 0; i < tried; i++) {
      const walk_t walk = {.type = type,
                           .count = count,
                           .columns = type->rank > 0 ? (size_t)type->dims[type->rank - 1] : 1,
                           .rows = type->rank > 1 ? (size_t)type->dims[type->rank - 2] : 1,
                           .number = numbers[i]};
      arena_mark_t mark = arena_mark(solver->arena);
      test_map(solver, operand, which, &walk, 8 * tried, found);
      arena_rewind(solver->arena, mark);
    }
  }
}

void change_places(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (program->operands[i].quantization == NULL || program->operands[i].quantization->count == 1)
      test_tensor(solver, i, &program->operands[i], found);
  }
  if (solver->question->oracle->has_joint_results) return;
  test_tensor(solver, program->operand_count, &program->results[solver->verdict->result], found);
}
