/* SPDX-License-Identifier: Apache-2.0 */
/* Contracts from words and files. */
#include <glib/gstdio.h>

#include "harness/model/contract.h"

/* Permitted errors of elementary functions, in ulps of f64, f32, f16 and bf16. */
#define ULPS(f, f64, f32, f16, bf16) \
  "," #f "_f64=" #f64 "," #f "_f32=" #f32 "," #f "_f16=" #f16 "," #f "_bf16=" #bf16
#define FAITHFUL(function) ULPS(function, faithful, faithful, faithful, faithful)
#define SPEC_ULPS \
  FAITHFUL(exp)   \
  FAITHFUL(exp2) FAITHFUL(log) FAITHFUL(erf) FAITHFUL(erfc) FAITHFUL(tanh) FAITHFUL(rsqrt)
#define SHORT_FAITHFUL(f, f64, f32) ULPS(f, f64, f32, faithful, faithful)
#define BACKEND_ULPS         \
  SHORT_FAITHFUL(exp, 3, 3)  \
  SHORT_FAITHFUL(exp2, 3, 3) \
  SHORT_FAITHFUL(log, 3, 4)  \
  SHORT_FAITHFUL(erf, 5, 5)  \
  SHORT_FAITHFUL(erfc, 16, 16) SHORT_FAITHFUL(tanh, 5, 5) SHORT_FAITHFUL(rsqrt, 2, 2)

#define F32 "highest_precision=f32,high_precision=f32,default_precision=f32,"
#define SPEC                                                                                      \
  "order=in-order,bits=any,inferred=no,repeat=same,init_count=any,accum_rounding=rn,accum_wider=" \
  "no,fma=no,"                                                                                    \
  "ftz=none,"                                                                                     \
  "integer_overflow=either,zero_sign=strict,reduce_types=spec,intermediate=native,"               \
  "accumulation=native," F32                                                                      \
  "function_range="                                                                               \
  "strict,byteir=today,"                                                                          \
  "epsilon=exact,exp_by_exp2=no,shared=each" SPEC_ULPS
#define BACKEND_WITH(bits, inits, short_floats, shared)               \
  "order=any,bits=" bits ",inferred=no,repeat=same,init_count=" inits \
  ",accum_rounding=rn,accum_wider=yes,fma=yes,ftz=none,"              \
  "integer_"                                                          \
  "overflow=either,"                                                  \
  "zero_sign=strict,reduce_types=spec," short_floats "," F32          \
  "function_range=strict,byteir=today,"                               \
  "epsilon="                                                          \
  "either,exp_by_exp2=no,shared=" shared BACKEND_ULPS
#define EITHER "intermediate=either,accumulation=either"
#define BACKEND BACKEND_WITH("any", "any", EITHER, "each")
#define IDENTIFIED BACKEND_WITH("identified", "any", EITHER, "each")
#define WIDE BACKEND_WITH("any", "few", "intermediate=wide,accumulation=f32", "once")

static void check_prints(const contract_t *contract, const char *expected) {
  g_autoptr(GString) text = g_string_new(NULL);
  contract_print(contract, text);
  g_assert_true(g_str_has_prefix(text->str, expected)); /* Those of op families come last. */
  contract_t again;
  g_assert_cmpint(contract_parse(str_from(text->str), &again, NULL), ==, STATUS_OK);
  g_assert_cmpint(memcmp(&again, contract, sizeof again), ==, 0);
}

static void test_named(void) {
  contract_t spec = contract_spec();
  contract_t backend = contract_backend();
  check_prints(&spec, SPEC);
  check_prints(&backend, BACKEND);
  g_assert_cmpint(PERMITTED(&spec, order), ==, ORDER_IN_ORDER);
  g_assert_cmpint(PERMITTED(&backend, order), ==, ORDER_ANY);
  g_assert_cmpint(PERMITTED(&backend, fma), ==, FMA_YES);
}

static void test_parse(void) {
  static const struct {
    const char *text;
    const char *printed;
  } rows[] = {
      {"spec", SPEC},
      {"backend", BACKEND},
      {SPEC, SPEC},
      {"wide", WIDE},
      {"init_count=few,intermediate=wide,accumulation=f32,shared=once", WIDE},
      {"identified", IDENTIFIED},
      {"bits=identified", IDENTIFIED},
      {"identified,bits=any", BACKEND},
      {"fma=no,fma=yes", BACKEND},
      {"spec,init_count=1,accum_rounding=rz,ftz=both,integer_overflow=saturate,zero_sign=any",
       "order=in-order,bits=any,inferred=no,repeat=same,init_count=1,accum_rounding=rz,accum_wider="
       "no,fma=no,"
       "ftz=both,"
       "integer_overflow=saturate,zero_sign=any,reduce_types=spec,intermediate=native,"
       "accumulation=native," F32 "function_range=strict,"
       "byteir=today,epsilon=exact,exp_by_exp2=no,shared=each" SPEC_ULPS},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    contract_t contract;
    g_test_message("%s", rows[i].text);
    g_assert_cmpint(contract_parse(str_from(rows[i].text), &contract, NULL), ==, STATUS_OK);
    check_prints(&contract, rows[i].printed);
  }
}

static void test_values(void) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from("ftz=inputs"), &contract, NULL), ==, STATUS_OK);
  g_assert_cmpint(PERMITTED(&contract, ftz), ==, FTZ_INPUTS);
  g_assert_cmpint(contract_parse(str_from("ftz=outputs"), &contract, NULL), ==, STATUS_OK);
  g_assert_cmpint(PERMITTED(&contract, ftz), ==, FTZ_OUTPUTS);
  g_assert_cmpint(contract_parse(str_from("init_count=1"), &contract, NULL), ==, STATUS_OK);
  g_assert_cmpint(PERMITTED(&contract, init_count), ==, INIT_COUNT_ONE);
  g_assert_cmpint(contract_parse(str_from("integer_overflow=wrap"), &contract, NULL), ==,
                  STATUS_OK);
  g_assert_cmpint(PERMITTED(&contract, integer_overflow), ==, INTEGER_OVERFLOW_WRAP);
}

static void test_short(void) {
  static const char *const texts[] = {"backend",
                                      "spec",
                                      "wide",
                                      "identified",
                                      "backend,ftz=both",
                                      "wide,fma=no",
                                      "spec,exp_f32=2,softmax=online"};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    contract_t contract;
    g_assert_cmpint(contract_parse(str_from(texts[i]), &contract, NULL), ==, STATUS_OK);
    g_autoptr(GString) text = g_string_new(NULL);
    contract_print_short(&contract, text);
    g_assert_cmpstr(text->str, ==, texts[i]);
  }
}

/* Permissions by name, and the table of elementary functions. */
static void test_by_name(void) {
  contract_t contract = contract_backend();
  g_assert_cmpint(contract_value(&contract, "ftz"), ==, FTZ_NONE);
  contract_set_value(&contract, "ftz", FTZ_BOTH);
  g_assert_cmpint(PERMITTED(&contract, ftz), ==, FTZ_BOTH);
  g_assert_cmpint(contract_value_count("ftz"), ==, 4);
  g_assert_cmpstr(contract_spelling("ftz", FTZ_INPUTS), ==, "inputs");
  const format_t *f32 = &format_table[FORMAT_f32];
  g_assert_cmpfloat(contract_elementary_ulps(&contract, ELEMENTARY_erfc, f32, 0), ==, 16);
  g_assert_false(contract_elementary_is_faithful(&contract, ELEMENTARY_erfc, f32));
  PERMITTED(&contract, erfc_f32) = ULPS_FAITHFUL;
  g_assert_cmpfloat(contract_elementary_ulps(&contract, ELEMENTARY_erfc, f32, 0), ==, 1);
  g_assert_true(contract_elementary_is_faithful(&contract, ELEMENTARY_erfc, f32));
  PERMITTED(&contract, erfc_f32) = ULPS_64;
  g_assert_cmpfloat(contract_elementary_ulps(&contract, ELEMENTARY_erfc, f32, 0), ==, 64);
  contract_loosen_elementary(&contract);
  for (elementary_t function = 0; function < ELEMENTARY_COUNT; function++) {
    const format_t *bf16 = &format_table[FORMAT_bf16];
    g_assert_cmpfloat(contract_elementary_ulps(&contract, function, bf16, 0), ==, 1024);
  }
  g_assert_cmpint(PERMITTED(&contract, ftz), ==, FTZ_BOTH);
}

static void test_refused(void) {
  static const struct {
    const char *text;
    const char *message;
  } rows[] = {
      {"",
       "\"\" is not key=value, and no contract but spec, backend, wide and identified has a name"},
      {"strict",
       "\"strict\" is not key=value, and no contract but spec, backend, wide and identified has a "
       "name"},
      {"fma=yes,spec", "\"spec\" is not key=value"},
      {"spec,", "\"\" is not key=value"},
      {"fma=maybe", "fma=maybe: the value is one of no|yes"},
      {"ftz=", "ftz=: the value is one of none|inputs|outputs|both"},
      {"ftz=in", "ftz=in: the value is one of none|inputs|outputs|both"},
      {"ftz=none|inputs", "ftz=none|inputs: the value is one of none|inputs|outputs|both"},
      {"FMA=yes", "no permission is called \"FMA\"; `assay help` lists them all"},
      {" fma=yes", "no permission is called \" fma\"; `assay help` lists them all"},
      {"exp_f32=7", "exp_f32=7: the value is one of faithful|1|2|3|4|5|8|16|64|1024"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    contract_t contract;
    failure_t error = {.text = ""};
    g_assert_cmpint(contract_parse(str_from(rows[i].text), &contract, &error), ==, STATUS_INVALID);
    g_assert_cmpstr(error.text, ==, rows[i].message);
  }
}

/* Writes a file, reads the contract, and removes the file. */
static status_t read_text(const char *text, contract_t *out_contract, failure_t *error) {
  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "assay-contract-XXXXXX", NULL);
  int file = g_mkstemp(path);
  g_assert_cmpint(file, >=, 0);
  g_assert_true(g_close(file, NULL));
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  status_t status = contract_read_file(path, out_contract, error);
  g_unlink(path);
  return status;
}

static void test_file(void) {
  static const struct {
    const char *text;
    const char *printed;
  } rows[] = {
      {"[contract]\n", BACKEND},
      {"[contract]\nbase = spec\n", SPEC},
      {"[contract]\nbase = identified\n", IDENTIFIED},
      {"[contract]\nbase = wide\n", WIDE},
      {"# A comment.\n[contract]\nbase = spec\nfma = no\norder=in-order\naccum_wider = no\n", SPEC},
      {"[contract]\norder = any\nbase = spec\nfma = yes\n",
       "order=any,bits=any,inferred=no,repeat=same,init_count=any,accum_rounding=rn,accum_wider=no,"
       "fma=yes,ftz="
       "none,"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    contract_t contract;
    g_assert_cmpint(read_text(rows[i].text, &contract, NULL), ==, STATUS_OK);
    check_prints(&contract, rows[i].printed);
  }
}

static void test_refused_file(void) {
  static const struct {
    const char *text;
    const char *message;
  } rows[] = {
      {"[permissions]\nfma = no\n", "there is no group [contract]"},
      {"[contract]\nbase = strict\n",
       "base = strict: bases are spec, backend, wide and identified"},
      {"[contract]\nfma = maybe\n", "fma=maybe: the value is one of no|yes"},
      {"[contract]\nfmaa = no\n", "no permission is called \"fmaa\"; `assay help` lists them all"},
      {"fma = no\n", "Key file does not start with a group"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    contract_t contract;
    failure_t error = {.text = ""};
    g_assert_cmpint(read_text(rows[i].text, &contract, &error), ==, STATUS_INVALID);
    g_test_message("%s", error.text);
    g_assert_nonnull(strstr(error.text, rows[i].message));
    g_assert_nonnull(strstr(error.text, "assay-contract-"));
  }
  contract_t contract;
  failure_t error = {.text = ""};
  g_assert_cmpint(contract_read_file("/nonexistent/contract", &contract, &error), ==,
                  STATUS_INVALID);
  g_assert_true(g_str_has_prefix(error.text, "/nonexistent/contract: "));
}

static void test_help(void) {
  g_autoptr(GString) help = g_string_new(NULL);
  contract_print_help(help);
  g_assert_true(g_str_has_prefix(
      help->str,
      "  order=in-order|any  order of the terms: the specification's in-order trees, or any "
      "(spec: in-order; backend: any)\n"));
  g_auto(GStrv) lines = g_strsplit(help->str, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines), ==, contract_permission_count() + 1);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/contract/named", test_named);
  g_test_add_func("/contract/parse", test_parse);
  g_test_add_func("/contract/values", test_values);
  g_test_add_func("/contract/short", test_short);
  g_test_add_func("/contract/by_name", test_by_name);
  g_test_add_func("/contract/refused", test_refused);
  g_test_add_func("/contract/file", test_file);
  g_test_add_func("/contract/refused_file", test_refused_file);
  g_test_add_func("/contract/help", test_help);
  return g_test_run();
}
