/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted random choice of element types, promotions, sizes and permutations, shared by all ops;
 * common types and small sizes come more often. */
#include "harness/draw/draw.h"

#include "harness/types/promotion.h"

enum { WEIGHT_USUAL = 8 };

/* f32 most often, then the other floats that programs use, i32 and i8, booleans; a type of scales
 * alone seldom.  By numbers, not names: this is asked of every type for every type that is drawn.
 */
static uint64_t weight_of(const element_t *element) {
  switch (element->kind) {
    case ELEMENT_BOOLEAN:
      return 2 * WEIGHT_USUAL;
    case ELEMENT_SIGNED:
      return (element->bits == 32 || element->bits == 8 ? 4 : 1) * WEIGHT_USUAL;
    case ELEMENT_FLOAT:
      if (element->format->specials == FORMAT_EXPONENT_ONLY) return 1;
      return (element->bits == 32 ? 12 : element->bits >= 16 ? 6 : 1) * WEIGHT_USUAL;
    case ELEMENT_UNSIGNED:
    case ELEMENT_COMPLEX:
      break;
  }
  return WEIGHT_USUAL;
}

static bool is_candidate(const element_t *element, draw_filter_t *allowed, const void *context) {
  return element->is_tensor_element && (allowed == NULL || allowed(element, context));
}

const element_t *draw_element(rng_t *rng, draw_filter_t *allowed, const void *context) {
  enum { ELEMENTS_MAX = 64 };
  uint64_t weights[ELEMENTS_MAX];
  uint64_t total = 0;
  g_assert(element_count <= ELEMENTS_MAX);
  for (size_t i = 0; i < element_count; i++) {
    const element_t *element = &element_table[i];
    weights[i] = is_candidate(element, allowed, context) ? weight_of(element) : 0;
    total += weights[i];
  }
  if (total == 0) return NULL;
  uint64_t ticket = rng_below(rng, total);
  size_t index = 0;
  while (ticket >= weights[index]) ticket -= weights[index++];
  return &element_table[index];
}

static bool is_same_kind(const element_t *element, const void *other) {
  return element->kind == ((const element_t *)other)->kind;
}

const element_t *draw_same_kind(rng_t *rng, const element_t *element) {
  return draw_element(rng, is_same_kind, element);
}

static bool is_exact_promotion(const element_t *element, const void *from) {
  return element != from && element_promotion_is_exact(from, element);
}

static bool is_inexact_float_promotion(const element_t *element, const void *context) {
  const element_t *from = context;
  return from->format != NULL && element_is_promotable(from, element) &&
         !element_promotion_is_exact(from, element);
}

const element_t *draw_promotion(rng_t *rng, const element_t *from) {
  if (!rng_one_in(rng, 3)) return from;
  bool exact = !rng_one_in(rng, 16);
  const element_t *to =
      draw_element(rng, exact ? is_exact_promotion : is_inexact_float_promotion, from);
  return to == NULL ? from : to;
}

int64_t draw_threshold(rng_t *rng, int64_t lowest, int64_t highest) {
  int64_t size = (int64_t)1 << rng_between(rng, lowest, highest);
  return size + (rng_one_in(rng, 4) ? rng_between(rng, -9, 9) : rng_between(rng, -1, 1));
}

static int64_t draw_small(rng_t *rng, int64_t largest) {
  if (rng_one_in(rng, 32)) return 0;
  if (rng_below(rng, 4) < 3) return rng_between(rng, 1, MIN(largest, 4));
  int magnitude = 64 - __builtin_clzll((uint64_t)largest);
  int64_t ceiling = (int64_t)1 << rng_between(rng, 1, magnitude);
  return rng_between(rng, 1, MIN(largest, ceiling));
}

static int64_t draw_few(rng_t *rng, int64_t largest) {
  return rng_between(rng, 1, MIN(largest, 4));
}

/* A multiple of a block, or one off: the last block of a kernel is whole, nearly empty or nearly
 * full. */
static int64_t draw_tiled(rng_t *rng, int64_t largest) {
  static const int64_t blocks[] = {8, 16, 32, 64, 128};
  int64_t size = blocks[rng_below(rng, G_N_ELEMENTS(blocks))];
  if (rng_one_in(rng, 4)) size *= rng_between(rng, 1, 4);
  size += rng_between(rng, -1, 1);
  return rng_one_in(rng, 4) || size > largest ? draw_few(rng, largest) : size;
}

/* From a thousand on every order of magnitude alike: a power of two, one off, or any number. */
static int64_t draw_long(rng_t *rng, int64_t largest) {
  enum { SHORTEST = 10 }; /* 2^10. */
  if (largest >> SHORTEST == 0 || rng_one_in(rng, 3)) return draw_few(rng, largest);
  int64_t low = (int64_t)1 << rng_between(rng, SHORTEST, 63 - __builtin_clzll((uint64_t)largest));
  int64_t size =
      rng_one_in(rng, 2) ? low + rng_between(rng, -1, 1) : rng_between(rng, low, 2 * low);
  return MIN(size, largest);
}

/* Batches; heads, channels and sides of images; hidden sizes; vocabularies.  Sources: the published
 * configurations of BERT, GPT-2, Llama 2 and 3, Mistral, Qwen, Gemma, ResNet and ViT. */
static int64_t draw_deployed(rng_t *rng, int64_t largest) {
  static const int64_t sizes[] = {7,     8,     12,    14,    16,    28,    32,     40,     49,
                                  56,    64,    80,    96,    112,   128,   197,    224,    256,
                                  384,   512,   577,   640,   768,   1024,  1280,   1536,   2048,
                                  2560,  3072,  3584,  4096,  5120,  6144,  8192,   11008,  12288,
                                  14336, 16384, 30522, 32000, 50257, 65536, 128256, 151936, 256000};
  if (rng_one_in(rng, 3)) return draw_few(rng, largest);
  size_t fitting = 0;
  while (fitting < G_N_ELEMENTS(sizes) && sizes[fitting] <= largest) fitting++;
  return fitting == 0 ? draw_few(rng, largest) : sizes[rng_below(rng, fitting)];
}

/* Kernels change where there are so many elements, so the whole is to be filled. */
static int64_t draw_filling(rng_t *rng, int64_t largest) {
  if (rng_one_in(rng, 3)) return largest;
  return rng_one_in(rng, 3) ? draw_small(rng, largest) : draw_few(rng, largest);
}

/* A dimension of thousands once there is one takes what there is of `largest`. */
static int64_t draw_slender(rng_t *rng, int64_t largest) {
  if (largest <= (1 << DRAW_SLENDER_LOWEST) || rng_one_in(rng, 2)) {
    return rng_between(rng, 1, MIN(largest, DRAW_SLENDER_WIDEST));
  }
  int64_t size = draw_threshold(rng, DRAW_SLENDER_LOWEST, DRAW_SLENDER_HIGHEST);
  return MIN(size, largest);
}

int64_t draw_size(rng_t *rng, draw_sizes_t sizes, int64_t largest) {
  typedef int64_t draw_t(rng_t *, int64_t);
  static draw_t *const draws[] = {
      [DRAW_SIZES_SMALL] = draw_small,     [DRAW_SIZES_TILED] = draw_tiled,
      [DRAW_SIZES_LONG] = draw_long,       [DRAW_SIZES_DEPLOYED] = draw_deployed,
      [DRAW_SIZES_FILLING] = draw_filling, [DRAW_SIZES_SLENDER] = draw_slender,
  };
  return largest <= 0 ? 0 : draws[sizes](rng, largest);
}

int64_t draw_length(rng_t *rng, draw_sizes_t sizes, int64_t largest, uint64_t long_one_in) {
  bool is_long = sizes == DRAW_SIZES_SMALL && rng_one_in(rng, long_one_in);
  if (!is_long) return draw_size(rng, sizes, largest);
  int64_t length = ((int64_t)1 << rng_between(rng, 1, 10)) + rng_between(rng, -1, 1);
  return MIN(length, largest);
}

int64_t draw_term_count(rng_t *rng, draw_sizes_t sizes, int64_t largest) {
  enum { LONG_ONE_IN = 4 };
  if (rng_one_in(rng, 2)) return draw_length(rng, sizes, largest, LONG_ONE_IN);
  bool is_long = sizes == DRAW_SIZES_SMALL && largest > 1 && rng_one_in(rng, LONG_ONE_IN);
  if (!is_long) return draw_size(rng, sizes, largest);
  int64_t low = (int64_t)1 << rng_between(rng, 0, 63 - __builtin_clzll((uint64_t)largest));
  return rng_between(rng, low, MIN(2 * low - 1, largest));
}

static void insert_dimension(type_t *type, uint32_t dim, int64_t size) {
  for (uint32_t i = type->rank; i > dim; i--) type->dims[i] = type->dims[i - 1];
  type->dims[dim] = size;
  type->rank++;
}

static void remove_dimension(type_t *type, uint32_t dim) {
  type->rank--;
  for (uint32_t i = dim; i < type->rank; i++) type->dims[i] = type->dims[i + 1];
}

void draw_other_shape(rng_t *rng, type_t *inout_type) {
  uint32_t rank = inout_type->rank;
  uint64_t choice = rng_below(rng, 4);
  if (rank == 0 || (choice == 0 && rank < TYPE_RANK_MAX)) {
    insert_dimension(inout_type, (uint32_t)rng_below(rng, rank + 1), 1);
    return;
  }
  uint32_t dim = (uint32_t)rng_below(rng, rank);
  if (choice == 1) {
    remove_dimension(inout_type, dim);
  } else {
    bool grow = inout_type->dims[dim] == 0 || choice == 2;
    inout_type->dims[dim] += grow ? 1 : -1;
  }
}

bool program_obeys_bounds(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (type_check(&program->operands[i], NULL) != STATUS_OK) return false;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (type_check(&program->results[i], NULL) != STATUS_OK) return false;
  }
  return true;
}

dimension_list_t draw_permutation(rng_t *rng, uint32_t count) {
  dimension_list_t order = {.count = count};
  for (uint32_t i = 0; i < count; i++) {
    uint32_t j = (uint32_t)rng_below(rng, i + 1);
    order.dims[i] = order.dims[j];
    order.dims[j] = i;
  }
  return order;
}
