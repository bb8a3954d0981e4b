/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a large case.  A case whose op tells its axes (op_t.axes, or part_axes) is cut along
 * those that are not combined and have no scales, its free axes: into blocks, ranges of indices
 * that together are the whole; or into chosen units.  A unit is all result elements with one index
 * along each free axis: an element of a product, a row of a softmax, a channel of a batch norm, an
 * element of a convolution.
 *
 * A part is a case of the same op, whose elements have the accept sets that they have in the whole
 * (oracles/theory.md, T211 and T233), given oracle_call_t.whole_count.  What windows over an
 * operand need is a range of it too (axis_link_t): blocks have as much of it as their own windows
 * reach. Where source elements go to places that windows select, a block has all of these windows,
 * and so more result elements than its own: those others, its margin, say nothing. */
#ifndef ASSAY_MODEL_CUT_CUT_H
#define ASSAY_MODEL_CUT_CUT_H

#include "harness/model/axes.h"

enum {
  /* A block has no more, if it can have less: components of all results, and elements of all
   * operands.  The first is what accept sets take memory for, some 80 bytes each. */
  CUT_COMPONENTS_MAX = 1 << 15,
  CUT_OPERANDS_MIN = 1 << 18, /* Or an eighth of the whole, if that is more ... */
  CUT_OPERANDS_MAX = 1 << 22, /* ... but not more than this. */
};

/* How a program is cut. */
typedef struct cut {
  axes_t axes;
  uint32_t free_count;
  uint32_t free[AXES_MAX]; /* Numbers of axes, slowest running in the first result first. */
  size_t unit_count;
  int64_t chunk[AXES_MAX]; /* Of blocks, the size along each axis; the last ones may be smaller. */
  size_t block_count;
  bool joins_units; /* A case can have several units that are no block; else one alone. */
} cut_t;

/* False if the program cannot be cut: its op tells no axes, all of them have scales, sizes are
 * known only when it runs, or a result has no element of its own for each unit. */
bool cut_init(const program_t *program, cut_t *out_cut);

/* The largest size, up to `size`, that blocks can have along a free axis: any, but for groups. */
int64_t cut_fit_chunk(const cut_t *cut, uint32_t axis, int64_t size);

/* Counts the blocks anew where somebody has chosen other chunks, which fit. */
void cut_count_blocks(cut_t *inout_cut);

/* A case with the results that came, which are those of the caller. */
typedef struct cut_subject {
  const case_t *instance;
  const tensor_t *results;
} cut_subject_t;

/* Whether a part has the types of the whole, but for sizes. */
bool cut_keeps_types(const program_t *whole, const program_t *part);

/* A range of indices along each axis. */
typedef struct cut_range {
  int64_t first[AXES_MAX];
  int64_t size[AXES_MAX];
} cut_range_t;

/* Where a block lies: what its case has along each axis, and what of that is its own.  Its links
 * have the padding of its windows. */
typedef struct cut_block {
  int64_t first[AXES_MAX];
  int64_t size[AXES_MAX];
  cut_range_t own;
  bool has_margin; /* Some of it is not. */
  bool is_placed;  /* It is told by its place in the whole, and no line of text tells that. */
  axis_link_t links[AXES_MAX];
} cut_block_t;

/* The block whose own are these indices along free axes, within chunks that fit, and all along
 * others. */
cut_block_t cut_block_make(const cut_t *cut, const cut_range_t *own);

/* Block `number` of cut->block_count, and the number of the one that has a component of a result,
 * or a unit. */
cut_block_t cut_block(const cut_t *cut, size_t number);
size_t cut_block_of(const cut_t *cut, const program_t *program, uint32_t result, size_t component);
size_t cut_block_of_unit(const cut_t *cut, size_t unit);

/* The block of one unit. */
cut_block_t cut_unit_block(const cut_t *cut, size_t unit);

/* Nonzero in the components of a result of a block, whose type is `type`, that are not its own; in
 * the arena.  NULL: all are. */
const uint8_t *cut_margin(const cut_t *cut, const cut_block_t *block, const type_t *type,
                          uint32_t result, arena_t *arena);

/* The block with its results, in the arena; dense ranges are borrowed.  False if a block would be
 * no valid program, within the bounds of type_check(). */
bool cut_take_block(const cut_t *cut, const cut_subject_t *subject, const cut_block_t *block,
                    arena_t *arena, case_t *out_case, tensor_t out_results[CASE_RESULTS_MAX]);

/* The component of the whole that component `component` of result `result` of a block is; the other
 * way, of one that it has. */
size_t cut_block_to_whole(const cut_t *cut, const cut_block_t *block, const program_t *program,
                          uint32_t result, size_t component);
size_t cut_whole_to_block(const cut_t *cut, const cut_block_t *block, const program_t *program,
                          uint32_t result, size_t component);

/* The unit that an element of a result of the whole belongs to, by its row-major index among the
 * free axes. */
size_t cut_unit_of(const cut_t *cut, uint32_t result, size_t element);

/* Sets to 1 the components of a result of a block, whose type is `type`, that belong to a unit of
 * the whole that lies in it. */
void cut_mark_unit(const cut_t *cut, const cut_block_t *block, const type_t *type, uint32_t result,
                   size_t unit, uint8_t *inout_marks);

/* Elements of the largest operand that one unit needs, and components that it has. */
size_t cut_unit_terms(const cut_t *cut, const program_t *program);
size_t cut_unit_components(const cut_t *cut, const program_t *program);

/* Units, by their numbers. */
typedef struct cut_units {
  const size_t *items;
  size_t count;
} cut_units_t;

/* A case that has these units, in this order, and its results; in the arena.  False if there is
 * none, within the bounds of type_check(): of a cut that joins none there is one of one unit, its
 * block. */
bool cut_take_units(const cut_t *cut, const cut_subject_t *subject, const cut_units_t *units,
                    arena_t *arena, case_t *out_case, tensor_t out_results[CASE_RESULTS_MAX]);

/* The component of the whole that a component of a case of these units is. */
size_t cut_units_to_whole(const cut_t *cut, const cut_units_t *units, const program_t *program,
                          uint32_t result, size_t component);

#endif
