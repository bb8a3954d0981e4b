/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of any op: several sizes lowered together, where no cut of one dimension will do.  The
 * features of a grouped convolution are groups times channels, so that fewer channels take fewer
 * features; how many windows there are depends on sizes, windows, padding and strides, some of
 * which are numbers among the attributes.  One size is lowered, and others follow it by the same
 * factor, by the same difference or to next to nothing, until the op says that the program is
 * valid. */
#include <string.h>

#include "harness/shrink/state.h"
#include "harness/shrink/words.h"

enum {
  ELEMENTS_MIN = 8, /* Cases of fewer elements are small enough. */
  PLACES_MAX = 48,
  OPTIONS_MAX = 5,  /* Sizes that a place may follow to. */
  FREE_MAX = 2,     /* Places that may follow to any of these at once; */
  ALIKE_MAX = 3,    /* and all by the same factor or all by the same difference. */
  TRIED_MAX = 2048, /* Programs made for one lowering. */
  ADMITTED_MAX = 2, /* Of these, how many with as many followers may be asked about. */
};

/* How places follow. */
typedef enum manner {
  BY_FACTOR,
  BY_DIFFERENCE,
  ANYHOW, /* Roughly by the factor, by the difference, or to 1 or 2. */
} manner_t;

/* A size: a dimension of a tensor, or a number among the attributes. */
typedef struct place {
  bool is_word;
  uint32_t tensor; /* Operands, then results. */
  uint32_t dim;
  size_t word;
  int64_t size; /* At present. */
} place_t;

typedef struct search {
  shrink_t *shrink;
  shrink_words_t words;
  size_t count;
  place_t places[PLACES_MAX];
  int64_t sizes[PLACES_MAX]; /* Of the candidate. */
  size_t seed;               /* The place that the others follow. */
  size_t tried;
  size_t admitted;
  bool is_taken;
} search_t;

static uint32_t tensor_count(const program_t *program) {
  return program->operand_count + program->result_count;
}

static type_t *type_at(program_t *program, uint32_t tensor) {
  uint32_t operands = program->operand_count;
  return tensor < operands ? &program->operands[tensor] : &program->results[tensor - operands];
}

static void add_place(search_t *search, const place_t *place) {
  if (search->count == PLACES_MAX) return;
  search->sizes[search->count] = place->size;
  search->places[search->count++] = *place;
}

static void find_places(search_t *search) {
  program_t program = search->shrink->best.program;
  for (uint32_t tensor = 0; tensor < tensor_count(&program); tensor++) {
    const type_t *type = type_at(&program, tensor);
    for (uint32_t dim = 0; dim < type->rank; dim++) {
      const place_t place = {.tensor = tensor, .dim = dim, .size = type->dims[dim]};
      if (place.size > 1) add_place(search, &place);
    }
  }
  for (size_t i = 0; i < shrink_words_count(&search->words); i++) {
    const shrink_word_t *word = shrink_words_at(&search->words, i);
    const place_t place = {.is_word = true, .word = i, .size = word->integer};
    if (word->kind == SHRINK_INTEGER && place.size > 0) add_place(search, &place);
  }
}

/* ---- One candidate --------------------------------------------------------------------------- */

/* False if the attributes cannot be spelt. */
static bool set_words(const search_t *search, program_t *program) {
  GString *text = g_string_new(search->words.text->str);
  bool is_changed = false;
  for (size_t i = search->count; i-- > 0;) { /* From behind, so that words stay where they are. */
    const place_t *place = &search->places[i];
    if (!place->is_word || search->sizes[i] == place->size) continue;
    const shrink_word_t *word = shrink_words_at(&search->words, place->word);
    char number[24];
    g_snprintf(number, sizeof number, "%" G_GINT64_FORMAT, search->sizes[i]);
    g_string_erase(text, (gssize)word->begin, (gssize)(word->end - word->begin));
    g_string_insert(text, (gssize)word->begin, number);
    is_changed = true;
  }
  const program_t before = *program;
  bool is_spelt =
      !is_changed || shrink_words_parse(&before, text, &search->shrink->scratch, program);
  g_string_free(text, TRUE);
  return is_spelt;
}

static void set_dimensions(const search_t *search, program_t *program) {
  arena_t *arena = &search->shrink->scratch;
  for (size_t i = 0; i < search->count; i++) {
    const place_t *place = &search->places[i];
    if (place->is_word || search->sizes[i] == place->size) continue;
    type_t *type = type_at(program, place->tensor);
    type->dims[place->dim] = search->sizes[i];
    const quantization_t *quantization = type->quantization;
    if (quantization == NULL || quantization->axis != (int32_t)place->dim) continue;
    type->quantization = shrink_kept_scales(quantization, NULL, (size_t)search->sizes[i], arena);
  }
}

static uint64_t count_elements(program_t *program) {
  uint64_t elements = 0;
  for (uint32_t i = 0; i < tensor_count(program); i++) {
    elements += type_element_count(type_at(program, i));
  }
  return elements;
}

/* The first entries along every dimension. */
static void fill_operand(const tensor_t *from, tensor_t *to) {
  size_t bytes = element_bytes(from->type.element);
  size_t count = type_element_count(&to->type);
  for (size_t element = 0; element < count; element++) {
    size_t rest = element;
    size_t source = 0;
    size_t stride = 1;
    for (uint32_t dim = to->type.rank; dim-- > 0;) {
      source += rest % (size_t)to->type.dims[dim] * stride;
      rest /= (size_t)to->type.dims[dim];
      stride *= (size_t)from->type.dims[dim];
    }
    memcpy(to->data + element * bytes, from->data + source * bytes, bytes);
  }
}

static bool is_enough(const search_t *search) {
  return search->is_taken || search->tried >= TRIED_MAX || search->admitted >= ADMITTED_MAX ||
         shrink_is_over(search->shrink);
}

static void try_sizes(search_t *search) {
  shrink_t *shrink = search->shrink;
  arena_mark_t mark = arena_mark(&shrink->scratch);
  program_t program = shrink->best.program;
  search->tried++;
  set_dimensions(search, &program);
  if (count_elements(&program) < shrink->report.after.elements && set_words(search, &program) &&
      shrink_admits(shrink, &program)) {
    search->admitted++;
    case_t candidate = case_make(&shrink->scratch, &program);
    for (uint32_t i = 0; i < program.operand_count; i++) {
      fill_operand(&shrink->best.operands[i], &candidate.operands[i]);
    }
    search->is_taken = shrink_try_shape(shrink, &candidate, true);
  }
  arena_rewind(&shrink->scratch, mark);
}

/* ---- Followers ------------------------------------------------------------------------------- */

/* The sizes that a place may follow to; returns their count. */
static size_t find_options(const search_t *search, const place_t *place, manner_t manner,
                           int64_t out_options[OPTIONS_MAX]) {
  int64_t before = search->places[search->seed].size;
  int64_t after = search->sizes[search->seed];
  __int128 product = (__int128)place->size * after;
  int64_t scaled = (int64_t)(product / before);
  int64_t lowered = place->size - (before - after);
  const int64_t options[OPTIONS_MAX] = {scaled, lowered, scaled + 1, 1, 2};
  size_t count = 0;
  for (size_t i = 0; i < OPTIONS_MAX; i++) {
    if (manner == BY_FACTOR && (i != 0 || product % before != 0)) continue;
    if (manner == BY_DIFFERENCE && i != 1) continue;
    if (options[i] < (place->is_word ? 0 : 1) || options[i] >= place->size) continue;
    bool is_repeated = false;
    for (size_t j = 0; j < count; j++) is_repeated |= out_options[j] == options[i];
    if (!is_repeated) out_options[count++] = options[i];
  }
  return count;
}

/* All ways in which `followers` of the places from `first` on follow. */
static void try_followers(search_t *search, size_t first, uint32_t followers, manner_t manner) {
  if (followers == 0) {
    try_sizes(search);
    return;
  }
  for (size_t i = first; i + followers <= search->count && !is_enough(search); i++) {
    if (i == search->seed) continue;
    int64_t options[OPTIONS_MAX];
    size_t count = find_options(search, &search->places[i], manner, options);
    for (size_t j = 0; j < count && !is_enough(search); j++) {
      search->sizes[i] = options[j];
      try_followers(search, i + 1, followers - 1, manner);
    }
    search->sizes[i] = search->places[i].size;
  }
}

/* Tries to lower a place to `size`, with as few followers as the op admits. */
static void try_lower(search_t *search, size_t seed, int64_t size) {
  search->seed = seed;
  search->sizes[seed] = size;
  search->tried = 0;
  search->admitted = 0;
  try_sizes(search);
  for (uint32_t followers = 1; followers <= ALIKE_MAX; followers++) {
    search->admitted = 0;
    if (is_enough(search)) break;
    try_followers(search, 0, followers, BY_FACTOR);
    try_followers(search, 0, followers, BY_DIFFERENCE);
    if (followers <= FREE_MAX) try_followers(search, 0, followers, ANYHOW);
  }
  search->sizes[seed] = search->places[seed].size;
}

static bool lower_one(shrink_t *shrink) {
  arena_reset(&shrink->scratch);
  search_t search = {.shrink = shrink, .words = shrink_words_make(&shrink->best.program)};
  find_places(&search);
  for (size_t seed = 0; seed < search.count && !search.is_taken; seed++) {
    int64_t size = search.places[seed].size;
    const int64_t sizes[] = {1, 2, size / 2, size - 1};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes) && !search.is_taken; i++) {
      bool is_repeated = i > 0 && sizes[i] <= sizes[i - 1];
      if (!is_repeated && sizes[i] < size) try_lower(&search, seed, sizes[i]);
    }
  }
  shrink_words_free(&search.words);
  return search.is_taken;
}

bool shrink_sizes(shrink_t *shrink) {
  bool is_changed = false;
  while (shrink->broken == NULL && shrink->report.after.elements >= ELEMENTS_MIN &&
         !shrink_is_over(shrink) && lower_one(shrink)) {
    is_changed = true;
  }
  return is_changed;
}
