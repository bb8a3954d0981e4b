/* SPDX-License-Identifier: Apache-2.0 */
/* Files of declared ops that are refused: where the mistake is, and what to type, which is
 * taken. */
#include "tests/ops/declared/declared_file.h"

typedef struct refused {
  const char *text;
  const char *message;
} refused_t;

#define SIGNATURE "op a.b\nsummary s\noperand x[N]\nresult y[N]\n"
#define SCATTER "op a.b\nsummary s\noperand x[V]\noperand u[N]\noperand i[N] i32\nresult y[V]\n"
#define SCATTERED                                                                                 \
  "numbers are scattered along an index to places that integers give: \"scatter_add(table, rows " \
  "over N at V=ids)\", or \"scatter(...)\" for those that replace what is there"
static const refused_t refused[] = {
    {"", "x.op:1:1: the file ends without \"op PREFIX.NAME\""},
    {"op a.b\n", "x.op:2:1: the file ends without \"summary TEXT\""},
    {"summary s\n", "x.op:1:1: the first line names the op: \"op PREFIX.NAME\""},
    {"op silu\n",
     "x.op:1:4: an op is called PREFIX.NAME, of letters, digits and '_': \"op nn.silu\""},
    {"op byteir.softmax\n", "x.op:1:4: there is an op byteir.softmax already; choose another name"},
    {"op a.b\nop a.c\n", "x.op:2:1: a file declares one op; put the other in a file of its own"},
    {"op a.b\ntypes f32 i32\n", "x.op:2:11: expected some of f16, bf16, f32, f64"},
    {"op a.b\noperand X[N]\n",
     "x.op:2:9: expected the name of an operand, which begins with a small letter"},
    {"op a.b\noperand x[n]\n",
     "x.op:2:11: expected an index, which begins with a capital letter, found \"n]\""},
    {"op a.b\noperand x[N\n", "x.op:2:12: expected \"]\", found the end of the line"},
    {"op a.b\noperand x[N, N]\n", "x.op:2:14: N stands here twice"},
    {"op a.b\noperand x[N]\noperand z[N...]\n",
     "x.op:3:11: N stands without \"...\" elsewhere; write it so here too"},
    {"op a.b\noperand x[A..., B...]\n",
     "x.op:2:11: of two groups \"...\" the sizes are not known; put a dimension with a position "
     "between them: \"[B..., N@axis, A...]\""},
    {"op a.b\noperand x[N@axis]\n",
     "x.op:2:13: expected an attribute that is a position: \"attribute axis position\""},
    {"op a.b\nattribute e word\n",
     "x.op:2:13: expected \"number VALUE ...\", \"integer VALUE ...\", \"boolean\" or "
     "\"position\", found \"word\""},
    {"op a.b\nattribute e number -1\n",
     "x.op:2:20: expected numbers that are 0 or positive, among which cases are drawn: "
     "\"attribute epsilon number 1e-5 0\""},
    {"op a.b\nindex P = 0\n", "x.op:2:11: expected a size from 1 to 1024"},
    {"op a.b\nformulas sofmax\n",
     "x.op:2:10: no permission \"sofmax\" (`assay help contracts` lists them); its values name the "
     "formulas"},
    {"op a.b\nwhat x\n",
     "x.op:2:1: expected op, summary, types, attribute, index, operand, result, formulas, formula "
     "or \"NAME = ...\""},
    {SIGNATURE, "x.op:5:1: the file ends without \"y = ...\""},
    {SIGNATURE "z = x + 1\n", "x.op:6:1: nothing says what result y is; write \"y = ...\""},
    {SIGNATURE "y = x +\n",
     "x.op:5:8: expected a value, a number, a function or \"(\", found the end of the line"},
    {SIGNATURE "y = x ^ 2\n", "x.op:5:7: expected the end of the line, found \"^ 2\""},
    {SIGNATURE "y = w * x\n",
     "x.op:5:5: no value \"w\": neither an operand, nor an attribute that is no position, nor a "
     "line "
     "above"},
    {SIGNATURE "y = sinh(x)\n",
     "x.op:5:5: no function \"sinh\"; there are exp, exp2, log, erf, tanh, sqrt, rsqrt, logistic, "
     "max, min, stored, normalized, either, sum, mean, online_sum, stack, count, position, select, "
     "convert, "
     "round, remainder, storage, scale, zero_point, scatter_add, scatter, quantize, dequantize, "
     "and, or, xor, not, shift_left, shift_right"},
    {SIGNATURE "y = exp(x, x)\n", "x.op:5:5: exp has 1 argument here, not 2"},
    {SIGNATURE "y = sum(x)\n", "x.op:5:5: sum is taken over indices: \"sum(... over N)\""},
    {SIGNATURE "y = sum(x over M)\n",
     "x.op:5:16: expected an index of the signature, found \"M\"; name one as in \"sum(x over "
     "N)\""},
    {SIGNATURE "s = sum(x over N)\ny = sum(s over N)\n",
     "x.op:6:5: the argument of sum does not run along N; leave it out of \"over\""},
    {SIGNATURE "y = sum(x over N)\n",
     "x.op:5:1: result y does not run along the indices of its declaration: compute it along these "
     "and no others"},
    {SIGNATURE "y = x\n", "x.op:5:1: result y is an operand as it is: nothing is computed"},
    {SIGNATURE "x = x + 1\n", "x.op:5:1: \"x\" is known already; choose another name"},
    {SIGNATURE "y = x[N=0]\n",
     "x.op:5:7: expected an index of fixed size that the value runs along, as in \"x[P=0]\" with "
     "\"index P = 2\", or integers as places along any: \"table[V=ids]\""},
    {SIGNATURE "y = x[N]\n", "x.op:5:8: expected \"=\", found \"]\""},
    {SIGNATURE "y = x[N=x]\n",
     "x.op:5:9: places along an index are integers, and this is a float: write \"convert(..., "
     "i32)\""},
    {SIGNATURE "y = x[M=position(N)]\n",
     "x.op:5:7: expected an index of fixed size that the value runs along, as in \"x[P=0]\" with "
     "\"index P = 2\", or integers as places along any: \"table[V=ids]\""},
    {"op a.b\noperand x[N]\noperand i[N] i32 below v\n",
     "x.op:3:24: expected an index, no group, below whose size the integers are: \"operand ids[S] "
     "i32 below V\""},
    {"op a.b\nsummary s\noperand x[N]\noperand i[N] i32 below V\nresult y[N]\ny = x + 1\n",
     "x.op:4:1: no operand and no result runs along index V, so that its size is not known; give "
     "it one above, as in \"index V = 2\""},
    {"op a.b\noperand x[N]\noperand i[N] f32 below N\n",
     "x.op:3:24: integers are below the size of an index: give it such a type"},
    {SIGNATURE "y = x\t+ 1\n", "x.op:5:6: byte 0x09: a line is printable ASCII, blanks no tabs"},
    {SIGNATURE "operand z[N]\ny = x * z\nresult w[N]\n",
     "x.op:7:1: expected \"NAME = ...\": the signature ends where the meaning begins"},
    {"op a.b\nsummary s\noperand x[N]\nresult y[M]\ny = x + 1\n",
     "x.op:5:1: result y does not run along the indices of its declaration: compute it along these "
     "and no others"},
    {SCATTER "y = scatter(x, u over N)\n",
     "x.op:7:24: expected an index of the signature or \"at\": " SCATTERED},
    {SCATTER "y = scatter(x, u at V=i)\n", "x.op:7:18: expected \"over\": " SCATTERED},
    {SCATTER "y = scatter(x, u over N at N=i)\n",
     "x.op:7:5: what is scattered, and its places, do not run along the index of the places, and "
     "are taken over some other: " SCATTERED},
    {SCATTER "y = scatter(x, u over V at V=i)\n",
     "x.op:7:5: what is scattered to runs along V, which is taken over: " SCATTERED},
    {SCATTER "y = scatter(x, 1 over N at V=3)\n",
     "x.op:7:30: places along an index are integers, and this is a float: write \"convert(..., "
     "i32)\""},
    {SCATTER "y = scatter(x, i over N at V=i)\n",
     "x.op:7:5: scatter stands between a float and i32: write \"convert(..., float)\""},
    {SIGNATURE "y = quantize(x, f32, 1, 0)\n",
     "x.op:5:17: expected what quantized numbers are stored as, one of i4, ui4, i8, ui8, i16, "
     "ui16, i32: \"operand x[N] quantized i8\", \"quantize(x, i8, s, z)\""},
    {SIGNATURE "y = convert(quantize(x, i8, x * 2, 0), float)\n",
     "x.op:5:13: the scale of quantize is a positive number, an operand or attribute of floats, or "
     "scale(x), and no sum or product of these"},
    {SIGNATURE "y = convert(quantize(x, i8, 0, 0), float)\n",
     "x.op:5:13: the scale of quantize is a positive number, an operand or attribute of floats, or "
     "scale(x), and no sum or product of these"},
    {SIGNATURE "y = convert(quantize(x, i8, 1, 200), float)\n",
     "x.op:5:13: i8 has no 200 here: write one of its numbers, or convert"},
    {SIGNATURE "y = convert(quantize(x, i8, 1, x), float)\n",
     "x.op:5:13: quantize takes integers or booleans, and this is a float: write \"convert(a, "
     "i32)\" "
     "or compare it"},
    {"op a.b\nattribute e number 1\noperand x[N]\nresult y[N]\ne = x + 1\n",
     "x.op:5:1: \"e\" is an attribute; choose another name"},
    {"op a.b\nattribute e number 0x10\n",
     "x.op:2:20: expected numbers that are 0 or positive, among which cases are drawn: "
     "\"attribute epsilon number 1e-5 0\""},
    {"op byteir.mine\n", "x.op:1:4: ops with prefix \"byteir.\" are not declared; choose another"},
    {"op a.b\nsummary s\nindex P = 2\noperand x[A, B, C, D, E, F, G, H]\nresult y[A]\n"
     "z = stack(x, x over P)\n",
     "x.op:6:23: a step runs along more than 8 indices; split the op in two"},
};

#define INTEGERS "op a.b\nsummary s\noperand x[N]\noperand i[N] i32\noperand t[N] i1\nresult y[N]\n"
#define QUANTIZED \
  "op a.b\nsummary s\noperand x[N] quantized i8\noperand v[N]\nresult y[N] quantized i8\n"
static const refused_t refused_types[] = {
    {INTEGERS "y = x + i\n",
     "x.op:7:7: \"+\" stands between a float and i32: write \"convert(..., float)\""},
    {INTEGERS "y = select(i < x, x, 0)\n",
     "x.op:7:14: \"<\" stands between i32 and a float: write \"convert(..., float)\""},
    {INTEGERS "y = select(i < convert(i, i8), x, 0)\n",
     "x.op:7:14: \"<\" stands between i32 and i8: write \"convert(..., i32)\""},
    {INTEGERS "y = select(i, x, 0)\n",
     "x.op:7:5: select takes a boolean first, and this is i32: write \"a != 0\""},
    {INTEGERS "y = select(t, x, i)\n",
     "x.op:7:5: select stands between a float and i32: write \"convert(..., float)\""},
    {INTEGERS "y = exp(i)\n",
     "x.op:7:5: exp takes floats, and this is i32: write \"convert(a, float)\""},
    {INTEGERS "y = mean(t over N)\n",
     "x.op:7:5: mean takes floats, and this is i1: write \"select(a, 1, 0)\""},
    {INTEGERS "y = convert(t / t, float)\n",
     "x.op:7:15: \"/\" takes numbers, and this is a boolean: write and, or, xor, not, or "
     "\"convert(a, i32)\""},
    {INTEGERS "y = convert(i / 0, float)\n",
     "x.op:7:15: an integer divided by 0 may be any: divide by another number, or convert to float "
     "first"},
    {INTEGERS "y = convert(remainder(i, 0), float)\n",
     "x.op:7:13: an integer divided by 0 may be any: divide by another number, or convert to float "
     "first"},
    {INTEGERS "y = remainder(x, x)\n",
     "x.op:7:5: remainder takes integers or booleans, and this is a float: write \"convert(a, "
     "i32)\" or compare it"},
    {INTEGERS "y = convert(round(i, i8), float)\n",
     "x.op:7:13: round takes floats, and this is i32: write \"convert(a, float)\""},
    {INTEGERS "y = round(x, bf16)\n",
     "x.op:7:5: round gives integers: \"round(a, i32)\"; a float is rounded to a type of floats "
     "by convert"},
    {INTEGERS "y = convert(t + t, float)\n",
     "x.op:7:15: \"+\" takes numbers, and this is a boolean: write and, or, xor, not, or "
     "\"convert(a, i32)\""},
    {INTEGERS "y = select(and(x, t), x, 0)\n",
     "x.op:7:12: and stands between a float and i1: write \"convert(..., float)\""},
    {INTEGERS "y = select(not(x), x, 0)\n",
     "x.op:7:12: not takes integers or booleans, and this is a float: write \"convert(a, i32)\" or "
     "compare it"},
    {INTEGERS "y = convert(i + 0.5, float)\n",
     "x.op:7:15: i32 has no 0.5 here: write one of its numbers, or convert"},
    {INTEGERS "y = convert(i + 2147483648, float)\n",
     "x.op:7:15: i32 has no 2147483648 here: write one of its numbers, or convert"},
    {INTEGERS "y = select(t == 1, x, 0)\n",
     "x.op:7:14: i1 has no 1 here: write one of its numbers, or convert"},
    {INTEGERS "y = convert(x, i1)\n", "x.op:7:5: nothing is converted to i1: write \"a != 0\""},
    {INTEGERS "y = convert(i, i33)\n",
     "x.op:7:16: expected a type, one of i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, "
     "f32, f64, or float for that of the program"},
    {INTEGERS "y = convert(i)\n", "x.op:7:14: expected \",\", found \")\""},
    {INTEGERS "y = i\n", "x.op:7:1: result y is an operand as it is: nothing is computed"},
    {INTEGERS "y = i + 1\n",
     "x.op:7:1: result y is a float, and this is i32: write \"convert(..., float)\""},
    {INTEGERS "y = x * convert(position(M), float)\n",
     "x.op:7:26: expected an index of the signature, found \"M\"; name one as in \"sum(x over "
     "N)\""},
    {"op a.b\nsummary s\noperand x[B..., N]\nresult y[B..., N]\ny = x * convert(position(B), "
     "float)\n",
     "x.op:5:17: position is along one index, and no group of them: \"position(N)\""},
    {"op a.b\noperand x[N] f64\n",
     "x.op:2:14: floats have the type that a program chooses (\"types\"), or f32; leave the type "
     "out"},
    {"op a.b\nsummary s\noperand x[N]\nresult i[N] i8\nresult y[N]\ny = x + 1\n",
     "x.op:5:1: result y is of floats: declare it above those that are not"},
    {"op a.b\nsummary s\ntypes f64\noperand x[N] f32\nresult y[N]\ny = x + 1\n",
     "x.op:1:1: beside operands and results that are of f32 or quantized there are no programs of "
     "f64: \"types f16 bf16 f32\""},
    {"op a.b\noperand x[N] quantized i64\n",
     "x.op:2:24: expected what quantized numbers are stored as, one of i4, ui4, i8, ui8, i16, "
     "ui16, i32: \"operand x[N] quantized i8\", \"quantize(x, i8, s, z)\""},
    {"op a.b\noperand x[N] quantized\n",
     "x.op:2:23: expected what quantized numbers are stored as, one of i4, ui4, i8, ui8, i16, "
     "ui16, i32: \"operand x[N] quantized i8\", \"quantize(x, i8, s, z)\""},
    {"op a.b\noperand x[A..., N] quantized i8 by A\n",
     "x.op:2:36: expected an index that is a dimension here, each place of which has a scale: "
     "\"operand w[K, N] quantized i8 by N\""},
    {"op a.b\nsummary s\ntypes f64\noperand x[N] quantized i8\nresult y[N]\ny = x + 1\n",
     "x.op:1:1: beside operands and results that are of f32 or quantized there are no programs of "
     "f64: \"types f16 bf16 f32\""},
    {QUANTIZED "y = storage(y)\n", "x.op:6:13: expected the name of a quantized operand"},
    {QUANTIZED "y = x * scale(v)\n",
     "x.op:6:15: expected the name of a quantized operand or result"},
    {QUANTIZED "y = x + storage(x)\n",
     "x.op:6:7: \"+\" stands between a float and i32: write \"convert(..., float)\""},
    {QUANTIZED "y = convert(storage(x), i8)\n",
     "x.op:6:1: result y is quantized, and this is i8: give it a float, or i32 to be stored"},
    {"op a.b\nattribute w integer 1.5\n",
     "x.op:2:21: expected integers of i64, among which cases are drawn: \"attribute window integer "
     "1 "
     "4 -1\""},
};

static void check_refused(const refused_t *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    failure_t error = {.text = ""};
    declaration_t *declaration = NULL;
    status_t status = declared_parse(str_from(rows[i].text), "x.op", &declaration, &error);
    g_assert_cmpstr(error.text, ==, rows[i].message);
    g_assert_cmpint(status, ==, STATUS_INVALID);
  }
}

static void test_refused(void) {
  check_refused(refused, G_N_ELEMENTS(refused));
  check_refused(refused_types, G_N_ELEMENTS(refused_types));
}

/* What the messages say to type is taken, and drawn. */
static const char *const taken[] = {
    "y = x + convert(i, float)\n",
    "y = select(convert(i, float) < x, x, 0)\n",
    "y = select(i < convert(convert(i, i8), i32), x, 0)\n",
    "y = select(i != 0, x, 0)\n",
    "y = exp(convert(i, float))\n",
    "y = x * mean(select(t, 1, 0) over N)\n",
    "y = convert(i, float) / 2\n",
    "y = select(xor(t, not(t)), x, 0)\n",
    "y = x + convert(sum(convert(t, i32) over N), float)\n",
    "y = convert(i + 2147483647, float)\n",
    "y = x * convert(position(N), float)\n",
    "y = convert(i / 2, float)\n",
    "y = convert(remainder(i, 2), float)\n",
    "y = convert(round(x, i32), float)\n",
    "y = x[N=i]\n",
    "y = x[N = convert(x, i32)]\n",
};

static void test_taken(void) {
  rng_t rng = rng_make(1);
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(taken); i++) {
    g_autofree char *text = g_strconcat(INTEGERS, taken[i], NULL);
    declaration_t *declaration = declare(text);
    case_t instance = draw_valid_case(&rng, &declaration->op, 32, &arena);
    g_assert_cmpstr(program_broken_id(&instance.program), ==, NULL);
    arena_reset(&arena);
    release(declaration);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/declared_refused/refused", test_refused);
  g_test_add_func("/declared_refused/taken", test_taken);
  return g_test_run();
}
