/* SPDX-License-Identifier: Apache-2.0 */
/* A contract: the named permissions under which a verdict is given (oracles/theory.md, D5).
 * Stored with every run, so that a verdict can be judged again years later. */
#ifndef ASSAY_MODEL_CONTRACT_H
#define ASSAY_MODEL_CONTRACT_H

#include <glib.h>
#include <stdint.h>

#include "harness/base/text.h"
#include "harness/num/format.h"

/* The values of each permission, in the order of their spellings in permissions.def. */
enum permission_order { ORDER_IN_ORDER, ORDER_ANY };
enum permission_bits { BITS_ANY, BITS_IDENTIFIED };
enum permission_inferred { INFERRED_NO, INFERRED_YES };
enum permission_init_count { INIT_COUNT_ANY, INIT_COUNT_FEW, INIT_COUNT_ONE };
enum permission_accum_rounding { ACCUM_ROUNDING_RN, ACCUM_ROUNDING_RZ };
enum permission_accum_wider { ACCUM_WIDER_NO, ACCUM_WIDER_YES };
enum permission_fma { FMA_NO, FMA_YES };
enum permission_ftz { FTZ_NONE, FTZ_INPUTS, FTZ_OUTPUTS, FTZ_BOTH };
enum permission_integer_overflow {
  INTEGER_OVERFLOW_WRAP,
  INTEGER_OVERFLOW_SATURATE,
  INTEGER_OVERFLOW_EITHER
};
enum permission_repeat { RUNS_AGREE, RUNS_MAY_DIFFER };
enum permission_zero_sign { ZERO_SIGN_STRICT, ZERO_SIGN_ANY };
enum permission_reduce_types { REDUCE_TYPES_SPEC, REDUCE_TYPES_RFC };
enum permission_intermediate { INTERMEDIATE_WIDE, INTERMEDIATE_NATIVE, INTERMEDIATE_EITHER };
enum permission_accumulation { ACCUMULATION_F32, ACCUMULATION_NATIVE, ACCUMULATION_EITHER };
enum permission_function_range { FUNCTION_RANGE_STRICT, FUNCTION_RANGE_ULPS };
enum permission_byteir { BYTEIR_SEED, BYTEIR_TODAY };
enum permission_shared { SHARED_ONCE, SHARED_EACH };
enum permission_exp_by_exp2 { EXP_BY_EXP2_NO, EXP_BY_EXP2_YES };
/* What a word of precision_config stands for: f32 itself, which every word permits, or operands
 * split into components of a narrower type (harness/kinds/precision_arithmetics.def). */
#define PRECISION_ARITHMETICS "f32<bf16_x9|bf16_x6|tf32_x3|bf16_x3|tf32|bf16|f16"
enum precision_meaning {
  ARITHMETIC_F32,
  ARITHMETIC_BF16_X9,
  ARITHMETIC_BF16_X6,
  ARITHMETIC_TF32_X3,
  ARITHMETIC_BF16_X3,
  ARITHMETIC_TF32,
  ARITHMETIC_BF16,
  ARITHMETIC_F16,
  PRECISION_ARITHMETIC_COUNT
};
enum permission_epsilon { EPSILON_EXACT, EPSILON_ROUNDED, EPSILON_EITHER };

/* Permitted errors of elementary functions.  A faithful one errs by less than one ulp, and returns
 * what the format holds exactly. */
#define ELEMENTARY_ULPS "faithful<1<2<3<4<5<8<16<64<1024"
enum elementary_ulps {
  ULPS_FAITHFUL,
  ULPS_1,
  ULPS_2,
  ULPS_3,
  ULPS_4,
  ULPS_5,
  ULPS_8,
  ULPS_16,
  ULPS_64,
  ULPS_1024
};

/* The elementary functions of elementary.def. */
typedef enum elementary {
#define ELEMENTARY(function, ...) ELEMENTARY_##function,
#include "harness/model/elementary.def"
#undef ELEMENTARY
  ELEMENTARY_COUNT
} elementary_t;

/* A value for each permission, by its index; those that there are not are 0.  An index is the same
 * for all of one build: those of permissions.def are the first, and constants; those of a folder of
 * oracles are objects, which generated/FOLDER_permissions.h declares, so that a row more is the
 * business of that folder and of contract.c alone. */
enum { CONTRACT_PERMISSIONS_MAX = 160 };
typedef struct contract {
  uint8_t values[CONTRACT_PERMISSIONS_MAX];
} contract_t;

enum permission_index {
#define PERMISSION(name, ...) PERMISSION_##name,
#include "harness/model/permissions.def"
#undef PERMISSION
  PERMISSIONS_OF_NO_FOLDER
};

/* For the headers that the build generates. */
#define PERMISSION_DECLARE(name) extern const uint8_t PERMISSION_##name;

/* The value of a permission in the contract that is pointed to; an lvalue. */
#define PERMITTED(contract, name) ((contract)->values[PERMISSION_##name])

/* An implementation may insert the initial value this often at the most where init_count=any: the
 * specification sets no number, and without one an integer sum with an odd initial value could be
 * anything. */
#define CONTRACT_INIT_COUNT_MAX 65536u

/* How often it may enter a reduction of so many terms at the most.  Few: one beside the terms, and
 * one more at each leaf and each node of a tree of these, which has 2 terms + 1. */
static inline uint32_t contract_init_count_max(const contract_t *contract, size_t terms) {
  if (PERMITTED(contract, init_count) == INIT_COUNT_ONE) return 1;
  bool are_few = PERMITTED(contract, init_count) == INIT_COUNT_FEW;
  return are_few && terms < CONTRACT_INIT_COUNT_MAX / 2 - 1 ? 2 * (uint32_t)terms + 2
                                                            : CONTRACT_INIT_COUNT_MAX;
}

/* "spec": the letter of the specification.  "backend": what compilers do in practice; the default.
 * "wide": backend, but 16-bit and 8-bit floats are computed in f32, and what a row shares is, once.
 * "identified": backend, and the bits that the stored profile of the executor predicts. */
contract_t contract_spec(void);
contract_t contract_backend(void);
contract_t contract_wide(void);
contract_t contract_identified(void);

/* "spec", "backend", "wide", "identified", or one of them followed by ",key=value..." or just
 * "key=value,..." over backend. */
status_t contract_parse(str_t text, contract_t *out_contract, failure_t *error);

/* Reads a file: a "contract" key file with one `key = value` a line, in group [contract], with an
 * optional `base = spec|backend|wide|identified`.  STATUS_INVALID if it is not such a file, or
 * cannot be read. */
status_t contract_read_file(const char *path, contract_t *out_contract, failure_t *error);

/* All permissions, "order=any,init_count=any,...": contract_parse() gives it back. */
void contract_print(const contract_t *contract, GString *out_text);

/* How many ulps an elementary function may err by in a format at arguments of at most that
 * magnitude: a number from the table, 1 if it is faithful, and so many more for each unit of the
 * argument where it grows with that; whether it is faithful.  `format` is f64, f32, f16 or bf16.
 *
 * What grows is exp where it may be exp2 of t = x log2(e) (1 + c)(1 + d), c being what is lost by
 * log2(e) in f32, 0.22398 * 2^-24, and |d| <= 2^-24 the rounding of the product: 2^t is e^x (1 +
 * r), |r| <= |x| 1.22398 * 2^-24 (1 + 2^-16) while e^x is in the range of f32, |x| <= 104, and a
 * unit in the last place of e^x is at least 2^-24 of it.  (CUDA documents 2 + floor(1.173 |x|).) */
double contract_elementary_ulps(const contract_t *contract, elementary_t function,
                                const format_t *format, double magnitude);
double contract_elementary_growth(const contract_t *contract, elementary_t function,
                                  const format_t *format);
#define CONTRACT_EXP_MAGNITUDE_MAX 104.0 /* Beyond it exp is 0 or infinite in f32. */
bool contract_elementary_is_faithful(const contract_t *contract, elementary_t function,
                                     const format_t *format);

/* Whether 16-bit floats may be computed with in their own type, and in f32, between the ops of the
 * specification.  (Formulas of composite ops may be computed in f32 under every contract.) */
static inline bool contract_permits_native(const contract_t *contract) {
  return PERMITTED(contract, intermediate) != INTERMEDIATE_WIDE;
}
static inline bool contract_permits_wide(const contract_t *contract) {
  return PERMITTED(contract, intermediate) != INTERMEDIATE_NATIVE;
}

/* The formats that sums and products of `format` may be accumulated in where the program names none
 * for that; at most ACCUMULATIONS_MAX.  Nodes in each of them may be wider as accum_wider says,
 * which covers f32 where its own type is permitted (theory.md, T115). */
enum { ACCUMULATIONS_MAX = 2 };
static inline size_t contract_accumulations(const contract_t *contract, const format_t *format,
                                            const format_t *out_formats[ACCUMULATIONS_MAX]) {
  uint8_t permitted = PERMITTED(contract, accumulation);
  bool is_f32 = format->bits <= 16 && permitted == ACCUMULATION_F32;
  size_t count = 0;
  out_formats[count++] = is_f32 ? &format_table[FORMAT_f32] : format;
  bool is_more = format->bits <= 16 && permitted == ACCUMULATION_EITHER &&
                 PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO;
  if (is_more) out_formats[count++] = &format_table[FORMAT_f32];
  return count;
}

/* Permits elementary functions the largest errors of the table. */
void contract_loosen_elementary(contract_t *contract);

/* The named contract that differs in the fewest permissions, and those: "backend,ftz=both". */
void contract_print_short(const contract_t *contract, GString *out_text);

/* A permission by its name, which must exist: its value; its spellings, counted; the one of a
 * value, in memory that lives for ever. */
uint8_t contract_value(const contract_t *contract, const char *permission);
void contract_set_value(contract_t *contract, const char *permission, uint8_t value);
uint8_t contract_value_count(const char *permission);
const char *contract_spelling(const char *permission, uint8_t value);

/* The value of that spelling, which the permission has. */
uint8_t contract_value_spelled(const char *permission, const char *spelling);

/* Whether a value of a permission permits all that another does, which may be the same.  Contracts
 * are ordered by this: raising a permission never rejects what was accepted (oracles/theory.md,
 * T90). */
bool contract_value_permits(const char *permission, uint8_t looser, uint8_t value);

/* The contract with the values of `other` where these are tighter, or looser, than its own. */
contract_t contract_tightened(const contract_t *contract, const contract_t *other);
contract_t contract_loosened(const contract_t *contract, const contract_t *other);
bool contract_equal(const contract_t *a, const contract_t *b);

/* All permissions, in the order of permissions.def. */
size_t contract_permission_count(void);
const char *contract_permission_name(size_t index);

/* One line per permission: name, values, meaning, value in both contracts; for `assay --help`. */
void contract_print_help(GString *out_text);

/* One line per permission by which "backend" does not accept all that "spec" accepts, and why; and
 * whether its row says so (BACKEND_IS_TIGHTER). */
void contract_print_exceptions(GString *out_text);
bool contract_is_exception(const char *permission);

#endif
