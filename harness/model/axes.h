/* SPDX-License-Identifier: Apache-2.0 */
/* A program seen as loops over independent indices.  Each index runs along one axis; an axis plays
 * a role and is one dimension of some operands and results.  With it, a caller that knows no op can
 * make a case smaller, move its entries about, or lay its operands out otherwise: see op_t.axes. */
#ifndef ASSAY_MODEL_AXES_H
#define ASSAY_MODEL_AXES_H

#include "harness/model/case.h"
#include "harness/types/window_geometry.h"

typedef enum axis_role {
  AXIS_BATCH,  /* Independent problems: entries share no operand elements but initial values. */
  AXIS_ROW,    /* Of the left operand of a product. */
  AXIS_COLUMN, /* Of the right operand of a product. */
  AXIS_TERM,   /* Combined into one result element. */
  AXIS_ROLE_COUNT
} axis_role_t;

enum { AXES_MAX = 2 * TYPE_RANK_MAX };

typedef struct axis {
  axis_role_t role;
  int64_t size;
} axis_t;

/* How the indices that a part needs along one axis follow from those that it has along another,
 * which a result has. */
typedef enum axis_link_kind {
  /* Each index of `of` has a window over the indices of `to`. */
  AXIS_LINK_WINDOWS,
  /* The other way: each index of `to` has a window over those of `of`, and goes to one of these,
   * which all of the window tell. */
  AXIS_LINK_TARGETS,
  /* Both are as many groups, and a group of `of` needs one of `to`.  A part has whole groups, or
   * some of one. */
  AXIS_LINK_GROUPS,
  /* Results know the indices of `of` in the whole, and how many those are: a part, which no text
   * tells then, begins at `first`. */
  AXIS_LINK_PLACES
} axis_link_kind_t;

typedef struct axis_link {
  axis_link_kind_t kind;
  uint32_t of;
  uint32_t to;
  window_t window; /* Of windows and targets: `low` and `high` of a part are its own. */
  int64_t of_each; /* Of groups: indices of one. */
  int64_t to_each;
  int64_t first; /* Of places, in a part. */
} axis_link_t;

/* The axes of the dimensions of one tensor, slowest running first, by their number in axes_t. */
typedef struct axis_list {
  uint32_t count;
  uint32_t axes[TYPE_RANK_MAX];
} axis_list_t;

typedef struct axes {
  uint32_t count;
  axis_t items[AXES_MAX]; /* An axis of size 1 need not be in any list: no tensor then has it. */
  axis_list_t operands[CASE_OPERANDS_MAX];
  axis_list_t results[CASE_RESULTS_MAX];
  /* The attributes list the axes of that role, so that an operand may hold them in any order and
   * the specification still numbers terms and result elements alike.  Otherwise their order in the
   * operand is their order. */
  bool is_listed[AXIS_ROLE_COUNT];
  /* Of op_t.part_axes alone.  No axis is `to` of two links, nor `to` and `of`. */
  uint32_t link_count;
  axis_link_t links[AXES_MAX];
} axes_t;

/* Which of a case's indices a view of it has: from[axis][i] is the index that its index i stands
 * for; NULL: the same index. */
typedef struct axes_selection {
  const size_t *from[AXES_MAX];
} axes_selection_t;

/* False if the op tells nothing about axes, there are more of them than AXES_MAX, or a type has
 * scales along one: a view selects elements, not scales. */
bool axes_of(const program_t *program, axes_t *out_axes);

/* Those by which a case may be cut (op_t.part_axes too).  Scales may run along some: those must be
 * left whole. */
bool axes_of_parts(const program_t *program, axes_t *out_axes);

/* Links windows over axis `to` to axis `of`, which has one index for each, or targets; false where
 * that is more than can be reckoned with: then nothing is linked. */
bool axes_link_windows(axes_t *inout_axes, axis_link_kind_t kind, uint32_t of, uint32_t to,
                       const window_t *window);

/* A type, scales and all, with the sizes of these axes. */
type_t axes_type(const type_t *type, const axes_t *axes, const axis_list_t *list);

/* The place of an axis in a list, or -1. */
int axis_list_find(const axis_list_t *list, uint32_t axis);

bool axis_list_equal(const axis_list_t *a, const axis_list_t *b);

/* The program that has the sizes and operands' layouts of `inout_view`, whose results are filled
 * in, and else is `program`.  False if no valid program has these axes. */
bool axes_program(const program_t *program, axes_t *inout_view, arena_t *arena,
                  program_t *out_program);

/* The case that selects from `instance`, whose axes are `axes`, and lays out what it selects as
 * `inout_view` says: its sizes and its operands are given, its results are filled in.  Both number
 * their axes alike.  False if no valid program has these axes. */
bool axes_view(const case_t *instance, const axes_t *axes, const axes_selection_t *selection,
               axes_t *inout_view, arena_t *arena, case_t *out_case);

/* For each element of result `result` of the view, the element of the case's that stands for it. */
const size_t *axes_result_map(const axes_t *axes, const axes_selection_t *selection,
                              const axes_t *view, uint32_t result, arena_t *arena);

#endif
