/* SPDX-License-Identifier: Apache-2.0 */
/* One row per op: all that the generator, the codec, the store and the command line ever ask about
 * it.  Rows live in oracles/ops/FAMILY/op/op.c, are written without oracles (no MPFR), and are
 * found by folder: each op.c defines `const op_t *const FAMILY_ops[]`, ended by NULL, and the build
 * joins them. */
#ifndef ASSAY_MODEL_OP_H
#define ASSAY_MODEL_OP_H

#include "harness/base/rng.h"
#include "harness/model/attribute.h"
#include "harness/model/axes.h"
#include "harness/model/case.h"
#include "harness/model/contract.h"
#include "harness/model/draw_limits.h"

/* What a program may break.  The document of the op forbids that, or it does not, and Assay has no
 * meaning for such a program: the program is then *not modelled*, and nobody is blamed for what he
 * makes of it.  Only what is forbidden is ever broken on purpose. */
typedef struct op_constraint {
  const char *id;       /* "C14": a name among the op's constraints. */
  const char *text;     /* What holds of every program that does not break it. */
  const char *clause;   /* Where it is forbidden to break it: "C14", "inputs (I1)".  NULL: nowhere;
                         * Assay models those programs alone that do not break it. */
  const char *document; /* Of the clause; NULL: the op's own (op_t.spec). */

  /* Whether a program that breaks none of the rows above does not break this one either.  It never
   * reads out of bounds, whatever the program holds: that may come from a hostile line.  NULL: no
   * case line can break it, such as a rule on types that it does not name. */
  bool (*holds)(const program_t *program);

  /* Instead, in a table of what depends on the contract. */
  bool (*holds_under)(const program_t *program, const contract_t *contract);
} op_constraint_t;

/* Rows of a table of them, which OP_CONSTRAINTS_END ends.  They stand in the order in which they
 * are asked: what others rely on comes first, and what Assay has no meaning for last, as far as a
 * program that breaks that can be told to break what is forbidden. */
#define OP_SPECIFIED(id, text, holds) {id, text, id, NULL, holds, NULL} /* The document's id. */
#define OP_INHERENT(id, text) {id, text, id, NULL, NULL, NULL}          /* So is this. */
#define OP_FORBIDDEN(id, text, clause, holds) {id, text, clause, NULL, holds, NULL}
#define OP_FORBIDDEN_BY(id, text, clause, document, holds) {id, text, clause, document, holds, NULL}
#define OP_UNMODELLED(id, text, holds) {id, text, NULL, NULL, holds, NULL}
#define OP_CONSTRAINTS_END {NULL, NULL, NULL, NULL, NULL, NULL}

/* The value of op_t.turns: OP_TURNS("exp", "square"). */
#define OP_TURNS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Rows of a table of those that depend on the contract. */
#define OP_SPECIFIED_UNDER(id, text, holds) {id, text, id, NULL, NULL, holds}
#define OP_UNMODELLED_UNDER(id, text, holds) {id, text, NULL, NULL, NULL, holds}
#define OP_FORBIDDEN_UNDER(id, text, clause, holds) {id, text, clause, NULL, NULL, holds}
#define OP_FORBIDDEN_BY_UNDER(id, text, clause, document, holds) \
  {id, text, clause, document, NULL, holds}

/* An attribute as executors get it: "contract" -> "[1]x[0]". */
typedef struct op_attribute {
  const char *key;
  const char *value;
} op_attribute_t;

enum { OP_ATTRIBUTES_MAX = 16 };

/* Which implicit conversions between element types an op without attributes is the definition of.
 */
typedef enum op_conversion {
  OP_CONVERTS_NOTHING,
  OP_CONVERTS_NUMBERS,   /* Unquantized ones. */
  OP_CONVERTS_QUANTIZED, /* Between quantized types. */
} op_conversion_t;

/* What else an op may be taken for: a row with the same attributes and types, which no other table
 * has. */
typedef struct op_meaning {
  const char *name;
  const struct op *op;
} op_meaning_t;

struct oracle;
typedef struct op {
  const char *name;    /* "stablehlo.dot_general": the key in text, corpus, database and CLI. */
  const char *spec;    /* Where its meaning is written: "StableHLO specification, dot_general". */
  const char *summary; /* One line for `assay ops`. */
  size_t attributes_bytes;               /* sizeof the op's own attributes struct. */
  const attribute_row_t *attribute_rows; /* Its members as a table; NULL: it has none. */

  /* All functions of the row but printing are about programs that break none. */
  const op_constraint_t *constraints;

  /* The rules that published texts disagree about, of which the contract names the one to hold;
   * asked of programs that break nothing forbidden above.  NULL if there are none. */
  const op_constraint_t *contract_constraints;

  /* Draws attributes, operand types and result types of a valid program; out_program->op is this
   * row. Covers every element type and attribute that the op allows, with small sizes more likely.
   */
  void (*draw)(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program);

  /* The label that groups findings and counters: "add", "default", "bf16_6x". */
  void (*print_algorithm)(const program_t *program, GString *out_text);

  /* Of an op that implementations compute by several formulas: the permission whose spellings are
   * these formulas, the tightest first; else NULL.  The contract permits those up to its value. */
  const char *formulas;

  /* Permissions about which known implementations differ, the loosest value of each last: what
   * explains a divergence is noted with it.  Ended by NULL; NULL if there are none. */
  const char *const *policies;

  /* What kernels are known to take otherwise than the op's definition has it, in the order in which
   * it is tried as an explanation of wrong results: settings "KEY=VALUE" of attributes, numbers in
   * decimal digits, and of permissions, whose values are alternatives, and "reading=NAME" of a row
   * of `meanings`; several are joined by ",".  Ended by NULL; NULL if there are none. */
  const char *const *readings;
  const op_meaning_t *meanings; /* Ended by one without a name; NULL if there are none. */

  op_conversion_t conversion;

  /* Its meaning is a formula of several steps, each of which may be rounded. */
  bool is_composite;

  /* Its programs are made of those of other ops: `op_all()` leaves it out, what draws of all ops
   * has it too. */
  bool is_compound;

  /* What the oracle knows of it, where that comes with the row (oracles/oracle.h); NULL: it is
   * found by name. */
  const struct oracle *oracle;

  /* The program as one StableHLO module in generic form, with one function `main`. */
  void (*print_mlir)(const program_t *program, GString *out_text);

  /* The same as executors get it: a module of StableHLO as it stands, of several ops perhaps, where
   * print_mlir() has what only a proposal knows.  NULL: print_mlir(). */
  void (*print_mlir_to_run)(const program_t *program, GString *out_text);

  /* One sentence about a valid program: "sums dimensions 0 and 2 of ...". */
  void (*print_words)(const program_t *program, GString *out_text);

  /* The dimensions of operand `operand` over which terms are combined, as a bit mask; generators
   * plant cancellation along them.  NULL if there are none. */
  uint32_t (*reduced_dimensions)(const program_t *program, uint32_t operand);

  /* Zeros among these terms change the result, as they do in a sum of exponentials. */
  bool counts_zeros;

  /* Fills the operands of a valid program with data in which faults of this op in particular show:
   * one regime among those of harness/gen.  May be NULL. */
  void (*draw_edges)(rng_t *rng, case_t *inout_case);

  /* The functions that its elements go through, by their names in harness/draw/turning.def, ended
   * by NULL: generators draw numbers near where these saturate, overflow or become exact.  NULL if
   * it has none of them. */
  const char *const *turns;

  /* Overwrites the operands that the rest of a valid program determines, such as the sizes of its
   * result, however they were drawn.  May be NULL. */
  void (*settle_operands)(rng_t *rng, case_t *inout_case);

  /* True if operand `operand` is an initial value: generators then prefer neutral values.  NULL if
   * the op has none. */
  bool (*is_init_operand)(const program_t *program, uint32_t operand);

  /* True if operands are rounded to other types or split into parts: generators then draw data that
   * show to which.  May be NULL. */
  bool (*splits_operands)(const program_t *program);

  /* The pattern of the op's neutral initial value (0 for add, 1 for multiply, ...) for that
   * operand; called only where is_init_operand() is true. */
  uint64_t (*neutral_bits)(const program_t *program, uint32_t operand);

  /* Of an op that gives one value to several elements of a result, as the processes of a group get
   * of an all_reduce: for each element of that result of a valid program the first of those that
   * have its value, itself if it is that; in the arena.  NULL if the definition has no such
   * elements. */
  const size_t *(*leaders)(const program_t *program, uint32_t result, arena_t *arena);

  /* Optional, both or neither (NULL): without them `assay invariance` leaves the op unchecked.
   * axes() tells which axis each dimension of a valid program runs along; it need not fill in what
   * is zero.  with_axes() gives out_program, a copy of `program`, the attributes and types that
   * have these axes: their sizes and inout_axes->operands are given, inout_axes->results are its to
   * fill in.  Listed attributes have their axes in ascending number, which axes() gives them in the
   * order of the attribute.  axes() of a program that has more axes than AXES_MAX sets their count
   * alone: nothing is told of it. */
  void (*axes)(const program_t *program, axes_t *out_axes);
  void (*with_axes)(const program_t *program, axes_t *inout_axes, arena_t *arena,
                    program_t *out_program);

  /* The same of an op that has neither, for cutting its cases alone (harness/model/cut): which
   * result elements can be judged apart from others.  Axes that are not to be cut are AXIS_TERM,
   * whatever they are; with_part_axes() is never asked to change their sizes, but of those that
   * links make follow others: then it gives the program what the links of inout_axes say. */
  void (*part_axes)(const program_t *program, axes_t *out_axes);
  void (*with_part_axes)(const program_t *program, axes_t *inout_axes, arena_t *arena,
                         program_t *out_program);

  /* Whether the dimensions of a valid program that are "?" where it is compiled can be that.  NULL:
   * its axes tell (harness/model/dynamic/dynamic.h). */
  bool (*fits_dynamic)(const program_t *program);
} op_t;

/* The row called `name`, or NULL; all rows in order of folder, ended by NULL, and those of ops that
 * are made of others. */
const op_t *op_find(str_t name);
const op_t *const *op_all(void);
const op_t *const *op_compound(void);

/* Whether a folder has a row of that name, whatever is declared. */
bool op_has_folder(str_t name);

/* Adds rows, ended by NULL, which live as long as the program, to those that there are.  No two
 * have one name: one caller at a time looks for these before it adds any. */
void op_declare(const op_t *const *rows);

/* The row of that id; NULL for NULL.  The op has it. */
const op_constraint_t *op_constraint_find(const op_t *op, const char *id);

/* Whether that row, if there is one, says that a program is invalid; whether there are lines of
 * such programs too; whether it says that a program is not modelled. */
bool op_constraint_is_forbidden(const op_constraint_t *constraint);
bool op_constraint_is_breakable(const op_constraint_t *constraint);
bool op_constraint_is_unmodelled(const op_constraint_t *constraint);

/* What a constraint says, or "" for an id that the op has not. */
const char *op_constraint_text(const op_t *op, const char *id);

/* What a program is that breaks it: "violates C1 of stablehlo.add: ..." or "is not modelled (...):
 * ...".
 */
void op_constraint_explain(const op_t *op, const op_constraint_t *constraint, GString *out_text);

/* "StableHLO specification, multiply, C1"; "" of one that nothing forbids to break. */
void op_constraint_print_clause(const op_t *op, const op_constraint_t *constraint,
                                GString *out_text);

/* For op_constraint_t.holds of many ops: there is one result, of one operand or of two; the first
 * result has the shape of the first operand; no operand and no result is quantized; all operands
 * have the type of the first result. */
bool program_is_unary(const program_t *program);
bool program_is_binary(const program_t *program);
bool program_keeps_shape(const program_t *program);
bool program_is_plain(const program_t *program);
bool program_has_one_type(const program_t *program);

/* The first of op_t.constraints that the program breaks, or NULL; its id, or NULL. */
const op_constraint_t *program_broken(const program_t *program);
const char *program_broken_id(const program_t *program);

/* `broken`, if that is forbidden, else the first of op_t.contract_constraints that the program
 * breaks under the contract, else `broken`. */
const op_constraint_t *program_broken_under(const program_t *program, const op_constraint_t *broken,
                                            const contract_t *contract);

/* The module that executors get. */
void program_print_mlir_to_run(const program_t *program, GString *out_text);

/* One sentence for `assay show`: what op_t.print_words says of it, or "is no stablehlo.add: it
 * breaks C1", or that Assay does not model it. */
void program_print_words(const program_t *program, GString *out_text);

/* Attributes from and to ` key=value` words, by op_t.attribute_rows; parsing starts at the blank
 * before the first key, stops at the blank before the first operand type, and accepts only the
 * canonical spelling. */
status_t program_parse_attributes(scan_t *scan, arena_t *arena, program_t *inout_program,
                                  failure_t *error);
void program_print_attributes(const program_t *program, GString *out_text);

/* The keys and values of what program_print_attributes() prints, in the arena; returns their count.
 */
size_t op_attributes(const program_t *program, arena_t *arena,
                     op_attribute_t out_attributes[OP_ATTRIBUTES_MAX]);

#endif
