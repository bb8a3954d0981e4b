/* SPDX-License-Identifier: Apache-2.0 */
/* assay quant: quantizes annotated models for a target, explains it, exports it, and holds
 * executors against it. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/verbs/quant/fuzz.h"
#include "harness/cli/verbs/quant/import.h"
#include "harness/cli/verbs/quant/input.h"
#include "harness/cli/verbs/quant/kernels.h"
#include "harness/cli/verbs/quant/measure.h"
#include "harness/quant/propagate/explain.h"
#include "harness/quant/propagate/picture.h"

enum { INPUTS_DEFAULT = 8, GRAPHS_DEFAULT = 1000 };

/* A verb's arguments after parsing: words[0] is the first after the verb's name, or NULL. */
typedef struct request {
  const quant_flags_t *flags;
  char **words;
  int word_count;
  int typed_count; /* The whole command line, for the database. */
  char **typed;
} request_t;

static int put_text(GString *text) {
  fputs(text->str, stdout);
  g_string_free(text, TRUE);
  return EXIT_CODE_CLEAN;
}

/* ---- Verbs without executors ----------------------------------------------------------------- */

static void print_graph_facts(const quant_graph_t *graph) {
  uint32_t constants = 0, ops = 0, plain = 0;
  for (uint32_t i = 0; i < graph->value_count; i++) {
    constants += graph->values[i].constant != NULL;
  }
  for (uint32_t i = 0; i < graph->region_count; i++) {
    plain += graph->regions[i].is_op;
    if (!graph->regions[i].is_op) ops += graph->regions[i].op_count;
  }
  printf("%s: %u regions of %u ops, ", graph->name, graph->region_count - plain, ops);
  if (plain > 0) printf("%u ops in no region, ", plain);
  printf("%u values, %u inputs, %u outputs, %u constants\n", graph->value_count, graph->input_count,
         graph->output_count, constants);
}

/* The graph alone, and with --table which kernels the target has. */
static status_t check_graph(const request_t *request, arena_t *arena, bool *out_is_good,
                            failure_t *error) {
  quant_graph_t graph;
  STATUS_TRY(quant_read_graph(request->flags, request->words[0], arena, &graph, error));
  print_graph_facts(&graph);
  *out_is_good = true;
  if (request->flags->table == NULL) return STATUS_OK;
  quant_target_t table;
  STATUS_TRY(quant_read_target(request->flags->table, arena, &table, error));
  for (uint32_t i = 0; i < graph.region_count; i++) {
    if (graph.regions[i].is_op) {
      printf("  %s (%s): an op in no region, stays in high precision\n", graph.regions[i].name,
             graph.regions[i].kernel);
      continue;
    }
    if (strcmp(graph.regions[i].kernel, QUANT_RESCALE_KERNEL) == 0) {
      printf("  %s (%s): every target has it\n", graph.regions[i].name, graph.regions[i].kernel);
      continue;
    }
    const quant_target_row_t *row;
    quant_signature_port_t ports[QUANT_PORTS_MAX];
    failure_t reason = {0};
    if (quant_target_match(&table, &graph, i, &row, ports, &reason) == STATUS_OK) {
      printf("  %s (%s): row of line %u of table %s\n", graph.regions[i].name,
             graph.regions[i].kernel, row->line, table.name);
    } else {
      printf("  refused: %s\n", reason.text);
      *out_is_good = false;
    }
  }
  return STATUS_OK;
}

static int verb_check(const request_t *request) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  bool is_good = false;
  status_t status = check_graph(request, &arena, &is_good, &error);
  arena_deinit(&arena);
  if (status != STATUS_OK) return complain_status(status, &error);
  return is_good ? EXIT_CODE_CLEAN : EXIT_CODE_DIVERGES;
}

/* Reads, propagates and hands over. */
static int with_subject(const request_t *request,
                        status_t (*act)(const request_t *, quant_subject_t *, failure_t *)) {
  quant_subject_t subject;
  failure_t error = {0};
  status_t status = quant_read_subject(request->flags, request->words[0], &subject, &error);
  if (status == STATUS_OK) status = act(request, &subject, &error);
  quant_subject_deinit(&subject);
  return status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
}

static status_t draw_picture(const request_t *request, quant_subject_t *subject, bool is_before,
                             failure_t *error) {
  if (request->flags->picture == NULL) return STATUS_OK;
  GString *dot = g_string_new(NULL);
  if (is_before) {
    quant_picture_before(&subject->graph, dot);
  } else {
    quant_picture_after(&subject->propagation, dot);
  }
  status_t status = quant_write_picture(request->flags->picture, dot, error);
  g_string_free(dot, TRUE);
  return status;
}

static status_t propagate(const request_t *request, quant_subject_t *subject, failure_t *error) {
  STATUS_TRY(draw_picture(request, subject, false, error));
  GString *text = g_string_new(NULL);
  if (request->flags->mlir) {
    quant_graph_print_mlir(&subject->quantized, text);
  } else {
    quant_graph_print(&subject->quantized, text);
  }
  put_text(text);
  text = g_string_new(NULL);
  quant_explain_summary(&subject->propagation, text);
  fputs(text->str, stderr);
  g_string_free(text, TRUE);
  return STATUS_OK;
}

static int verb_propagate(const request_t *request) { return with_subject(request, propagate); }

static status_t picture(const request_t *request, quant_subject_t *subject, failure_t *error) {
  if (request->flags->picture == NULL) {
    return status_fail(error, STATUS_INVALID, "--picture FILE.svg or FILE.dot is missing");
  }
  return draw_picture(request, subject, true, error);
}

static int verb_picture(const request_t *request) { return with_subject(request, picture); }

/* All regions, or the one that is named; then the conflicts. */
static status_t explain(const request_t *request, quant_subject_t *subject, failure_t *error) {
  STATUS_TRY(draw_picture(request, subject, false, error));
  const char *name = request->word_count > 1 ? request->words[1] : NULL;
  const quant_graph_t *graph = &subject->graph;
  GString *text = g_string_new(NULL);
  const uint32_t *order = quant_graph_order(graph, &subject->arena);
  bool is_found = name == NULL;
  for (uint32_t i = 0; i < graph->region_count; i++) {
    if (name != NULL && strcmp(graph->regions[order[i]].name, name) != 0) continue;
    is_found = true;
    quant_explain_region(&subject->propagation, order[i], text);
  }
  if (!is_found) {
    g_string_free(text, TRUE);
    return status_fail(error, STATUS_INVALID, "the graph has no region '%s'", name);
  }
  if (name == NULL) {
    GString *conflicts = g_string_new(NULL);
    if (quant_explain_conflicts(&subject->propagation, conflicts) > 0) {
      g_string_append_printf(text, "\n%s\n", conflicts->str);
    }
    g_string_free(conflicts, TRUE);
    quant_explain_summary(&subject->propagation, text);
  }
  put_text(text);
  return STATUS_OK;
}

static int verb_explain(const request_t *request) { return with_subject(request, explain); }

static status_t export_forms(const request_t *request, quant_subject_t *subject, failure_t *error) {
  if (request->flags->mlir && request->flags->cases) {
    return status_fail(error, STATUS_INVALID, "write --mlir or --cases, not both");
  }
  bool wanted[QUANT_LOWERING_COUNT];
  STATUS_TRY(quant_read_lowerings(request->flags->lowerings, wanted, error));
  arena_t *arena = &subject->arena;
  for (int lowering = 0; lowering < QUANT_LOWERING_COUNT; lowering++) {
    if (!wanted[lowering]) continue;
    quant_steps_t steps;
    STATUS_TRY(quant_export(&subject->quantized, (quant_lowering_t)lowering, arena, &steps, error));
    if (request->flags->cases) {
      STATUS_TRY(quant_print_cases(&steps, request->flags->task.seed, stdout, error));
      continue;
    }
    GString *text = g_string_new(NULL);
    if (request->flags->mlir) {
      quant_steps_print_mlir(&steps, text);
    } else {
      quant_steps_print(&steps, text);
    }
    put_text(text);
  }
  return STATUS_OK;
}

static int verb_export(const request_t *request) { return with_subject(request, export_forms); }

/* Names, or the text of one. */
static int verb_tables(const request_t *request) {
  if (request->word_count == 0) {
    for (const char *const *name = quant_target_names(); *name != NULL; name++) puts(*name);
    return EXIT_CODE_CLEAN;
  }
  const char *text = quant_target_text(str_from(request->words[0]));
  if (text == NULL) {
    complain("no table '%s'; `assay quant tables` lists them", request->words[0]);
    return EXIT_CODE_USAGE;
  }
  fputs(text, stdout);
  return EXIT_CODE_CLEAN;
}

static int verb_import(const request_t *request) {
  return quant_verb_import(request->flags, request->words[0]);
}

static int verb_fuse(const request_t *request) {
  return quant_verb_fuse(request->flags, request->words[0]);
}

static int verb_unfuse(const request_t *request) {
  return quant_verb_unfuse(request->flags, request->words[0]);
}

static int verb_revert(const request_t *request) {
  return quant_verb_revert(request->flags, request->words[0]);
}

/* ---- Verbs with executors -------------------------------------------------------------------- */

static int verb_run(const request_t *request) {
  return quant_measure(request->flags, request->words[0], request->typed_count, request->typed);
}

static int verb_fuzz(const request_t *request) {
  return quant_fuzz_verb(request->flags, request->typed_count, request->typed);
}

/* ---- The table of verbs ---------------------------------------------------------------------- */

static const struct verb {
  const char *name;
  int words_min;
  int words_max;
  int (*run)(const request_t *request);
  const char *usage;
} VERBS[] = {
    {"import", 1, 1, verb_import,
     "import FILE.mlir|FILE.pt2 [--unsigned] [--inline] [--mlir] [--out FILE]"},
    {"check", 1, 1, verb_check, "check GRAPH [--table TABLE] [--inline]"},
    {"fuse", 1, 1, verb_fuse,
     "fuse GRAPH --table TABLE [--join] [--inline] [--explain] [--mlir] [--out FILE]"},
    {"unfuse", 1, 1, verb_unfuse,
     "unfuse GRAPH [--inline] [--region NAMES|--kernel KERNELS] [--mlir] [--out FILE]"},
    {"revert", 1, 1, verb_revert,
     "revert GRAPH --region NAMES|--kernel KERNELS [--table TABLE] [--inline] [--mlir] "
     "[--out FILE]"},
    {"propagate", 1, 1, verb_propagate,
     "propagate GRAPH --table TABLE [--inline] [--mlir] [--picture FILE]"},
    {"explain", 1, 2, verb_explain,
     "explain GRAPH [REGION] --table TABLE [--inline] [--picture FILE]"},
    {"picture", 1, 1, verb_picture, "picture GRAPH --table TABLE [--inline] --picture FILE"},
    {"export", 1, 1, verb_export,
     "export GRAPH --table TABLE [--inline] [--form FORM] [--mlir|--cases]"},
    {"run", 1, 1, verb_run,
     "run GRAPH --table TABLE --executor NAME [--inline] [--form FORM] [--inputs N] "
     "[--regions HOW]"},
    {"fuzz", 0, 0, verb_fuzz,
     "fuzz [--graphs N] [--table TABLE] [--executor NAME] [--form FORM] [--inputs N] "
     "[--regions HOW]"},
    {"tables", 0, 1, verb_tables, "tables [NAME]"},
};

const char *quant_verb_name(size_t index) {
  return index < G_N_ELEMENTS(VERBS) ? VERBS[index].name : NULL;
}

const char *quant_verb_usage(size_t index) {
  return index < G_N_ELEMENTS(VERBS) ? VERBS[index].usage : NULL;
}

static int complain_about_usage(void) {
  GString *text = g_string_new("write one of:");
  for (size_t i = 0; i < G_N_ELEMENTS(VERBS); i++) {
    g_string_append_printf(text, "\n  assay quant %s", VERBS[i].usage);
  }
  complain("%s", text->str);
  g_string_free(text, TRUE);
  return EXIT_CODE_USAGE;
}

static int dispatch(const request_t *request, const char *name) {
  for (size_t i = 0; i < G_N_ELEMENTS(VERBS); i++) {
    if (strcmp(VERBS[i].name, name) != 0) continue;
    bool fits =
        request->word_count >= VERBS[i].words_min && request->word_count <= VERBS[i].words_max;
    if (fits) return VERBS[i].run(request);
    complain("write `assay quant %s`", VERBS[i].usage);
    return EXIT_CODE_USAGE;
  }
  return complain_about_usage();
}

static void add_arguments(quant_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"table", 0, 0, G_OPTION_ARG_STRING, &flags->table,
       "The target's constraints: a name of `assay quant tables`, or a file", "TABLE"},
      {"form", 0, 0, G_OPTION_ARG_STRING_ARRAY, &flags->lowerings,
       "fixed, float or integer; may be given several times (default: all)", "FORM"},
      {"picture", 0, 0, G_OPTION_ARG_FILENAME, &flags->picture,
       "Draw the model: FILE.svg by Graphviz, else in its language", "FILE"},
      {"explain", 0, 0, G_OPTION_ARG_NONE, &flags->explain,
       "fuse: say what every op became, and why; the graph goes to --out alone", NULL},
      {"join", 0, 0, G_OPTION_ARG_NONE, &flags->join,
       "fuse: join regions that are there to coarser ones, in place of wrapping ops", NULL},
      {"region", 0, 0, G_OPTION_ARG_STRING, &flags->region,
       "unfuse, revert: these regions, with commas between them", "NAMES"},
      {"kernel", 0, 0, G_OPTION_ARG_STRING, &flags->kernel,
       "unfuse, revert: all regions of these kernels", "KERNELS"},
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &flags->out,
       "import, fuse, unfuse, revert: write the graph to this file", "FILE"},
      {"mlir", 0, 0, G_OPTION_ARG_NONE, &flags->mlir, "Print an MLIR module", NULL},
      {"inline", 0, 0, G_OPTION_ARG_NONE, &flags->inlined,
       "Inline subprograms first, instead of a copy for each way in which they are quantized",
       NULL},
      {"cases", 0, 0, G_OPTION_ARG_NONE, &flags->cases,
       "export: print case lines, for `assay replay`", NULL},
      {"values", 0, 0, G_OPTION_ARG_NONE, &flags->values,
       "run: print the errors of every value, not of outputs alone", NULL},
      {"regions", 0, 0, G_OPTION_ARG_STRING, &flags->regions,
       "run, fuzz: regions step by step (steps, the default), as one program each (whole), or "
       "both, "
       "compared",
       "HOW"},
      {"inputs", 0, 0, G_OPTION_ARG_INT64, &flags->inputs,
       "run, fuzz: sets of inputs for each graph (default 8)", "N"},
      {"graphs", 0, 0, G_OPTION_ARG_INT64, &flags->graphs, "fuzz: graphs to draw (default 1000)",
       "N"},
      {"unsigned", 0, 0, G_OPTION_ARG_NONE, &flags->is_unsigned,
       "import: unsigned storage for fake-quant ops that name none", NULL},
      {"save", 0, 0, G_OPTION_ARG_FILENAME, &flags->save,
       "fuzz: keep graphs that break a property, or diverge, in this folder", "FOLDER"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
  task_flags_add(&flags->task, arguments);
  task_flags_add_json(&flags->task, arguments);
}

static void flags_free(quant_flags_t *flags) {
  task_flags_free(&flags->task);
  g_free(flags->table);
  g_strfreev(flags->lowerings);
  g_free(flags->picture);
  g_free(flags->save);
  g_free(flags->region);
  g_free(flags->kernel);
  g_free(flags->out);
  g_free(flags->regions);
}

int command_quant(const command_t *command, int argc, char **argv) {
  quant_flags_t flags = {.inputs = INPUTS_DEFAULT, .graphs = GRAPHS_DEFAULT};
  arguments_t arguments = arguments_make(command);
  add_arguments(&flags, &arguments);
  char **typed = g_strdupv(argv);
  int typed_count = argc, exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 3)) {
    const request_t request = {.flags = &flags,
                               .words = argv + 2,
                               .word_count = argc - 2,
                               .typed_count = typed_count,
                               .typed = typed};
    exit_code = argc < 2 ? complain_about_usage() : dispatch(&request, argv[1]);
  }
  g_strfreev(typed);
  flags_free(&flags);
  return exit_code;
}
