/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of any op, valid or not: one dimension of one tensor is cut or taken out, and with it
 * dimensions of other tensors that were as long, and numbers among the attributes.  Which of them
 * belong together is found by trial: the op says which programs are valid. */
#include <string.h>

#include "harness/shrink/state.h"
#include "harness/shrink/words.h"

enum {
  BLOCKS_MAX = 8,
  TRIED_PROGRAMS_MAX = 4096, /* Programs made for one candidate. */
  ADMITTED_MAX = 3,          /* Of these, how many the predicate may be asked about. */
  ATTRIBUTES_MAX = 32,
  TENSORS_MAX = CASE_OPERANDS_MAX + CASE_RESULTS_MAX,
  UNTOUCHED = -1,
};

/* What becomes of one dimension of the best case. */
typedef struct cut {
  uint32_t tensor; /* Operands, then results. */
  uint32_t dim;
  int64_t size;       /* At present. */
  const size_t *kept; /* The entries that stay; NULL: the dimension, of size 1, goes. */
  size_t count;
  bool is_fresh_too;
} cut_t;

/* A way to carry the cut through the program: of each tensor which dimension is cut with it. */
typedef struct trial {
  shrink_t *shrink;
  cut_t cut;
  int dims[TENSORS_MAX];                  /* UNTOUCHED: none. */
  const void *attributes[ATTRIBUTES_MAX]; /* What the attributes may be, the present ones first. */
  const char *spelt[ATTRIBUTES_MAX];
  size_t attributes_count;
  size_t tried;
  size_t admitted;
  bool is_taken;
} trial_t;

static uint32_t tensor_count(const program_t *program) {
  return program->operand_count + program->result_count;
}

static const type_t *type_at(const program_t *program, uint32_t tensor) {
  uint32_t operands = program->operand_count;
  return tensor < operands ? &program->operands[tensor] : &program->results[tensor - operands];
}

static type_t *type_to_change(program_t *program, uint32_t tensor) {
  uint32_t operands = program->operand_count;
  return tensor < operands ? &program->operands[tensor] : &program->results[tensor - operands];
}

static bool is_drop(const cut_t *cut) { return cut->kept == NULL; }

/* A list as long as the rank of the tensor that loses a dimension: its last entry goes. */
static bool is_list_of_dims(const trial_t *trial, const type_t *type) {
  const type_t *cut = type_at(&trial->shrink->best.program, trial->cut.tensor);
  return is_drop(&trial->cut) && type->rank == 1 && type->dims[0] == cut->rank && type->dims[0] > 1;
}

/* Scales and zero points go along with their dimension; without it one is left for all. */
static void cut_quantization(const trial_t *trial, int dim, type_t *type) {
  const quantization_t *before = type->quantization;
  if (before == NULL || before->axis < dim) return;
  arena_t *arena = &trial->shrink->scratch;
  if (is_drop(&trial->cut)) {
    quantization_t *after = ARENA_NEW_ARRAY(arena, quantization_t, 1);
    *after = *before;
    after->axis = before->axis == dim ? -1 : before->axis - 1;
    type->quantization = after;
  } else if (before->axis == dim) {
    type->quantization = shrink_kept_scales(before, trial->cut.kept, trial->cut.count, arena);
  }
}

static void change_type(const trial_t *trial, int dim, type_t *type) {
  if (!is_list_of_dims(trial, type)) cut_quantization(trial, dim, type);
  if (is_drop(&trial->cut) && is_list_of_dims(trial, type)) {
    type->dims[0]--;
  } else if (is_drop(&trial->cut)) {
    for (uint32_t i = (uint32_t)dim + 1; i < type->rank; i++) type->dims[i - 1] = type->dims[i];
    type->rank--;
  } else {
    type->dims[dim] = (int64_t)trial->cut.count;
  }
}

/* Which element of the present operand element `element` of the new one is. */
static size_t element_before(const trial_t *trial, const type_t *type, int dim, size_t element) {
  if (is_drop(&trial->cut)) return element; /* Of a shorter list: the first ones. */
  size_t inner = 1;
  for (uint32_t i = (uint32_t)dim + 1; i < type->rank; i++) inner *= (size_t)type->dims[i];
  size_t index = element / inner % trial->cut.count;
  size_t outer = element / inner / trial->cut.count;
  return (outer * (size_t)type->dims[dim] + trial->cut.kept[index]) * inner + element % inner;
}

static void fill_operand(const trial_t *trial, uint32_t operand, tensor_t *to) {
  const tensor_t *from = &trial->shrink->best.operands[operand];
  int dim = trial->dims[operand];
  size_t bytes = element_bytes(from->type.element);
  size_t count = type_element_count(&to->type);
  for (size_t i = 0; i < count; i++) {
    size_t before = dim == UNTOUCHED ? i : element_before(trial, &from->type, dim, i);
    memcpy(to->data + i * bytes, from->data + before * bytes, bytes);
  }
}

static void try_program(trial_t *trial, const void *attributes) {
  shrink_t *shrink = trial->shrink;
  program_t program = shrink->best.program;
  program.attributes = attributes;
  for (uint32_t i = 0; i < tensor_count(&program); i++) {
    if (trial->dims[i] != UNTOUCHED) {
      change_type(trial, trial->dims[i], type_to_change(&program, i));
    }
  }
  trial->tried++;
  if (!shrink_admits(shrink, &program)) return;
  trial->admitted++;
  arena_mark_t mark = arena_mark(&shrink->scratch);
  case_t candidate = case_make(&shrink->scratch, &program);
  for (uint32_t i = 0; i < program.operand_count; i++) {
    fill_operand(trial, i, &candidate.operands[i]);
  }
  trial->is_taken = shrink_try_shape(shrink, &candidate, trial->cut.is_fresh_too);
  arena_rewind(&shrink->scratch, mark);
}

static bool is_enough(const trial_t *trial) {
  return trial->is_taken || trial->tried >= TRIED_PROGRAMS_MAX || trial->admitted >= ADMITTED_MAX ||
         shrink_is_over(trial->shrink);
}

/* Whether dimension `dim` of a tensor may go along with the cut. */
static bool may_follow(const trial_t *trial, const type_t *type, uint32_t dim) {
  if (type->dims[dim] == trial->cut.size) return true;
  return dim == 0 && is_list_of_dims(trial, type);
}

/* All ways in which `followers` more of the tensors from `tensor` on follow the cut. */
static void try_followers(trial_t *trial, uint32_t tensor, uint32_t followers) {
  const program_t *program = &trial->shrink->best.program;
  if (tensor == tensor_count(program)) {
    for (size_t i = 0; followers == 0 && i < trial->attributes_count && !is_enough(trial); i++) {
      try_program(trial, trial->attributes[i]);
    }
    return;
  }
  bool is_seed = tensor == trial->cut.tensor;
  if (!is_seed) trial->dims[tensor] = UNTOUCHED;
  if (is_seed || followers == 0 || followers < tensor_count(program) - tensor) {
    try_followers(trial, tensor + 1, followers);
  }
  const type_t *type = type_at(program, tensor);
  for (uint32_t dim = 0; dim < type->rank && !is_seed && followers > 0; dim++) {
    if (is_enough(trial)) break;
    if (!may_follow(trial, type, dim)) continue;
    trial->dims[tensor] = (int)dim;
    try_followers(trial, tensor + 1, followers - 1);
  }
  if (!is_seed) trial->dims[tensor] = UNTOUCHED;
}

/* ---- Attributes that go along ---------------------------------------------------------------- */

static void add_attributes(trial_t *trial, const GString *text) {
  program_t program;
  if (trial->attributes_count == ATTRIBUTES_MAX) return;
  for (size_t i = 0; i < trial->attributes_count; i++) {
    if (strcmp(trial->spelt[i], text->str) == 0) return;
  }
  if (!shrink_words_parse(&trial->shrink->best.program, text, &trial->shrink->scratch, &program)) {
    return;
  }
  trial->spelt[trial->attributes_count] =
      arena_copy_text(&trial->shrink->scratch, text->str, text->len);
  trial->attributes[trial->attributes_count++] = program.attributes;
}

static void add_replaced(trial_t *trial, const shrink_words_t *words, size_t begin, size_t end,
                         const char *replacement) {
  GString *text = shrink_words_replace(words, begin, end, replacement);
  add_attributes(trial, text);
  g_string_free(text, TRUE);
}

/* Numbers that are the size that is cut, one at a time. */
static void add_attributes_of_size(trial_t *trial, const shrink_words_t *words) {
  for (size_t i = 0; i < shrink_words_count(words); i++) {
    const shrink_word_t *word = shrink_words_at(words, i);
    if (word->kind != SHRINK_INTEGER || word->integer != trial->cut.size) continue;
    g_autofree char *count = g_strdup_printf("%zu", trial->cut.count);
    add_replaced(trial, words, word->begin, word->end, count);
  }
}

/* Where an entry of a list ends with its comma, if it goes. */
static size_t end_with_comma(const GString *text, const shrink_word_t *word, size_t *inout_begin) {
  if (text->str[word->end] == ',') return word->end + 1;
  if (*inout_begin > 0 && text->str[*inout_begin - 1] == ',') --*inout_begin;
  return word->end;
}

enum { ANY_KEY = -1 };

/* Numbers of dimensions behind the one that goes are one less, those counted from the end one more;
 * its own number leaves the lists if `is_listed_gone`.  Of all attributes, or of the one that
 * begins at `key_begin`. */
static void add_renumbered_attributes(trial_t *trial, const shrink_words_t *words, gssize key_begin,
                                      bool is_listed_gone) {
  GString *text = g_string_new(words->text->str);
  int64_t dim = (int64_t)trial->cut.dim;
  for (size_t i = shrink_words_count(words); i-- > 0;) {
    const shrink_word_t *word = shrink_words_at(words, i);
    if (word->kind != SHRINK_INTEGER) continue;
    if (key_begin != ANY_KEY && word->key_begin != (size_t)key_begin) continue;
    size_t begin = word->begin;
    size_t end = word->end;
    char number[24] = "";
    if (word->integer == dim && word->is_in_list && is_listed_gone) {
      end = end_with_comma(text, word, &begin);
    } else if (word->integer > dim) {
      g_snprintf(number, sizeof number, "%" G_GINT64_FORMAT, word->integer - 1);
    } else if (word->integer < -1) {
      g_snprintf(number, sizeof number, "%" G_GINT64_FORMAT, word->integer + 1);
    } else {
      continue;
    }
    g_string_erase(text, (gssize)begin, (gssize)(end - begin));
    g_string_insert(text, (gssize)begin, number);
  }
  add_attributes(trial, text);
  g_string_free(text, TRUE);
}

/* Attributes that may be renumbered or left out with the dimension, or true no more, one at a time:
 * the axis of what has none, "keep_dims". */
static void add_weaker_attributes(trial_t *trial, const shrink_words_t *words) {
  size_t key_begin = SIZE_MAX;
  for (size_t i = 0; i < shrink_words_count(words); i++) {
    const shrink_word_t *word = shrink_words_at(words, i);
    if (word->kind == SHRINK_NAME) add_replaced(trial, words, word->begin, word->end, "false");
    if (word->key_begin == key_begin) continue;
    key_begin = word->key_begin;
    add_renumbered_attributes(trial, words, (gssize)key_begin, true);
    add_renumbered_attributes(trial, words, (gssize)key_begin, false);
    add_replaced(trial, words, word->key_begin, word->key_end, "");
  }
}

static void find_attributes(trial_t *trial) {
  const program_t *program = &trial->shrink->best.program;
  shrink_words_t words = shrink_words_make(program);
  add_attributes(trial, words.text);
  if (is_drop(&trial->cut)) {
    add_renumbered_attributes(trial, &words, ANY_KEY, true);
    add_renumbered_attributes(trial, &words, ANY_KEY, false);
    add_weaker_attributes(trial, &words);
  } else {
    add_attributes_of_size(trial, &words);
  }
  shrink_words_free(&words);
}

/* ---- Cuts ------------------------------------------------------------------------------------ */

/* Tries the cut with as few followers as the op admits. */
static bool try_cut(shrink_t *shrink, const cut_t *cut) {
  arena_reset(&shrink->scratch);
  trial_t trial = {.shrink = shrink, .cut = *cut};
  for (int i = 0; i < TENSORS_MAX; i++) trial.dims[i] = UNTOUCHED;
  trial.dims[cut->tensor] = (int)cut->dim;
  find_attributes(&trial);
  uint32_t tensors = tensor_count(&shrink->best.program);
  for (uint32_t followers = 0; followers < tensors && !is_enough(&trial); followers++) {
    try_followers(&trial, 0, followers);
  }
  return trial.is_taken;
}

typedef struct place {
  shrink_t *shrink;
  uint32_t tensor;
  uint32_t dim;
  bool is_fresh_too;
} place_t;

static bool keep_entries(void *context, const size_t *kept, size_t count) {
  const place_t *place = (const place_t *)context;
  const type_t *type = type_at(&place->shrink->best.program, place->tensor);
  const cut_t cut = {.tensor = place->tensor,
                     .dim = place->dim,
                     .size = type->dims[place->dim],
                     .kept = kept,
                     .count = count,
                     .is_fresh_too = place->is_fresh_too};
  return try_cut(place->shrink, &cut);
}

static size_t size_at(const place_t *place) {
  const type_t *type = type_at(&place->shrink->best.program, place->tensor);
  return place->dim < type->rank ? (size_t)type->dims[place->dim] : 0;
}

/* The first 1, 2, half of and all but one entries, with data drawn anew. */
static bool cut_with_fresh_data(place_t place) {
  place.is_fresh_too = true;
  size_t size = size_at(&place);
  if (size < 2 || place.shrink->broken != NULL) return false;
  size_t *kept = g_new(size_t, size);
  for (size_t i = 0; i < size; i++) kept[i] = i;
  const size_t counts[] = {1, 2, size / 2, size - 1};
  bool is_changed = false;
  for (size_t i = 0; i < G_N_ELEMENTS(counts) && !is_changed; i++) {
    bool is_repeated = i > 0 && counts[i] <= counts[i - 1];
    if (!is_repeated && counts[i] < size) is_changed = keep_entries(&place, kept, counts[i]);
  }
  g_free(kept);
  return is_changed;
}

static bool cut_dimension(shrink_t *shrink, uint32_t tensor, uint32_t dim) {
  place_t place = {.shrink = shrink, .tensor = tensor, .dim = dim};
  size_t size = size_at(&place);
  bool is_changed = size > 1 && shrink_leave_out(shrink, size, 1, BLOCKS_MAX, keep_entries, &place);
  while (!shrink_is_over(shrink) && cut_with_fresh_data(place)) is_changed = true;
  return is_changed;
}

static bool drop_dimension(shrink_t *shrink, uint32_t tensor, uint32_t dim) {
  const cut_t cut = {.tensor = tensor, .dim = dim, .size = 1};
  return try_cut(shrink, &cut);
}

bool shrink_shapes(shrink_t *shrink) {
  bool is_changed = false;
  const program_t *program = &shrink->best.program;
  for (uint32_t tensor = 0; tensor < tensor_count(program); tensor++) {
    for (uint32_t dim = 0; dim < type_at(program, tensor)->rank; dim++) {
      if (shrink_is_over(shrink)) return is_changed;
      is_changed |= cut_dimension(shrink, tensor, dim);
    }
  }
  for (uint32_t tensor = 0; tensor < tensor_count(program); tensor++) {
    for (uint32_t dim = type_at(program, tensor)->rank; dim-- > 0;) {
      if (dim >= type_at(program, tensor)->rank || type_at(program, tensor)->dims[dim] != 1) {
        continue;
      }
      if (shrink_is_over(shrink)) return is_changed;
      is_changed |= drop_dimension(shrink, tensor, dim);
    }
  }
  return is_changed;
}
