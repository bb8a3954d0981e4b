/* SPDX-License-Identifier: Apache-2.0 */
/* Our rules of validity held against somebody else's: programs of each StableHLO op, valid and
 * broken, go through program_broken() and, as modules, through the verifier in jaxlib.  A
 * disagreement is a row of verifier_disagreements.def, or a failure.
 *
 * ASSAY_VERIFIER_PROGRAMS is how many are drawn of each op (2000), ASSAY_VERIFIER_SEED from which
 * seed (1): tests/nightly/verifier draws more.  From 100000 on each row must have been needed. */
#include <inttypes.h>
#include <stdlib.h>

#include "generated/dot_general_permissions.h"
#include "harness/kinds/custom_call.h"
#include "oracles/ops/dot_general/algorithm.h"
#include "tests/exec/validity_draw.h"
#include "tests/exec/verifier_table.h"

enum {
  PROGRAMS_USUAL = 2000,
  PROGRAMS_TIGHT = 100000, /* So many find each row of the table. */
  BATCH = 256,
  FAILURES_PRINTED = 10,
};

static verifier_t *verifier; /* NULL: see below. */
static failure_t absence;
static uint64_t programs;
static uint64_t seed;

static bool skips(void) {
  if (verifier == NULL) g_test_skip(absence.text);
  return verifier == NULL;
}

/* ---- One op ---------------------------------------------------------------------------------- */

typedef struct subject {
  program_t program;
  const char *line;
} subject_t;

typedef struct counts {
  uint64_t accepted, rejected;  /* By both. */
  uint64_t listed, unlisted;    /* By one of us. */
  uint64_t unmodelled;          /* We have no opinion ... */
  uint64_t unmodelled_rejected; /* ... but the verifier. */
  uint64_t origins[VALIDITY_ORIGINS];
  GHashTable *broken; /* The ids of constraints that some program broke. */
} counts_t;

/* How often each row was needed, by all ops. */
static uint64_t *row_uses;

static const char *word_of(const verifier_opinion_t *theirs) {
  static const char *const words[] = {
      [VERIFIER_ACCEPTED] = "accepts",
      [VERIFIER_REJECTED] = "rejects",
      [VERIFIER_UNREAD] = "cannot read",
      [VERIFIER_DIED] = "dies of",
  };
  return words[theirs->word];
}

static void tell(const disagreement_t *disagreement) {
  const op_constraint_t *forbidden = disagreement->forbidden;
  g_autofree char *ours =
      forbidden == NULL ? g_strdup("take it")
                        : g_strdup_printf("forbid it by %s: %s", forbidden->id, forbidden->text);
  g_test_message("%s", disagreement->line);
  g_test_message("  we %s; the verifier %s it: %s", ours, word_of(disagreement->theirs),
                 disagreement->theirs->message);
}

/* One program, by the constraint that it breaks, or NULL. */
static void compare(const subject_t *subject, const contract_t *contract,
                    const op_constraint_t *broken, const verifier_opinion_t *theirs,
                    counts_t *counts) {
  if (broken != NULL) g_hash_table_add(counts->broken, (gpointer)(uintptr_t)broken->id);
  if (op_constraint_is_unmodelled(broken)) {
    counts->unmodelled++;
    counts->unmodelled_rejected += theirs->word != VERIFIER_ACCEPTED;
    return;
  }
  bool is_accepted = theirs->word == VERIFIER_ACCEPTED;
  if (is_accepted == (broken == NULL)) {
    counts->accepted += is_accepted;
    counts->rejected += !is_accepted;
    return;
  }
  const disagreement_t disagreement = {.program = &subject->program,
                                       .line = subject->line,
                                       .contract = contract,
                                       .forbidden = broken,
                                       .theirs = theirs};
  size_t row = disagreement_find(&disagreement);
  if (row < disagreement_row_count) {
    row_uses[row]++;
    counts->listed++;
  } else if (counts->unlisted++ < FAILURES_PRINTED) {
    tell(&disagreement);
  }
}

/* By the letter of the specification; and where it makes a difference, by what the contract calls
 * the verifier's rules. */
static void compare_both(const subject_t *subject, const verifier_opinion_t *theirs,
                         counts_t *counts) {
  contract_t letter = contract_spec(), verified = contract_spec();
  PERMITTED(&verified, dot_algorithm) = DOT_ALGORITHM_VERIFIER;
  const program_t *program = &subject->program;
  const op_constraint_t *broken = program_broken(program);
  const op_constraint_t *by_letter = program_broken_under(program, broken, &letter);
  const op_constraint_t *by_verifier = program_broken_under(program, broken, &verified);
  compare(subject, &letter, by_letter, theirs, counts);
  if (by_letter != by_verifier) compare(subject, &verified, by_verifier, theirs, counts);
}

static char *module_of(const program_t *program) {
  GString *text = g_string_new(NULL);
  program->op->print_mlir(program, text);
  return g_string_free(text, FALSE);
}

static void compare_batch(const subject_t *subjects, size_t count, counts_t *counts) {
  char *modules[BATCH] = {NULL};
  verifier_opinion_t theirs[BATCH];
  for (size_t i = 0; i < count; i++) modules[i] = module_of(&subjects[i].program);
  verifier_ask(verifier, (const char *const *)modules, count, theirs);
  for (size_t i = 0; i < count; i++) {
    compare_both(&subjects[i], &theirs[i], counts);
    g_free(theirs[i].message);
    g_free(modules[i]);
  }
}

static void draw_and_compare(const op_t *op, counts_t *counts) {
  rng_t rng = rng_make(seed);
  arena_t arena;
  arena_init(&arena);
  subject_t *subjects = g_new(subject_t, BATCH);
  for (uint64_t done = 0; done < programs;) {
    size_t count = 0;
    for (; count < BATCH && done < programs; count++, done++) {
      subject_t *subject = &subjects[count];
      validity_origin_t origin =
          validity_draw(&rng, op, done, &arena, &subject->program, &subject->line);
      counts->origins[origin]++;
    }
    compare_batch(subjects, count, counts);
    arena_reset(&arena);
  }
  g_free(subjects);
  arena_deinit(&arena);
}

/* What can be broken was. */
static void check_covered(const op_t *op, const counts_t *counts) {
  for (const op_constraint_t *row = op->constraints; row->id != NULL; row++) {
    if (g_hash_table_contains(counts->broken, row->id)) continue;
    if (!op_constraint_is_breakable(row)) continue;
    g_test_message("%s was never broken: %s", row->id, row->text);
    if (programs >= PROGRAMS_USUAL) g_test_fail();
  }
}

static void test_op(gconstpointer data) {
  if (skips()) return;
  const op_t *op = data;
  counts_t counts = {.broken = g_hash_table_new(g_str_hash, g_str_equal)};
  draw_and_compare(op, &counts);
  g_test_message("%" PRIu64 " drawn, %" PRIu64 " broken, %" PRIu64 " changed: both accept %" PRIu64
                 ", both reject %" PRIu64 ", listed %" PRIu64 ", not listed %" PRIu64
                 ", not modelled %" PRIu64 ", %" PRIu64 " of which it rejects",
                 counts.origins[VALIDITY_DRAWN], counts.origins[VALIDITY_BROKEN],
                 counts.origins[VALIDITY_CHANGED], counts.accepted, counts.rejected, counts.listed,
                 counts.unlisted, counts.unmodelled, counts.unmodelled_rejected);
  check_covered(op, &counts);
  g_hash_table_unref(counts.broken);
  g_assert_cmpuint(counts.accepted, >, programs / 8);
  g_assert_cmpuint(counts.rejected, >, programs / 8);
  if (counts.unlisted > 0) g_test_fail();
}

/* ---- Other ops ------------------------------------------------------------------------------- */

/* What MLIR knows as a custom_call, whose meaning is ByteIR's: its modules can be read. */
static void decide_printed(const program_t *program_list, size_t count, const char *dialect,
                           uint64_t *inout_refused) {
  char *modules[BATCH] = {NULL};
  verifier_opinion_t theirs[BATCH];
  for (size_t i = 0; i < count; i++) {
    GString *text = g_string_new(NULL);
    custom_call_print_module(&program_list[i], dialect, text);
    modules[i] = g_string_free(text, FALSE);
  }
  verifier_ask(verifier, (const char *const *)modules, count, theirs);
  for (size_t i = 0; i < count; i++) {
    bool is_taken = theirs[i].word == VERIFIER_ACCEPTED;
    if (!is_taken && (*inout_refused)++ < FAILURES_PRINTED) {
      g_test_message("%s: %s\n%s", word_of(&theirs[i]), theirs[i].message, modules[i]);
    }
    g_free(theirs[i].message);
    g_free(modules[i]);
  }
}

static void test_custom_call(gconstpointer data) {
  if (skips()) return;
  const op_t *op = data;
  static const draw_limits_t limits = {.rank_max = 5, .elements_max = 256, .terms_max = 64};
  rng_t rng = rng_make(seed);
  arena_t arena;
  arena_init(&arena);
  uint64_t refused = 0;
  for (uint64_t done = 0; done < programs / 10; done += BATCH) {
    program_t drawn[BATCH];
    for (size_t i = 0; i < BATCH; i++) {
      drawn[i] = (program_t){.op = op};
      op->draw(&rng, &limits, &arena, &drawn[i]);
    }
    decide_printed(drawn, BATCH, "stablehlo", &refused);
    decide_printed(drawn, BATCH, "mhlo", &refused);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_assert_cmpuint(refused, ==, 0);
}

/* ---- The table ------------------------------------------------------------------------------- */

/* The last test: whether each row was needed by those before it. */
static void test_table(void) {
  if (skips()) return;
  uint64_t idle = 0;
  for (size_t i = 0; i < disagreement_row_count; i++) {
    const disagreement_row_t *row = &disagreement_rows[i];
    if (row_uses[i] > 0) continue;
    idle++;
    g_test_message("verifier_disagreements.def:%zu: nothing matches this row of %s, %s", row->line,
                   row->op, row->id != NULL ? row->id : row->message);
  }
  if (idle > 0 && programs >= PROGRAMS_TIGHT) g_test_fail();
}

/* ---- All ------------------------------------------------------------------------------------- */

static uint64_t read_number(const char *name, uint64_t usual) {
  const char *text = g_getenv(name);
  if (text == NULL) return usual;
  guint64 number;
  GError *error = NULL;
  if (!g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT64, &number, &error)) {
    g_printerr("%s: %s\n", name, error->message);
    exit(2);
  }
  return number;
}

static void add_test(const char *kind, const op_t *op, GTestDataFunc function) {
  g_autofree char *name = g_strdup_printf("/verifier/%s/%s", kind, op->name);
  g_test_add_data_func(name, op, function);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  programs = read_number("ASSAY_VERIFIER_PROGRAMS", PROGRAMS_USUAL);
  seed = read_number("ASSAY_VERIFIER_SEED", 1);
  row_uses = g_new0(uint64_t, disagreement_row_count);
  if (verifier_open(ASSAY_SOURCE_DIR, &verifier, &absence) == STATUS_OK) {
    g_test_message("%s", verifier_version(verifier));
  }
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if (g_str_has_prefix((*op)->name, "stablehlo.")) {
      add_test("validity", *op, test_op);
    } else {
      add_test("printed", *op, test_custom_call);
    }
  }
  g_test_add_func("/verifier/table/needed", test_table);
  int status = g_test_run();
  if (verifier != NULL) verifier_close(verifier);
  g_free(row_uses);
  return status;
}
