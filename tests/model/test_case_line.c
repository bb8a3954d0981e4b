/* SPDX-License-Identifier: Apache-2.0 */
/* The case line: what is accepted prints back byte for byte, and nothing crashes. */
#include "harness/base/rng.h"
#include "harness/model/op.h"

#define DOT "stablehlo.dot_general batch=[]x[] contract=[1]x[0] "
#define SUM "stablehlo.reduce body=add dims=[0] "

static const char *const valid_lines[] = {
    "stablehlo.dot_general batch=[0]x[0] contract=[2]x[1] f32[1,1,2] f32[1,2,1] -> f32[1,1,1] : "
    "3f80000040000000 : bf800000c0000000",
    "stablehlo.dot_general batch=[]x[] contract=[]x[] precision=[DEFAULT,HIGHEST] i8[] i8[] -> "
    "i32[] : 7f : 80",
    DOT "f16[0,3] f16[3,2] -> f32[0,2] : - : 3c003c003c003c003c003c00",
    DOT
    "complex<f32>[1,1] complex<f32>[1,1] -> complex<f32>[1,1] : 3f80000040000000 : "
    "000000003f800000",
    SUM "f32[3] f32[] -> f32[] : 3f8000004000000040400000 : 80000000",
    SUM "i4[4] i4[] -> i32[] : 78f0 : 0",
    SUM "i1[3] i1[] -> i1[] : 101 : 0",
    SUM "ui2[2] ui2[] -> ui2[] : 30 : 1",
    SUM "f6E3M2FN[2] f6E3M2FN[] -> f64[] : 3f00 : 20",
    SUM "f4E2M1FN[2] f4E2M1FN[] -> f4E2M1FN[] : f1 : 0",
    SUM "ui64[1] ui64[] -> ui64[] : 0123456789abcdef : ffffffffffffffff",
    "stablehlo.reduce body=argmax dims=[1] bf16[1,2] i32[1,2] bf16[] i32[] -> bf16[1] i32[1] : "
    "3f807fc0 : 0000000000000001 : ff80 : 00000000",
    "stablehlo.reduce body=maximum dims=[] f8E4M3FN[] f8E4M3FN[] -> f8E4M3FN[] : 7f : fe",
};

static char *reprint(const case_t *instance) {
  GString *text = g_string_new(NULL);
  case_print(instance, text);
  return g_string_free(text, FALSE);
}

/* Whatever is accepted must print back.  Returns whether it was. */
static bool check_line(str_t line, arena_t *arena) {
  case_t instance;
  const char *violation;
  failure_t error = {.text = ""};
  if (case_parse(line, arena, &instance, &violation, &error) != STATUS_OK) {
    g_assert_cmpstr(error.text, !=, "");
    g_assert_true(g_str_is_ascii(error.text));
    return false;
  }
  g_autofree char *again = reprint(&instance);
  g_autofree char *expected = g_strndup(line.data, line.size);
  g_assert_cmpstr(again, ==, expected);
  return true;
}

static void test_valid(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(valid_lines); i++) {
    g_test_message("%s", valid_lines[i]);
    case_t instance;
    failure_t error = {.text = ""};
    status_t status = case_parse(str_from(valid_lines[i]), &arena, &instance, NULL, &error);
    g_assert_cmpstr(error.text, ==, "");
    g_assert_cmpint(status, ==, STATUS_OK);
    g_assert_true(check_line(str_from(valid_lines[i]), &arena));
    case_t copy = case_copy(&arena, &instance);
    g_autofree char *copied = reprint(&copy);
    g_assert_cmpstr(copied, ==, valid_lines[i]);
  }
  arena_deinit(&arena);
}

static void test_values(void) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  str_t line = str_from(SUM "f16[3] f16[] -> f16[] : 3c00bc00fe01 : 8000");
  g_assert_cmpint(case_parse(line, &arena, &instance, NULL, NULL), ==, STATUS_OK);
  const element_t *f16 = element_named("f16");
  static const uint64_t expected[] = {0x3c00, 0xbc00, 0xfe01};
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_assert_cmphex(element_load(f16, instance.operands[0].data, i), ==, expected[i]);
  }
  g_assert_cmphex(element_load(f16, instance.operands[1].data, 0), ==, 0x8000);
  g_assert_cmpuint((uintptr_t)instance.operands[0].data % 64, ==, 0);
  arena_deinit(&arena);
}

/* Random patterns of every element type, in lengths around the unrolled loops. */
static void test_elements(void) {
  rng_t rng = rng_make(2);
  arena_t arena;
  arena_init(&arena);
  for (size_t e = 0; e < element_count; e++) {
    const element_t *element = &element_table[e];
    if (!element->is_tensor_element) continue;
    for (int64_t size = 0; size < 20; size++) {
      type_t type = type_make(element, 1, &size);
      tensor_t tensor = tensor_make(&arena, &type);
      for (size_t i = 0; i < type_component_count(&type); i++) {
        element_store(element, tensor.data, i, rng_bits(&rng) & element_mask(element));
      }
      g_autoptr(GString) text = g_string_new(NULL);
      tensor_print_data(&tensor, text);
      size_t digits = (size_t)(element->bits + 3) / 4 * type_component_count(&type);
      g_assert_cmpuint(text->len, ==, size == 0 ? 1 : digits);
      scan_t scan = scan_make((str_t){text->str, text->len});
      tensor_t again;
      g_assert_cmpint(tensor_parse_data(&scan, &type, &arena, &again, NULL), ==, STATUS_OK);
      g_assert_true(scan_at_end(&scan));
      g_assert_cmpint(memcmp(again.data, tensor.data, type_bytes(&type)), ==, 0);
    }
  }
  arena_deinit(&arena);
}

static void test_nul_byte(void) {
  arena_t arena;
  arena_init(&arena);
  static const char line[] = "stablehlo.reduce\0body=add";
  case_t instance;
  failure_t error;
  str_t text = {line, sizeof line - 1};
  g_assert_cmpint(case_parse(text, &arena, &instance, NULL, &error), ==, STATUS_INVALID);
  g_assert_cmpstr(error.text, ==, "column 17: byte 0x00: a line is printable ASCII");
  arena_deinit(&arena);
}

/* Under AddressSanitizer this shows that not a byte of it is read. */
static void test_too_long(void) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  failure_t error;
  str_t line = {"", (size_t)CASE_LINE_BYTES_MAX + 1};
  g_assert_cmpint(case_parse(line, &arena, &instance, NULL, &error), ==, STATUS_INVALID);
  g_assert_cmpstr(error.text, ==, "a line of 268435457 bytes is too long: at most 268435456");
  g_assert_null(arena.first);
  arena_deinit(&arena);
}

static void test_violation(void) {
  arena_t arena;
  arena_init(&arena);
  static const struct {
    const char *line;
    const char *violation;
  } rows[] = {
      {SUM "f32[2] f16[] -> f32[] : 0000000000000000 : 0000", "C2"},
      {SUM "f32[2] f32[] -> f16[] : 0000000000000000 : 00000000", "C6"},
      {SUM "f32[2] -> f32[] : 0000000000000000", "C3"},
      {SUM "-> f32[]", "C3"},
      {SUM "!quant.uniform<i8:f32:0,{0x1p+0,0x1p+1}>[2] !quant.uniform<i8:f32,0x1p+0>[] -> "
           "!quant.uniform<i8:f32,0x1p+0>[] : 7f80 : 00",
       "types"},
      {SUM "f32[2] f32[] -> f32[] : 0000000000000000 : 00000000", NULL},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    case_t instance;
    const char *violation = "untouched";
    failure_t error = {.text = ""};
    g_test_message("%s", rows[i].line);
    status_t status = case_parse(str_from(rows[i].line), &arena, &instance, &violation, &error);
    g_assert_cmpstr(error.text, ==, "");
    g_assert_cmpint(status, ==, STATUS_OK);
    g_assert_cmpstr(violation, ==, rows[i].violation);
    g_autofree char *again = reprint(&instance);
    g_assert_cmpstr(again, ==, rows[i].line);
  }
  arena_deinit(&arena);
}

/* Every prefix of a valid line is refused: the fields say how long they are. */
static void test_truncated(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(valid_lines); i++) {
    size_t size = strlen(valid_lines[i]);
    for (size_t cut = 0; cut < size; cut++) {
      g_autofree char *prefix = g_strndup(valid_lines[i], cut);
      g_assert_false(check_line((str_t){prefix, cut}, &arena));
    }
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

/* One edit of a line: a byte replaced, removed, doubled or swapped with another. */
static void edit_line(rng_t *rng, GString *line) {
  static const char usual[] = " :-><=[],x0123456789abcdefi!{}";
  if (line->len == 0) return;
  size_t at = rng_below(rng, line->len);
  size_t other = rng_below(rng, line->len);
  uint64_t choice = rng_below(rng, 5);
  char byte = line->str[at];
  if (choice == 0) {
    line->str[at] = (char)rng_below(rng, 256);
  } else if (choice == 1) {
    line->str[at] = usual[rng_below(rng, sizeof usual - 1)];
  } else if (choice == 2) {
    g_string_erase(line, (gssize)at, 1);
  } else if (choice == 3) {
    g_string_insert_c(line, (gssize)at, line->str[other]);
  } else {
    line->str[at] = line->str[other];
    line->str[other] = byte;
  }
}

static void test_edited(void) {
  rng_t rng = rng_make(3);
  arena_t arena;
  arena_init(&arena);
  g_autoptr(GString) line = g_string_new(NULL);
  int accepted = 0;
  for (int i = 0; i < 60000; i++) {
    g_string_assign(line, valid_lines[rng_below(&rng, G_N_ELEMENTS(valid_lines))]);
    for (uint64_t edits = 1 + rng_below(&rng, 3); edits > 0; edits--) edit_line(&rng, line);
    g_autofree char *exact = g_memdup2(line->str, line->len); /* No byte follows. */
    accepted += check_line((str_t){exact, line->len}, &arena);
    arena_reset(&arena);
  }
  g_assert_cmpint(accepted, >, 1000);
  arena_deinit(&arena);
}

static void test_program(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(valid_lines); i++) {
    g_autofree char *line = g_strdup(valid_lines[i]);
    *strstr(line, " : ") = '\0';
    program_t program;
    g_assert_cmpint(program_parse(str_from(line), &arena, &program, NULL, NULL), ==, STATUS_OK);
    g_autoptr(GString) printed = g_string_new(NULL);
    program_print(&program, printed);
    g_assert_cmpstr(printed->str, ==, line);
    hash_text_t expected = hash_of(line, strlen(line));
    g_assert_cmpstr(program_hash(&program).text, ==, expected.text);
    failure_t error;
    status_t status = program_parse(str_from(valid_lines[i]), &arena, &program, NULL, &error);
    g_assert_cmpint(status, ==, STATUS_INVALID);
    g_assert_nonnull(strstr(error.text, ": expected the end of the line, found \" : "));
  }
  arena_deinit(&arena);
}

static void test_program_types(void) {
  static const struct {
    const char *line;
    const char *types;
  } rows[] = {
      {"stablehlo.reduce body=argmax dims=[0] f32[2] i64[2] f32[] i64[] -> f32[] i64[]",
       "f32,i64,f32,i64->f32,i64"},
      {"stablehlo.dot_general batch=[]x[] contract=[0]x[0] !quant.uniform<i8:f32,0x1p+0:1>[2] "
       "!quant.uniform<i8<-127:127>:f32:1,{0x1p+0,0x1p-3}>[2,2] -> "
       "!quant.uniform<i8:f32,0x1p+0>[2]",
       "quant<i8:f32>,quant<i8:f32:axis>->quant<i8:f32>"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_t arena;
    arena_init(&arena);
    program_t program;
    const char *violation = NULL;
    g_assert_cmpint(program_parse(str_from(rows[i].line), &arena, &program, &violation, NULL), ==,
                    STATUS_OK);
    g_autoptr(GString) types = g_string_new(NULL);
    program_print_types(&program, types);
    g_assert_cmpstr(types->str, ==, rows[i].types);
    arena_deinit(&arena);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/case_line/valid", test_valid);
  g_test_add_func("/case_line/values", test_values);
  g_test_add_func("/case_line/elements", test_elements);
  g_test_add_func("/case_line/nul_byte", test_nul_byte);
  g_test_add_func("/case_line/too_long", test_too_long);
  g_test_add_func("/case_line/violation", test_violation);
  g_test_add_func("/case_line/truncated", test_truncated);
  g_test_add_func("/case_line/edited", test_edited);
  g_test_add_func("/case_line/program", test_program);
  g_test_add_func("/case_line/program_types", test_program_types);
  return g_test_run();
}
