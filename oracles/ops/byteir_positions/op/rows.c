/* SPDX-License-Identifier: Apache-2.0 */
/* Draws rows of elements for arg and top-k ops that are hard to rank: few distinct values so that
 * ties abound, runs of ascending or descending numbers, NaNs, and repeats at vector boundaries. */
#include "harness/draw/special_values.h"
#include "oracles/ops/byteir_positions/op/op.h"

/* Of how many patterns a row is made: few, so that there are ties everywhere. */
enum { ALPHABET_MAX = 4 };

/* How one row is drawn. */
typedef struct row_recipe {
  uint64_t alphabet[ALPHABET_MAX];
  size_t letters;
  int direction; /* 1: ascending numbers instead; -1: descending ones; 0: letters. */
  size_t nans;   /* So many elements, about, are replaced by NaNs. */
  bool has_peak; /* The last element, or one that ends a block, repeats an earlier one. */
} row_recipe_t;

typedef uint64_t draw_letter_t(rng_t *rng, const element_t *element);

static uint64_t draw_zero(rng_t *rng, const element_t *element) {
  return special_value_zero(element, rng_one_in(rng, 2));
}

/* Below 0, or at least not above it. */
static uint64_t draw_negative(rng_t *rng, const element_t *element) {
  return special_value_integer(element, -(int)rng_between(rng, 1, 6));
}

static uint64_t draw_small(rng_t *rng, const element_t *element) {
  return special_value_integer(element, (int)rng_between(rng, -3, 3));
}

/* A few units of the smallest subnormal number, of both signs, and zeros; of integers, the largest
 * and the smallest. */
static uint64_t draw_tiny(rng_t *rng, const element_t *element) {
  if (element->format == NULL) {
    uint64_t most = element_integer_max(element);
    uint64_t least = (uint64_t)element_integer_min(element);
    return (rng_one_in(rng, 2) ? most - rng_below(rng, 2) : least + rng_below(rng, 2)) &
           element_mask(element);
  }
  uint64_t magnitude = rng_below(rng, 3);
  return rng_one_in(rng, 2) ? magnitude : magnitude | special_value_zero(element, true);
}

static row_recipe_t draw_recipe(rng_t *rng, const element_t *element) {
  static draw_letter_t *const letters[] = {
      draw_small,
      draw_small,
      draw_zero,
      draw_negative,
      draw_negative,
      draw_tiny,
      special_value_special,
      special_value_boundary,
      special_value_infinity,
      special_value_any,
  };
  draw_letter_t *draw = letters[rng_below(rng, G_N_ELEMENTS(letters))];
  draw_letter_t *other = rng_one_in(rng, 3) ? letters[rng_below(rng, G_N_ELEMENTS(letters))] : draw;
  row_recipe_t recipe = {.letters = 1 + rng_below(rng, ALPHABET_MAX),
                         .direction = rng_one_in(rng, 6) ? (rng_one_in(rng, 2) ? 1 : -1) : 0,
                         .nans = rng_one_in(rng, 4) ? 1 + rng_below(rng, 3) : 0,
                         .has_peak = rng_one_in(rng, 3)};
  for (size_t i = 0; i < recipe.letters; i++) {
    recipe.alphabet[i] = (i % 2 == 0 ? draw : other)(rng, element);
  }
  return recipe;
}

static uint64_t draw_number(rng_t *rng, const element_t *element, const row_recipe_t *recipe,
                            size_t place, size_t size) {
  enum { SPREAD = 100 }; /* As many as an i8 holds of both signs. */
  if (recipe->direction == 0) return recipe->alphabet[rng_below(rng, recipe->letters)];
  int step = (int)(place * 2 * SPREAD / size) - SPREAD;
  return special_value_integer(element, recipe->direction * step);
}

/* Where vectors of 4 to 64 elements end, or the row does. */
static size_t draw_end(rng_t *rng, size_t size) {
  size_t block = (size_t)4 << rng_below(rng, 5);
  return rng_one_in(rng, 2) || block > size ? size - 1 : size / block * block - 1;
}

static void draw_row(rng_t *rng, const tensor_t *tensor, const byteir_rows_t *rows, size_t row) {
  const element_t *element = tensor->type.element;
  const row_recipe_t recipe = draw_recipe(rng, element);
  for (size_t place = 0; place < rows->size; place++) {
    element_store(element, tensor->data, byteir_rows_element(rows, row, place),
                  draw_number(rng, element, &recipe, place, rows->size));
  }
  if (recipe.has_peak) {
    size_t from = byteir_rows_element(rows, row, rng_below(rng, rows->size));
    size_t to = byteir_rows_element(rows, row, draw_end(rng, rows->size));
    element_store(element, tensor->data, to, element_load(element, tensor->data, from));
  }
  for (size_t i = 0; i < recipe.nans; i++) {
    size_t place = byteir_rows_element(rows, row, rng_below(rng, rows->size));
    element_store(element, tensor->data, place, special_value_nan(rng, element));
  }
}

void byteir_positions_draw_rows(rng_t *rng, uint32_t axis, case_t *inout_case) {
  const tensor_t *tensor = &inout_case->operands[0];
  byteir_rows_t rows = byteir_rows_make(&tensor->type, axis);
  if (rows.size == 0) return;
  for (size_t row = 0; row < rows.count; row++) draw_row(rng, tensor, &rows, row);
}
