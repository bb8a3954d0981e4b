/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that a file declares (harness/docs/ops/op-files.md has the grammar): their signature, and
 * their meaning as a graph of steps.  Sizes have names, the indices: a step runs along those of its
 * operands, and what runs along fewer is repeated along the others.  A row of op_t, with what the
 * file says behind it, lives as long as the program. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_DECLARED_H
#define ASSAY_ORACLES_OPS_DECLARED_DECLARED_H

#include "harness/model/op.h"

enum {
  DECLARED_INDICES_MAX = 12,
  DECLARED_ATTRIBUTES_MAX = 4,
  DECLARED_VALUES_MAX = 8, /* Of an attribute, to draw from. */
  DECLARED_STEPS_MAX = 200,
  DECLARED_FORMULAS_MAX = 4,
  DECLARED_READINGS_MAX = 8,
  DECLARED_READING_BYTES_MAX = 40,
  DECLARED_FACTORS_MAX = 3,       /* Indices that one dimension joins. */
  DECLARED_NUMBERS_MAX = 1 << 24, /* In one step of a problem. */
  DECLARED_FILE_BYTES_MAX = 1 << 20,
};

/* Its size is the same in all operands and results; of a group, which stands for any number of
 * dimensions, that of all of these. */
typedef struct declared_index {
  const char *name;
  size_t line;   /* Of the file, where it stands first. */
  int64_t fixed; /* Its size, or 0 for any. */
  bool is_group;
} declared_index_t;

typedef struct declared_dimension {
  uint32_t count;
  uint8_t indices[DECLARED_FACTORS_MAX]; /* The last one runs fastest. */
  int8_t position; /* The attribute that says which dimension this is; or -1. */
} declared_dimension_t;

typedef struct declared_tensor {
  const char *name;
  size_t line; /* Of the file. */
  uint32_t count;
  declared_dimension_t dimensions[TYPE_RANK_MAX];
  uint32_t mask;            /* Of its indices. */
  const element_t *element; /* The type that it always has, of a quantized one the storage type;
                             * NULL: a float that programs choose. */
  bool is_quantized;        /* It expresses the float that programs choose, */
  int8_t channel;           /* with a scale for each place along that index; -1: with one scale. */
  int8_t below;             /* Its integers are places along that index, or -1. */
  int8_t gathers;           /* The index along which they are taken as places, or -1. */
  bool is_scale; /* Something is quantized by them as scales, so that they are positive; */
  const element_t *zero_of; /* by them as zero points of that storage type; or NULL. */
} declared_tensor_t;

typedef enum attribute_kind {
  ATTRIBUTE_NUMBER,
  ATTRIBUTE_POSITION,
  ATTRIBUTE_INTEGER, /* Of i64. */
  ATTRIBUTE_BOOLEAN,
} attribute_kind_t;

typedef struct declared_attribute {
  const char *name;
  attribute_kind_t kind;
  uint32_t count;
  double values[DECLARED_VALUES_MAX]; /* Of a number. */
  int64_t integers[DECLARED_VALUES_MAX];
} declared_attribute_t;

typedef enum step_kind {
  STEP_OPERAND,   /* Number `a` of the operands. */
  STEP_NUMBER,    /* `decimal`. */
  STEP_ATTRIBUTE, /* Number `a` of the attributes. */
  STEP_COUNT,     /* The size of index `index`. */
  STEP_ADD,
  STEP_SUBTRACT,
  STEP_MULTIPLY,
  STEP_DIVIDE, /* Of integers without the fraction. */
  STEP_NEGATE,
  STEP_MAXIMUM,
  STEP_SQUARE_ROOT,
  STEP_INVERSE_SQUARE_ROOT,
  STEP_FUNCTION,   /* `function`. */
  STEP_STORED,     /* Step `a`, rounded before anything is added to it. */
  STEP_NORMALIZED, /* Step `a`; where the contract permits it, rounded to the operands' type. */
  STEP_EITHER,     /* The same number by one of two ways. */
  STEP_SUM,        /* Of step `a` over the indices of `over`; likewise: */
  STEP_LARGEST,
  STEP_ONLINE_SUM,
  STEP_SHARES,  /* Each divided by the sum over these, or multiplied by its inverse. */
  STEP_PICK,    /* Those of step `a` at `place` of index `index`. */
  STEP_STACK,   /* Steps `a` and `b` side by side along index `index`. */
  STEP_INDEX,   /* The place of each along index `index`, from 0: of i64. */
  STEP_COMPARE, /* Of two floats, or two integers: by `comparison`, a boolean. */
  STEP_SELECT,  /* Step `b` where `a` is true, else step `c`. */
  STEP_CONVERT, /* Step `a` as one of `type`; of a float, to `format` and back. */
  STEP_MINIMUM, /* Of integers and booleans alone, from here on. */
  STEP_AND,
  STEP_OR,
  STEP_XOR,
  STEP_NOT,
  STEP_SHIFT_LEFT,
  STEP_SHIFT_RIGHT,
  STEP_SMALLEST,   /* As STEP_LARGEST. */
  STEP_GATHER,     /* Numbers of step `a` at the places along index `index` that step `b` gives. */
  STEP_DEQUANTIZE, /* Operand `a`, which is quantized, as floats; */
  STEP_STORAGE,    /* as the integers that are stored. */
  STEP_SCALE,      /* Of operand or result `a`, as declared_tensor() numbers them; likewise: */
  STEP_ZERO_POINT,
  STEP_REMAINDER,
  STEP_ROUND,       /* Step `a`, a float, as the nearest integer of `type`; of two, the even one. */
  STEP_SCATTER_ADD, /* Step `a` with those of step `b` along `over` added to it, at the places */
  STEP_SCATTER_REPLACE, /* along index `index` that step `c` gives; or in the place of it. */
  STEP_QUANTIZE, /* Step `a`, a float, as what is stored of it in type `storage`, by the scale that
                  * step `b` is, an operand, attribute or number, and the zero point of step `c`. */
} step_kind_t;

static inline bool step_scatters(step_kind_t kind) {
  return kind == STEP_SCATTER_ADD || kind == STEP_SCATTER_REPLACE;
}

typedef enum step_comparison {
  STEP_LESS,
  STEP_LESS_EQUAL,
  STEP_EQUAL,
  STEP_NOT_EQUAL,
} step_comparison_t;

typedef struct step {
  step_kind_t kind;
  uint16_t a, b, c;
  const element_t *type;        /* Of integers and booleans; NULL: floats, of the steps' type. */
  const format_t *format;       /* Of conversions to floats; NULL: the steps'. */
  const element_t *storage;     /* Of STEP_QUANTIZE. */
  step_comparison_t comparison; /* With `a` on the left. */
  uint32_t mask;                /* The indices that it runs along. */
  uint32_t over;
  uint8_t index;
  int64_t place;
  /* Of STEP_GATHER and STEP_SCATTER_*: the file says that places are below the size of the index;
   * of one that is not, nothing is known.  Else places are cut to those there are, or what is
   * scattered to others is left out. */
  bool is_bounded;
  bool is_normalized; /* STEP_NORMALIZED, or made of one. */
  bool keeps_unknown; /* Of STEP_CONVERT: an integer that may be any becomes any float. */
  elementary_t function;
  const char *decimal;
} step_t;

typedef struct declared_formula {
  const char *name; /* NULL of the only one of an op without a permission. */
  uint32_t step_count;
  step_t steps[DECLARED_STEPS_MAX];
  uint16_t results[CASE_RESULTS_MAX];
  bool is_running; /* It has an online sum; */
  bool has_normal; /* STEP_NORMALIZED. */
} declared_formula_t;

typedef struct declaration declaration_t;
struct declaration {
  op_t op; /* The first member: a program leads here by its op. */
  const char *path;
  const char *text;            /* The whole file. */
  uint32_t types;              /* Bits by number of a float type, see declared_types. */
  uint32_t float_result_count; /* Results of floats come first. */
  bool has_integers;           /* Some step is of integers or booleans; */
  bool has_integer_operands;   /* some operand is of integers; */
  bool has_quantized;          /* some operand or result is quantized; */
  bool compares_floats;        /* some floats are compared, or converted to integers. */
  uint32_t index_count, attribute_count, operand_count, result_count, formula_count;
  declared_index_t indices[DECLARED_INDICES_MAX];
  declared_attribute_t attributes[DECLARED_ATTRIBUTES_MAX];
  attribute_row_t attribute_rows[DECLARED_ATTRIBUTES_MAX + 1];
  declared_tensor_t operands[CASE_OPERANDS_MAX];
  declared_tensor_t results[CASE_RESULTS_MAX];
  declared_formula_t formulas[DECLARED_FORMULAS_MAX];
  uint32_t inner;    /* Indices that a problem of the oracle runs along; the others tell problems
                      * apart. */
  uint32_t combined; /* Indices along which sums and their like are taken. */
  uint32_t nonempty; /* Indices along which numbers are gathered, or which have scales: none of them
                      * has size 0. */
  uint32_t channels; /* Those of them that have scales: their sizes are at most TYPE_SCALES_MAX. */
  bool is_elementwise;
  /* Sections "reading NAME": declarations of the same signature, and their rows, ended by one
   * without a name. */
  uint32_t reading_count;
  declaration_t *readings[DECLARED_READINGS_MAX];
  op_meaning_t meanings[DECLARED_READINGS_MAX + 1];
  arena_t arena; /* Of all this. */
};

static inline const declaration_t *declared_of(const program_t *program) {
  return (const declaration_t *)program->op;
}

/* The indices that tell problems apart: all results run along them. */
static inline uint32_t declared_outer(const declaration_t *declaration) {
  return declaration->results[0].mask & ~declaration->inner;
}

/* The float types that operands and results may have or express, all the same one; ended by NULL.
 */
extern const char *const declared_types[];

/* op/part_axes.c: op_t.part_axes and with_part_axes. */
void declared_part_axes(const program_t *program, axes_t *out_axes);
void declared_with_part_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                             program_t *out_program);

/* The sizes of a program. */
typedef struct binding {
  size_t extent[DECLARED_INDICES_MAX]; /* Of a group the product. */
  dimension_list_t group[DECLARED_INDICES_MAX];
} binding_t;

/* An operand by its number, or behind CASE_OPERANDS_MAX a result, and its type in a program. */
static inline const declared_tensor_t *declared_tensor(const declaration_t *declaration,
                                                       uint16_t number) {
  return number < CASE_OPERANDS_MAX ? &declaration->operands[number]
                                    : &declaration->results[number - CASE_OPERANDS_MAX];
}
static inline const type_t *declared_type(const program_t *program, uint16_t number) {
  return number < CASE_OPERANDS_MAX ? &program->operands[number]
                                    : &program->results[number - CASE_OPERANDS_MAX];
}

/* The dimension along which a tensor of a program that is bound has scales, or -1. */
int32_t declared_channel_dimension(const declaration_t *declaration, const binding_t *binding,
                                   const declared_tensor_t *tensor);

/* Finds them.  Returns false if the shapes do not fit the signature. */
bool declared_bind(const program_t *program, binding_t *out_binding);

/* How far apart in a tensor neighbours along an index are; 0 if it does not run along that. */
void declared_strides(const declared_tensor_t *tensor, const binding_t *binding,
                      size_t out_strides[DECLARED_INDICES_MAX]);

/* The product of the sizes of the indices in `mask`. */
size_t declared_extent(const declaration_t *declaration, const binding_t *binding, uint32_t mask);

/* For every tuple along the indices of `over`, ascending but for those of `last`, which run
 * fastest: what strides make of it: declared_extent() of them, in the arena. */
size_t *declared_offsets(const declaration_t *declaration, const binding_t *binding, uint32_t over,
                         uint32_t last, const size_t strides[DECLARED_INDICES_MAX], arena_t *arena);

/* Of a part of a case (op_t.part_axes), which no line of text tells: where its indices begin in the
 * whole, and how many the whole has; 0 and 0 where nothing was cut.  A program has one for each
 * index behind its attributes. */
typedef struct declared_origin {
  int64_t first;
  int64_t whole;
} declared_origin_t;
declared_origin_t declared_origin(const program_t *program, uint8_t index);

/* What an attribute is in a program. */
double declared_number(const program_t *program, uint32_t attribute);
int64_t declared_integer(const program_t *program, uint32_t attribute); /* Or boolean: 0, 1. */
int64_t declared_position(const program_t *program, uint32_t attribute);

/* Reads a declaration.  `path` is for messages: "FILE:LINE:COLUMN: what to type".  It is for
 * declared_free(), which the rows of a program are never given to. */
status_t declared_parse(str_t text, const char *path, declaration_t **out_declaration,
                        failure_t *error);

void declared_free(declaration_t *declaration);

/* op/meaning.c: what follows from the steps. */
void declared_analyse(declaration_t *inout_declaration);

/* Whether two tensors have the same indices in the same dimensions. */
bool declared_has_same_dimensions(const declared_tensor_t *a, const declared_tensor_t *b);

/* op/op.c: fills in the row of the op. */
void declared_make_row(declaration_t *inout_declaration);

/* op/draw.c, op/print_mlir.c: functions of the row. */
void declared_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program);
void declared_draw_quantization(rng_t *rng, arena_t *arena, const element_t *expressed,
                                program_t *inout_program); /* op/draw_quantized.c */
void declared_draw_edges(rng_t *rng, case_t *inout_case);  /* op/edges.c, and: */
void declared_settle(rng_t *rng, case_t *inout_case);
void declared_print_mlir(const program_t *program, GString *out_text);
/* op/axes.c: whether there are axes to tell, and these. */
bool declared_tells_axes(const declaration_t *declaration);
void declared_axes(const program_t *program, axes_t *out_axes);
void declared_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                        program_t *out_program);

#endif
