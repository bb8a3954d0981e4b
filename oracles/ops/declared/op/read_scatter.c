/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what is scattered along an index: "scatter_add(table, rows over N at V=ids)". */
#include "oracles/ops/declared/op/reader.h"

static const char usage[] =
    "numbers are scattered along an index to places that integers give: \"scatter_add(table, rows "
    "over N at V=ids)\", or \"scatter(...)\" for those that replace what is there";

/* "N M at": the indices of the updates that tell one from another. */
static status_t read_over(reader_t *reader, uint32_t *out_over) {
  if (!reader_accept(reader, "over ")) {
    return reader_fail(reader, reader->scan.cursor, "expected \"over\": %s", usage);
  }
  while (!reader_accept(reader, "at ")) {
    reader_skip_blanks(reader);
    const char *at = reader->scan.cursor;
    int index = reader_find_index(reader, reader_word(reader));
    if (index < 0) {
      return reader_fail(reader, at, "expected an index of the signature or \"at\": %s", usage);
    }
    *out_over |= 1U << index;
  }
  return STATUS_OK;
}

static status_t read_index(reader_t *reader, step_t *inout_step) {
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  int index = reader_find_index(reader, reader_word(reader));
  if (index < 0 || reader->declaration->indices[index].is_group) {
    return reader_fail(reader, at, "expected an index of the signature, no group: %s", usage);
  }
  inout_step->index = (uint8_t)index;
  STATUS_TRY(reader_expect(reader, "="));
  return STATUS_OK;
}

/* The updates, and where they go, run along the indices of "over", what is scattered to along none
 * of them; nothing but that along the index of the places. */
static status_t check_masks(const reader_t *reader, const char *at, const step_t *step) {
  const uint32_t of_base = reader_step(reader, step->a)->mask;
  const uint32_t of_updates = reader_step(reader, step->b)->mask;
  const uint32_t of_places = reader_step(reader, step->c)->mask, bit = 1U << step->index;
  for (uint32_t i = 0; i < reader->declaration->index_count; i++) {
    const char *name = reader->declaration->indices[i].name;
    bool is_over = (step->over >> i & 1) != 0;
    if (is_over && (of_base >> i & 1) != 0) {
      return reader_fail(reader, at, "what is scattered to runs along %s, which is taken over: %s",
                         name, usage);
    }
    if (is_over && ((of_updates | of_places) >> i & 1) == 0) {
      return reader_fail(reader, at, "neither what is scattered nor its places run along %s: %s",
                         name, usage);
    }
  }
  if (step->over == 0 || ((of_updates | of_places | step->over) & bit) != 0) {
    return reader_fail(reader, at,
                       "what is scattered, and its places, do not run along the index of the "
                       "places, and are taken over some other: %s",
                       usage);
  }
  return STATUS_OK;
}

status_t reader_scatter(reader_t *reader, const char *at, step_kind_t kind, uint16_t *out_step) {
  step_t step = {.kind = kind};
  STATUS_TRY(reader_expect(reader, "("));
  STATUS_TRY(reader_expression(reader, &step.a));
  STATUS_TRY(reader_expect(reader, ","));
  STATUS_TRY(reader_expression(reader, &step.b));
  STATUS_TRY(read_over(reader, &step.over));
  STATUS_TRY(read_index(reader, &step));
  reader_skip_blanks(reader);
  const char *places_at = reader->scan.cursor;
  STATUS_TRY(reader_expression(reader, &step.c));
  STATUS_TRY(reader_require_places(reader, places_at, step.c));
  STATUS_TRY(reader_expect(reader, ")"));
  STATUS_TRY(reader_match(reader, at, "scatter", &step.a, &step.b));
  if (kind == STEP_SCATTER_ADD) {
    STATUS_TRY(reader_require_number(reader, at, "scatter_add", step.a));
  }
  STATUS_TRY(check_masks(reader, at, &step));
  const step_t *base = reader_step(reader, step.a), *updates = reader_step(reader, step.b);
  const step_t *places = reader_step(reader, step.c);
  const declared_tensor_t *operands = reader->declaration->operands;
  step.is_bounded = places->kind == STEP_OPERAND && operands[places->a].below == (int8_t)step.index;
  step.mask = base->mask | 1U << step.index | ((updates->mask | places->mask) & ~step.over);
  step.type = base->type;
  return reader_add_step(reader, step, out_step);
}
