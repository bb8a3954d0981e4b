/* SPDX-License-Identifier: Apache-2.0 */
/* assay VERB ...: finds the verb and hands over.  Standard output is data, standard error is talk.
 */
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include "harness/base/instruction_set.h"
#include "harness/base/log.h"
#include "harness/base/plain_text.h"
#include "harness/cli/build_info.h"
#include "harness/cli/cli.h"
#include "harness/cli/options/contract_help.h"
#include "harness/cli/options/declared_ops.h"
#include "harness/cli/options/manual_page.h"
#include "harness/cli/options/suggest.h"

const command_t command_table[] = {
    {"run", "--executor NAME [--op OP] [--cases N|--time 30s]",
     "draw cases and judge executors on them", command_run},
    {"fuzz", "[OP ...] --executor NAME [--time 30s|--runs N]",
     "let libFuzzer search for larger errors", command_fuzz},
    {"campaign", "--executor NAME... --out FOLDER [--time 8h] [--jobs N]",
     "search for hours on many processes; resume after any interruption", command_campaign},
    {"vet", "--executor NAME [--op OP] [--cases N|--time 30s|--constraints]",
     "report by op, algorithm and types as TAP 13, for prove", command_vet},
    {"invariance", "--executor NAME [--op OP] [--property NAME] [--tap]",
     "does the same row give the same bits in any batch, place, layout and run?",
     command_invariance},
    {"contract", "infer --executor NAME [--db FILE] [--op OP] [--types TYPES] [--out FILE]",
     "what an executor did not need: the tightest contract that its results keep",
     command_contract},
    {"power", "[--op OP] [--types TYPES] [--program LINE] [--contract CONTRACT]",
     "how wrong could results be without being noticed?", command_power},
    {"identify", "--executor NAME --op OP --n N|FIRST..LAST [--type T] [--m M] [--columns C]",
     "find how an executor adds, and predict its bits", command_identify},
    {"thresholds", "--executor NAME [--op OP] [--axis AXIS] [--max N] [--out FILE]",
     "find the sizes at which the implementation of an executor changes", command_thresholds},
    {"replay", "LINE|FILE|FILE.mlir|- --executor NAME",
     "run recorded cases again and explain the verdict", command_replay},
    {"retest", "--db FILE --executor NAME [--state open|waived|fixed|all] [--tap]",
     "run the kept cases of findings again: which are fixed, which have come back?",
     command_retest},
    {"waive", "SIGNATURE|ID --db FILE --reason TEXT --owner NAME --expires YYYY-MM-DD",
     "waive a finding until a date", command_waive},
    {"ledger", "--executor NAME --db FILE [--op OP] [--cases N]",
     "record the bits of the same cases for each version", command_ledger},
    {"compare", "VERSION VERSION --db FILE [--executor NAME]",
     "compare two versions: findings, bits, refusals", command_compare},
    {"quant", "VERB [GRAPH] [--table TABLE]",
     "quantize an annotated model for a target, and judge executors on it; `assay quant` lists "
     "VERBs",
     command_quant},
    {"shrink", "LINE|FILE|- --executor NAME, or --db FILE --finding ID",
     "make a diverging case as small as possible", command_shrink},
    {"prove", "FINDING --db FILE|LINE --executor NAME|FILE.cases [--out FILE|FOLDER]",
     "write the evidence that a result is wrong, which a script of its own decides", command_prove},
    {"bisect", "FINDING --db FILE|LINE|FILE.cases --backend NAME [--from V] [--to V]",
     "which release of a backend brought a fault, or mended it", command_bisect},
    {"recall", "--backend NAME [--release V] [--time 5m]|--list",
     "which bugs that public trackers tell of does a campaign find by itself?", command_recall},
    {"issue", "FINDING --db FILE|LINE --executor NAME",
     "write a bug report, with a script that shows the fault without Assay", command_issue},
    {"show",
     "LINE|FILE.mlir|- [--mlir [--with-data]|--c [--executor NAME]|--python NAME] [--dialect "
     "stablehlo|mhlo]",
     "explain a case in words, as a StableHLO module and as C", command_show},
    {"module", "FILE.mlir [--harvest OUT|--isolate-ops --executor NAME] [--json]",
     "list the ops of a whole module, what has an oracle, and write its programs to a file",
     command_module},
    {"gen", "--op OP --cases N --seed S", "print cases, one line each", command_gen},
    {"subject", "--executor NAME", "read cases, append what an executor returns", command_subject},
    {"judge", "[FILE|FILE.mlir]",
     "read cases with results, as `subject` prints them, answer each line", command_judge},
    {"merge", "TARGET SOURCE...", "merge databases, or folders of campaigns, into one",
     command_merge},
    {"query", "NAME|--sql TEXT --db FILE", "ask the database", command_query},
    {"corpus", "--tidy [--check]|--list FILE|FOLDER... | import onnx|FOLDER",
     "rewrite files of recorded cases in canonical form, count them, or import tests of others",
     command_corpus},
    {"report", "--db FILE [--html FILE] [--format text|json|tap|junit|html]",
     "summarise a database: vacuous results first, then new findings", command_report},
    {"ops", "", "list the ops", command_ops},
    {"executors", "[install|remove NAME[==VERSION]]",
     "list the executors and what state they are in, install or remove one", command_executors},
    {"doctor", "[--executor NAME]", "check this machine, the oracle and the executors",
     command_doctor},
    {"completion", "bash|zsh|fish", "print the script by which a shell completes command lines",
     command_completion},
    {0},
};

const char cli_executors_text[] =
    "model:NAME, canary:NAME, the name of a plugin or worker, NAME@VERSION, dso:PATH?options,\n"
    "pjrt:PATH?options, proc:COMMAND, steps:NAME (modules op by op); "
    "`assay executors` lists those that are here.";
const char cli_environment_text[] =
    "ASSAY_ISA=plain|avx2|avx512: the instructions of our own loops (default: the widest that "
    "there\n"
    "are; the bits are the same); ASSAY_WORKER_ENV=NAME,...: variables that workers get, too;\n"
    "ASSAY_OPS=PATH:...: files, or folders of *.op, that declare ops of one's own; so does --ops "
    "of\n"
    "every verb; ASSAY_PYTHON=PATH: the Python that `assay executors install` makes environments "
    "with;\n"
    "ASSAY_LOG=debug|campaign,exec,oracle,store: messages for developers, on standard error.";
const char cli_exit_codes_text[] =
    "0 clean, 1 divergences, 2 bad usage or input (also a file or an executor that is not\n"
    "there), 3 executor or oracle failure (also one that is not installed, or a full disk).";

void complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *plain = plain_text_except(text, "\n");
  fprintf(stderr, "assay: %s\n", plain);
}

int settle_output(int exit_code) {
  bool had_failed = ferror(stdout) != 0;
  bool is_whole = fflush(stdout) == 0 && !had_failed;
  if (is_whole || exit_code == EXIT_CODE_FAILED) return exit_code;
  complain("cannot write standard output: %s",
           had_failed ? "some of it is lost" : g_strerror(errno));
  __fpurge(stdout); /* It has been told: the next flush is of what comes then. */
  clearerr(stdout);
  return exit_code == EXIT_CODE_CLEAN ? EXIT_CODE_FAILED : exit_code;
}

int complain_status(status_t status, const failure_t *error) {
  complain("%s", error->text);
  switch (status) {
    case STATUS_OK:
    case STATUS_INVALID:
      return EXIT_CODE_USAGE;
    case STATUS_UNSUPPORTED:
    case STATUS_UNDECIDED:
    case STATUS_IO:
    default:
      return EXIT_CODE_FAILED;
  }
}

static void print_contracts(void) {
  g_autoptr(GString) text = g_string_new(NULL);
  contract_help_print(text);
  printf(
      "Contracts (--contract spec, backend, wide, identified, or KEY=VALUE,... over "
      "backend):\n%s",
      text->str);
}

static void print_help(void) {
  puts("assay tests implementations of tensor operations against an exact oracle.\n");
  puts(
      "Usage: assay VERB [OPTION ...]; `assay VERB --help` lists the options, `assay help --man`\n"
      "is the manual page.\n");
  for (const command_t *command = command_table; command->name != NULL; command++) {
    printf("  %-11s  %s\n", command->name, command->summary);
  }
  putchar('\n');
  print_contracts();
  printf("\nExecutors: %s\n\nEnvironment: %s\n\nExit codes: %s\n", cli_executors_text,
         cli_environment_text, cli_exit_codes_text);
}

static const command_t *find_command(const char *name) {
  for (const command_t *command = command_table; command->name != NULL; command++) {
    if (strcmp(command->name, name) == 0) return command;
  }
  return NULL;
}

static int reject_verb(const char *name) {
  suggestion_t suggestion = suggestion_make(name);
  for (const command_t *command = command_table; command->name != NULL; command++) {
    suggestion_offer(&suggestion, command->name);
  }
  char advice[SUGGESTION_BYTES];
  complain("unknown verb '%s'; %s", name,
           suggestion_print(&suggestion, "`assay help` lists them", advice));
  return EXIT_CODE_USAGE;
}

static void print_manual(void) {
  GString *page = g_string_new(NULL);
  manual_page_print(page);
  fputs(page->str, stdout);
  g_string_free(page, TRUE);
}

/* `assay help VERB` is `assay VERB --help`; `assay help --man` prints the manual page, and `assay
 * help contracts` the permissions. */
static int help(int argc, char **argv) {
  if (argc < 3) {
    print_help();
    return EXIT_CODE_CLEAN;
  }
  if (strcmp(argv[2], "--man") == 0) {
    print_manual();
    return EXIT_CODE_CLEAN;
  }
  if (strcmp(argv[2], "contracts") == 0) {
    print_contracts();
    return EXIT_CODE_CLEAN;
  }
  const command_t *command = find_command(argv[2]);
  if (command == NULL) return reject_verb(argv[2]);
  char option[] = "--help";
  char *arguments[] = {argv[2], option, NULL};
  return command->run(command, 2, arguments);
}

/* This thread has a locale of its own from here on: code of others may change that of the process.
 */
static void choose_locale(void) {
  static const char name[] = "C.UTF-8";
  setlocale(LC_CTYPE, name);
  locale_t locale = newlocale(LC_CTYPE_MASK, name, (locale_t)0);
  uselocale(locale != (locale_t)0 ? locale : newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static int run_verb(int argc, char **argv) {
  failure_t error = {0};
  status_t status = log_start(g_getenv("ASSAY_LOG"), &error);
  if (status == STATUS_OK) status = instruction_set_check(&error);
  if (status == STATUS_OK) status = declared_ops_take(&argc, argv, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  if (argc < 2) {
    complain("no verb given; `assay help` lists them");
    return EXIT_CODE_USAGE;
  }
  const char *verb = argv[1];
  if (strcmp(verb, "help") == 0 || strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0) {
    return help(argc, argv);
  }
  if (strcmp(verb, "--version") == 0 || strcmp(verb, "version") == 0) {
    printf("assay " ASSAY_VERSION "\ncommit: %s\nbuild: %s\ninstruction set: %s\n", build_commit,
           build_manner, instruction_set_name(instruction_set()));
    return EXIT_CODE_CLEAN;
  }
  const command_t *command = find_command(verb);
  if (command == NULL) return reject_verb(verb);
  return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv) {
  choose_locale();
  return settle_output(run_verb(argc, argv));
}
