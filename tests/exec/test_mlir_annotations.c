/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations in MLIR modules as specs, by known numbers; what exporters write out as one op; and
 * modules that graphs cannot be made of, each refused at its place. */
#include <stdio.h>

#include "tests/exec/mlir_import_test.h"

/* ---- Specs ----------------------------------------------------------------------------------- */

/* An annotation of %x, a tensor<2x3xf32>, that makes %y, and the spec that x gets. */
typedef struct annotated {
  const char *ops;
  const char *spec;
} annotated_t;

#define ARGS(attributes)                                 \
  "%y = \"tf.FakeQuantWithMinMaxArgs\"(%x) {" attributes \
  "} : (tensor<2x3xf32>) -> "                            \
  "tensor<2x3xf32>"
#define PER_CHANNEL(lows, highs, attributes)                               \
  "%l = stablehlo.constant dense<" lows                                    \
  "> : tensor<3xf32>\n"                                                    \
  "%h = stablehlo.constant dense<" highs                                   \
  "> : tensor<3xf32>\n"                                                    \
  "%y = \"tf.FakeQuantWithMinMaxVarsPerChannel\"(%x, %l, %h) {" attributes \
  "} : "                                                                   \
  "(tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>"
#define PAIR(type)                                                             \
  "%q = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x" type \
  ">\n"                                                                        \
  "%y = stablehlo.uniform_dequantize %q : (tensor<2x3x" type ">) -> tensor<2x3xf32>"
#define CASTS(type)                                                  \
  "%q = \"quant.qcast\"(%x) : (tensor<2x3xf32>) -> tensor<2x3x" type \
  ">\n"                                                              \
  "%y = \"quant.dcast\"(%q) : (tensor<2x3x" type ">) -> tensor<2x3xf32>"
#define COMPOSITE(attributes)                                                             \
  "%y = stablehlo.composite \"quant.fake_quant\" %x {composite_attributes = {" attributes \
  "}, decomposition = @same} : (tensor<2x3xf32>) -> tensor<2x3xf32>"
#define TORCH(name, attributes)                           \
  "%y = stablehlo.custom_call @" name "(%x) {" attributes \
  "} : (tensor<2x3xf32>) -> "                             \
  "tensor<2x3xf32>"

/* The ranges of TensorFlow are those of its own tests: without nudging, nudged down and up, and
 * moved to hold 0; with 8 and 4 bits, and narrow. Signed storage is lower by 2^(bits - 1). */
static const annotated_t ANNOTATED[] = {
    {ARGS("min = -10.0 : f32, max = 53.75 : f32"), "!quant.uniform<i8:f32, 0.25:-88>"},
    {ARGS("min = -0.1 : f32, max = 63.65 : f32"), "!quant.uniform<i8:f32, 0.25:-128>"},
    {ARGS("min = -0.125 : f32, max = 63.625 : f32"), "!quant.uniform<i8:f32, 0.25:-127>"},
    {ARGS("min = 0.125 : f32, max = 63.875 : f32"), "!quant.uniform<i8:f32, 0.25:-128>"},
    {ARGS("min = -63.875 : f32, max = -0.125 : f32"), "!quant.uniform<i8:f32, 0.25:127>"},
    {ARGS("min = -10.0 : f32, max = 53.5 : f32, narrow_range = true"),
     "!quant.uniform<i8<-127:127>:f32, 0.25:-87>"},
    {ARGS("min = -0.4 : f32, max = 7.1 : f32, num_bits = 4 : i64"),
     "!quant.uniform<i4:f32, 0.5:-7>"},
    {ARGS("min = -0.5 : f32, max = 15.0 : f32, num_bits = 5 : i64"),
     "!quant.uniform<i8<-16:15>:f32, 0.5:-15>"},
    /* -6 to 6, by default: 6 over the f32 above 12 / 255 is 127.5 in f32. 1 over that above 2 / 255
     * is the number below 127.5. */
    {ARGS(""), "!quant.uniform<i8:f32, 0.0470588244497776>"},
    {ARGS("min = -1.0 : f32, max = 1.0 : f32"), "!quant.uniform<i8:f32, 0.007843137718737125:-1>"},
    {ARGS("min = 0.0 : f32, max = 0.0 : f32"), "!quant.uniform<i8:f32, 1.0:-128>"},
    {PER_CHANNEL("[-0.1, -0.4, -0.125]", "[63.4, 126.6, 63.375]", "narrow_range = true"),
     "!quant.uniform<i8<-127:127>:f32:1, {0.25:-127,0.5:-126,0.25:-126}>"},
    {"%y = \"quant.const_fake_quant\"(%x) {min = -0.5 : f32, max = 127.0 : f32, num_bits = 8 : "
     "i64, "
     "narrow_range = false, is_signed = false} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
     "!quant.uniform<u8:f32, 0.5:1>"},
    {"%y = \"quant.const_fake_quant_per_axis\"(%x) {axis = 0 : i64, min = [0.0 : f32, -1.0 : f32], "
     "max = "
     "[127.5 : f32, 62.75 : f32], num_bits = 8 : i64, is_signed = true} : (tensor<2x3xf32>) -> "
     "tensor<2x3xf32>",
     "!quant.uniform<i8:f32:0, {0.5:-128,0.25:-124}>"},
    {"%y = \"quant.stats\"(%x) {layerStats = dense<[-1.0, 0.5]> : tensor<2xf32>} : "
     "(tensor<2x3xf32>) -> "
     "tensor<2x3xf32>",
     "!quant.calibrated<f32<-1.0:0.5>>"},
    {"%y = \"quant.stats\"(%x) {layerStats = dense<[-1.0, 0.5]> : tensor<2xf32>, axisStats = "
     "dense<[[0.0, 0.75], [-1.5, 0.0]]> : tensor<2x2xf32>, axis = 0 : i64} : (tensor<2x3xf32>) -> "
     "tensor<2x3xf32>",
     "!quant.calibrated<f32<-1.5:0.75>>"},
    {PAIR("!quant.uniform<u8<1:255>:f32, 0.1:7>"),
     "!quant.uniform<u8<1:255>:f32, 0.10000000149011612:7>"},
    {PAIR("!quant.uniform<i8:f32:1, {0.5,0.25:1,0.125}>"),
     "!quant.uniform<i8:f32:1, {0.5,0.25:1,0.125}>"},
    {CASTS("!quant.uniform<i8<-127:127>:f32, 0.5>"), "!quant.uniform<i8<-127:127>:f32, 0.5>"},
    {CASTS("!quant.any<i8<-8:7>:f32>"), "!quant.any<i8<-8:7>:f32>"},
    {CASTS("!quant.calibrated<f32<-0.5:1.5>>"), "!quant.calibrated<f32<-0.5:1.5>>"},
    {COMPOSITE(
         "dtype = \"i8\", narrow_range = false, scale = dense<0.5> : tensor<1xf32>, zero_point = "
         "dense<-128> : tensor<1xi32>"),
     "!quant.uniform<i8:f32, 0.5:-128>"},
    {COMPOSITE("dtype = \"i8\", narrow_range = true, quantization_dimension = 0 : i32, scale = "
               "[0.5, 0.25], "
               "zero_point = [0, 0]"),
     "!quant.uniform<i8<-127:127>:f32:0, {0.5,0.25}>"},
    {COMPOSITE("dtype = i4, storage_type_min = -7, storage_type_max = 7, scale = dense<0.25> : "
               "tensor<1xf32>, "
               "zero_point = dense<1> : tensor<1xi64>"),
     "!quant.uniform<i4<-7:7>:f32, 0.25:1>"},
    {COMPOSITE("dtype = \"i8\", narrow_range = false, scale = dense<> : tensor<0xf64>, zero_point "
               "= dense<> : "
               "tensor<0xi64>"),
     "!quant.any<i8:f32>"},
    /* What the decomposition captures stands in front. */
    {"%c = stablehlo.constant dense<1.0> : tensor<f32>\n%y = stablehlo.composite "
     "\"quant.fake_quant\" %c, %x "
     "{composite_attributes = {dtype = \"i8\", narrow_range = false, scale = [0.5], zero_point = "
     "[1]}, decomposition "
     "= @captures} : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
     "!quant.uniform<i8:f32, 0.5:1>"},
    {TORCH(
         "torch.fake_quantize_per_tensor_affine",
         "scale = 0.5 : f64, zero_point = 3 : i64, quant_min = -128 : i64, quant_max = 127 : i64"),
     "!quant.uniform<i8:f32, 0.5:3>"},
    {TORCH("aten.fake_quantize_per_channel_affine",
           "scale = [0.5, 0.25, 1.0], zero_point = [3, 4, 5], axis = 1 : i64, quant_min = 0 : i64, "
           "quant_max = "
           "15 : i64"),
     "!quant.uniform<u4:f32:1, {0.5:3,0.25:4,1.0:5}>"},
    {"%q = stablehlo.custom_call @quantized_decomposed.quantize_per_tensor(%x) {scale = 0.5 : f64, "
     "zero_point = "
     "3 : i64, quant_min = -127 : i64, quant_max = 127 : i64} : (tensor<2x3xf32>) -> "
     "tensor<2x3xi8>\n"
     "%y = stablehlo.custom_call @quantized_decomposed.dequantize_per_tensor(%q) {scale = 0.5 : "
     "f64} : "
     "(tensor<2x3xi8>) -> tensor<2x3xf32>",
     "!quant.uniform<i8<-127:127>:f32, 0.5:3>"},
    /* Of two the finer holds: statistics are a hint beside parameters. */
    {"%s = \"quant.stats\"(%x) {layerStats = dense<[-1.0, 0.5]> : tensor<2xf32>} : "
     "(tensor<2x3xf32>) -> "
     "tensor<2x3xf32>\n%q = \"quant.qcast\"(%s) : (tensor<2x3xf32>) -> "
     "tensor<2x3x!quant.uniform<i8:f32, "
     "0.5>>\n%y = \"quant.dcast\"(%q) : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> "
     "tensor<2x3xf32>",
     "!quant.uniform<i8:f32, 0.5>"},
};

#define TEMPLATE                                                                               \
  "func.func @main(%%x: tensor<2x3xf32>, %%k: tensor<2x3xf32>) -> tensor<2x3xf32> {\n%s\n"     \
  "%%z = stablehlo.add %%y, %%k : tensor<2x3xf32>\nreturn %%z : tensor<2x3xf32>\n}\n"          \
  "func.func private @same(%%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"                       \
  "return %%x : tensor<2x3xf32>\n}\n"                                                          \
  "func.func private @captures(%%c: tensor<f32>, %%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n" \
  "return %%x : tensor<2x3xf32>\n}\n"

/* Both texts of specs, read and printed: scales are decimals of f32 here. */
static char *canonical(const char *spec, arena_t *arena) {
  scan_t scan = scan_make(str_from(spec));
  quant_spec_t parsed;
  failure_t error = {0};
  if (quant_spec_parse(&scan, arena, &parsed, &error) != STATUS_OK) g_error("%s", error.text);
  GString *text = g_string_new(NULL);
  quant_spec_print(&parsed, text);
  return g_string_free(text, FALSE);
}

static void test_specs(void) {
  if (skips()) return;
  for (size_t i = 0; i < G_N_ELEMENTS(ANNOTATED); i++) {
    arena_t arena;
    arena_init(&arena);
    g_autofree char *module = g_strdup_printf(TEMPLATE, ANNOTATED[i].ops);
    quant_graph_t graph = must_import(module, &arena);
    g_test_message("%s", ANNOTATED[i].ops);
    g_autoptr(GString) got = g_string_new(NULL);
    quant_spec_print(&graph.values[graph.inputs[0]].spec, got);
    g_autofree char *expected = canonical(ANNOTATED[i].spec, &arena);
    g_assert_cmpstr(got->str, ==, expected);
    g_assert_cmpuint(graph.region_count, ==, 1); /* The addition: annotations are no ops. */
    arena_deinit(&arena);
  }
}

/* ---- Modules and their graphs ---------------------------------------------------------------- */

static char *read_fixture(const char *name) {
  g_autofree char *path =
      g_build_filename(ASSAY_SOURCE_DIR, "tests", "fixtures", "mlir", name, NULL);
  char *text = NULL;
  GError *error = NULL;
  if (!g_file_get_contents(path, &text, NULL, &error)) g_error("%s", error->message);
  return text;
}

/* NAME.mlir is read as NAME.graph says. */
static void test_fixture(gconstpointer data) {
  if (skips()) return;
  g_autofree char *module_name = g_strconcat(data, ".mlir", NULL);
  g_autofree char *graph_name = g_strconcat(data, ".graph", NULL);
  g_autofree char *module = read_fixture(module_name);
  g_autofree char *text = read_fixture(graph_name);
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = must_import(module, &arena), expected;
  failure_t error = {0};
  if (quant_graph_parse(str_from(text), &arena, &expected, &error) != STATUS_OK) {
    g_error("%s: %s", graph_name, error.text);
  }
  g_autoptr(GString) got = g_string_new(NULL), wanted = g_string_new(NULL);
  quant_graph_print(&graph, got);
  quant_graph_print(&expected, wanted);
  g_assert_cmpstr(got->str, ==, wanted->str);
  arena_deinit(&arena);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

typedef struct refused {
  const char *module;
  const char *message;
} refused_t;

#define FUNCTION "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
#define END "return %y : tensor<2xf32>\n}\n"
#define UNARY(op) FUNCTION "  %y = " op " : (tensor<2xf32>) -> tensor<2xf32>\n" END
#define REGION(attributes, types)                                                    \
  FUNCTION                                                                           \
  "%y = \"quant.region\"(%x) ({\n^bb0(%a: tensor<2xf32>):\n\"quant.return\"(%a) : (" \
  "tensor<2xf32>) -> ()\n}) {" attributes "} : " types "\n" END
#define SAME "(tensor<2xf32>) -> tensor<2xf32>"

static const refused_t REFUSED[] = {
    {"", "1:1: the module has no function; write one func.func"},
    {"module {\n  func.func",
     "2:12: custom op 'func.func' expected valid '@'-identifier for symbol name"},
    {"graph g\ninput x f32[2]\n", "1:1: custom op 'graph' is unknown"},
    {"ML\xEFR\x01", "1:1: MLIR cannot read this bytecode: "},
    {"module {\n  // nothing (\n  func.func @main(%x: tensor<2xf32> loc(\"x\"\n",
     "3:40: '(' is never closed"},
    {"func.func @a(%x: tensor<f32>) -> tensor<f32> {\nreturn %x : tensor<f32>\n}\n"
     "func.func @b(%x: tensor<f32>) -> tensor<f32> {\nreturn %x : tensor<f32>\n}\n",
     "1:1: a graph is made of one public function, or of @main; here: @a, @b"},
    {"func.func private @main(tensor<f32>) -> tensor<f32>\n",
     "1:1: @main is declared and has no body"},
    {"func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\nreturn %x : tensor<?xf32>\n}\n",
     "1:1: argument 0 of @main: tensor<?xf32> has a dimension of unknown size"},
    {"func.func @main(%x: tensor<2xindex>) -> tensor<2xindex> {\n%y = stablehlo.add %x, %x : "
     "tensor<2xindex>\n"
     "return %y : tensor<2xindex>\n}\n",
     "2:6: 'stablehlo.add' op"},
    {"func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {\nreturn %x : tensor<*xf32>\n}\n",
     "1:1: argument 0 of @main: graphs have tensors of known sizes, and no tensor<*xf32>"},
    {FUNCTION "  cf.br ^next\n^next:\n  %y = stablehlo.negate %x : tensor<2xf32>\n" END,
     "1:1: @main has 2 blocks: graphs know no control flow"},
    {FUNCTION "  %y = \"stablehlo.reduce\"(%x) ({\n  }) : (tensor<2xf32>) -> tensor<2xf32>\n" END,
     "2:8: "},
    {FUNCTION "return %x : tensor<2xf32>\n}\n", "2:1: %x is returned as it came"},
    {FUNCTION "  %y = stablehlo.cbrt %x : tensor<2xf32>\n" END,
     "2:8: expected an op (`assay ops` lists them"},
    {UNARY("\"stablehlo.cholesky\"(%x) {lower = true}"), "2:8: "},
    {UNARY("stablehlo.custom_call @mine.op(%x)"),
     "2:8: stablehlo.custom_call mine.op: graphs know no such op"},
    {UNARY("\"my.op\"(%x)"), "2:8: my.op: graphs know no such op"},
    {UNARY("stablehlo.custom_call @byteir.softmax(%x) {byteir_attrs = {axis = 0 : i64, scale = 2.0 "
           ": f32}}"),
     "2:8: stablehlo.custom_call byteir.softmax: it has an attribute scale, of which nothing is "
     "known"},
    {UNARY("stablehlo.custom_call @byteir.softmax(%x) {byteir_attrs = {axis = 7 : i64}}"),
     "2:8: violates axis of byteir.softmax"}, /* From the graph's parser, of the module's line. */
    {UNARY("\"tf.FakeQuantWithMinMaxArgs\"(%x) {min = 1.0 : f32, max = 0.5 : f32}"),
     "2:8: tf.FakeQuantWithMinMaxArgs: its range, 1 to 0.5, is not two finite numbers, the smaller "
     "first"},
    {UNARY("\"tf.FakeQuantWithMinMaxArgs\"(%x) {num_bits = 17 : i64}"),
     "2:8: tf.FakeQuantWithMinMaxArgs: num_bits is 2 to 16, not 17"},
    {FUNCTION "%l = stablehlo.constant dense<0.0> : tensor<f32>\n%m = stablehlo.reshape %x : "
              "(tensor<2xf32>) -> "
              "tensor<2xf32>\n%y = \"tf.FakeQuantWithMinMaxVars\"(%x, %l, %m) : (tensor<2xf32>, "
              "tensor<f32>, "
              "tensor<2xf32>) -> tensor<2xf32>\n" END,
     "4:6: tf.FakeQuantWithMinMaxVars: its max is computed: an annotation is constant"},
    {UNARY("\"quant.stats\"(%x) {axis = 0 : i64}"),
     "2:8: quant.stats: it does not say its layerStats"},
    {UNARY("\"quant.stats\"(%x) {layerStats = dense<[1.0, -1.0]> : tensor<2xf32>}"),
     "2:8: quant.stats: layerStats, 1 to -1, are not two finite numbers, the smaller first"},
    {FUNCTION
     "%q = stablehlo.custom_call @quantized_decomposed.quantize_per_tensor(%x) {scale = 0.5 : f64, "
     "zero_point = 0 : i64, quant_min = -128 : i64, quant_max = 127 : i64} : (tensor<2xf32>) -> "
     "tensor<2xi8>\n%y = stablehlo.convert %q : (tensor<2xi8>) -> tensor<2xf32>\n" END,
     "2:6: stablehlo.custom_call quantized_decomposed.quantize_per_tensor: its integers are used "
     "by "
     "stablehlo.convert"},
    {UNARY("stablehlo.custom_call @torch.fake_quantize_per_tensor_affine(%x) {scale = -0.5 : f64, "
           "zero_point = 0 : "
           "i64, quant_min = 0 : i64, quant_max = 255 : i64}"),
     "2:8: stablehlo.custom_call torch.fake_quantize_per_tensor_affine: -0.5 is no scale"},
    {REGION("input_specs = [unit], output_specs = [unit]", SAME),
     "2:6: quant.region: it does not say its kernel: write kernel = \"NAME\""},
    {REGION("kernel = \"k\", input_specs = [unit, unit]", SAME),
     "2:6: quant.region: input_specs is a list of one spec for each of 1"},
    {REGION("kernel = \"k\", input_specs = [3 : i64]", SAME),
     "2:6: quant.region: a spec is a type or unit, not 3 : i64"},
    {REGION("kernel = \"k\", input_specs = [!quant.uniform<i8:f16, 0.5>]", SAME),
     "2:6: region y: input x: the spec is of f16, the tensor's elements are f32"},
    {REGION("kernel = \"k\"", "(tensor<2xf32>) -> tensor<3xf32>"),
     "6:8: use of value '%y' expects different type"},
    {FUNCTION "%y = quant.region (%x) { quant.return %x } kernel = \"k\" : " SAME "\n" END,
     "2:44: expected ':' before the types of quant.region, found 'kernel = \"k\"'"},
    {FUNCTION "%y = quant.region %x { quant.return %x } {kernel = \"k\"} : " SAME "\n" END,
     "2:19: expected '(' before the operands of quant.region, found '%x { quant.r'"},
    {FUNCTION
     "%y = quant.region (%x) { %z = stablehlo.negate %x : tensor<2xf32> } {kernel = \"k\"} : " SAME
     "\n" END,
     "2:24: a quant.region ends with quant.return"},
    {"func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {\n"
     "%y = quant.region (%x) {\n%z = stablehlo.add %x, %w : tensor<2xf32>\nquant.return %z } "
     "{kernel = \"k\"} : " SAME "\n" END,
     "3:6: stablehlo.add: it uses %w, which is no operand of the region"},
    {FUNCTION "%y = call @f(%x) : " SAME "\n" END
              "func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
              "%y = call @f(%x) : " SAME "\n" END,
     "6:6: calls of @f are over 64 deep"},
};

static void test_refused(void) {
  if (skips()) return;
  for (size_t i = 0; i < G_N_ELEMENTS(REFUSED); i++) {
    arena_t arena;
    arena_init(&arena);
    quant_graph_t graph;
    failure_t error = {0};
    status_t status = import_graph(REFUSED[i].module, &arena, &graph, &error);
    g_test_message("%s", error.text);
    if (status != STATUS_INVALID || !g_str_has_prefix(error.text, REFUSED[i].message)) {
      g_error("%s\ngives \"%s\", not \"%s\"", REFUSED[i].module, error.text, REFUSED[i].message);
    }
    arena_deinit(&arena);
  }
}

/* Sums of exponentials along the dimensions, which stand in the result along those of `place`. */
#define SHARES(along, sums, place)                                                       \
  "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"                          \
  "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"                                   \
  "%e = stablehlo.exponential %x : tensor<2x2xf32>\n"                                    \
  "%s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [" along \
  "] : (tensor<2x2xf32>, tensor<f32>) -> " sums                                          \
  "\n"                                                                                   \
  "%b = stablehlo.broadcast_in_dim %s, dims = [" place "] : (" sums                      \
  ") -> tensor<2x2xf32>\n"                                                               \
  "%y = stablehlo.divide %e, %b : tensor<2x2xf32>\nreturn %y : tensor<2x2xf32>\n}\n"

/* Whether the graph of a module has a softmax. */
static bool has_softmax(const char *module) {
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = must_import(module, &arena);
  g_autoptr(GString) text = g_string_new(NULL);
  quant_graph_print(&graph, text);
  arena_deinit(&arena);
  return strstr(text->str, "softmax") != NULL;
}

/* Nearly a softmax: sums along all dimensions, and sums of rows that stand along columns. */
static void test_softmax(void) {
  if (skips()) return;
  g_assert_true(has_softmax(SHARES("1", "tensor<2xf32>", "0")));
  g_assert_false(has_softmax(SHARES("0, 1", "tensor<f32>", "")));
  g_assert_false(has_softmax(SHARES("1", "tensor<2xf32>", "1")));
}

/* Cut off anywhere, a module is refused, or what is left is one: nothing ends the process. */
static void test_truncated(void) {
  if (skips()) return;
  g_autofree char *module = read_fixture("seed_region.mlir");
  size_t size = strlen(module);
  for (size_t length = 0; length < size; length += 7) {
    arena_t arena;
    arena_init(&arena);
    g_autofree char *part = g_strndup(module, length);
    quant_graph_t graph;
    failure_t error = {0};
    g_assert_cmpint(import_graph(part, &arena, &graph, &error), ==, STATUS_INVALID);
    unsigned line, column;
    g_assert_cmpint(sscanf(error.text, "%u:%u: ", &line, &column), ==, 2);
    arena_deinit(&arena);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  open_importer();
  g_test_add_func("/mlir-annotations/specs", test_specs);
  g_test_add_data_func("/mlir-annotations/fixtures/annotations", "annotations", test_fixture);
  g_test_add_data_func("/mlir-annotations/fixtures/seed-region", "seed_region", test_fixture);
  g_test_add_data_func("/mlir-annotations/fixtures/patterns", "patterns", test_fixture);
  g_test_add_data_func("/mlir-annotations/fixtures/calls", "calls", test_fixture);
  g_test_add_func("/mlir-annotations/refused", test_refused);
  g_test_add_func("/mlir-annotations/softmax", test_softmax);
  g_test_add_func("/mlir-annotations/truncated", test_truncated);
  int status = g_test_run();
  mlir_importer_close(importer);
  return status;
}
