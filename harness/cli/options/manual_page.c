/* SPDX-License-Identifier: Apache-2.0 */
/* Generates the manual page in roff from the tables of verbs, options and contracts; escapes
 * everything that roff would interpret. */
#include "harness/cli/options/manual_page.h"

#include <stdbool.h>
#include <string.h>

#include "harness/cli/options/contract_help.h"
#include "harness/cli/options/option_table.h"

/* Text that roff shows as it is: no escapes, no ligature hyphens, no requests at a line's begin. */
static void print_text(GString *out, const char *text) {
  bool at_line_begin = out->len == 0 || out->str[out->len - 1] == '\n';
  for (const char *p = text; *p != '\0'; p++) {
    if (at_line_begin && (*p == '.' || *p == '\'')) g_string_append(out, "\\&");
    switch (*p) {
      case '\\':
        g_string_append(out, "\\e");
        break;
      case '-':
        g_string_append(out, "\\-");
        break;
      case '^':
        g_string_append(out, "\\(ha");
        break;
      case '~':
        g_string_append(out, "\\(ti");
        break;
      case '`':
        g_string_append(out, "\\(ga");
        break;
      case '\'':
        g_string_append(out, "\\(aq");
        break;
      case ',': /* A list without blanks may be longer than a line. */
        g_string_append(out, at_line_begin || p[1] == '\0' || g_ascii_isspace(p[1]) ? "," : ",\\:");
        break;
      default:
        g_string_append_c(out, *p);
        break;
    }
    at_line_begin = *p == '\n';
  }
}

static void print_bold(GString *out, const char *text) {
  g_string_append(out, "\\fB");
  print_text(out, text);
  g_string_append(out, "\\fR");
}

/* Lines that stay as they are. */
static void print_block(GString *out, const char *text) {
  g_string_append(out, ".PP\n.nf\n");
  print_text(out, text);
  g_string_append(out, "\n.fi\n");
}

static void print_option(GString *out, const option_row_t *row) {
  g_string_append(out, ".TP\n");
  if (row->letter != '\0') {
    g_string_append_printf(out, "\\fB\\-%c\\fR, ", row->letter);
  }
  g_string_append(out, "\\fB\\-\\-");
  print_text(out, row->name);
  g_string_append(out, "\\fR");
  if (row->value != NULL) {
    g_string_append(out, "=\\fI");
    print_text(out, row->value);
    g_string_append(out, "\\fR");
  }
  g_string_append_c(out, '\n');
  print_text(out, row->text);
  g_string_append_c(out, '\n');
}

static void print_verb(GString *out, const command_t *command) {
  g_string_append(out, ".SS ");
  print_text(out, command->name);
  g_string_append(out, "\n.PP\n\\fBassay ");
  print_text(out, command->name);
  g_string_append(out, "\\fR ");
  print_text(out, command->usage);
  g_string_append(out, "\n.PP\n");
  print_text(out, command->summary);
  g_string_append(out, ".\n");
  GArray *table = option_table_make(command);
  for (guint i = 0; i < table->len; i++) {
    print_option(out, &g_array_index(table, option_row_t, i));
  }
  g_array_unref(table);
}

static void print_contracts(GString *out) {
  GString *text = g_string_new(NULL);
  contract_help_print(text);
  g_string_append(out, ".SH CONTRACTS\n");
  print_text(out,
             "A verdict is given under a contract (--contract): spec, backend, wide, identified, a "
             "file"
             " @FILE, or KEY=VALUE,... over backend.\n");
  g_strchomp(text->str);
  print_block(out, text->str);
  g_string_free(text, TRUE);
}

void manual_page_print(GString *out) {
  g_string_append(out, ".TH ASSAY 1 \"\" \"Assay " ASSAY_VERSION
                       "\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\nassay \\- test implementations "
                       "of tensor operations against an exact oracle\n.SH SYNOPSIS\n");
  print_bold(out, "assay");
  g_string_append(out, " \\fIVERB\\fR [\\fIOPTION\\fR ...]\n.SH DESCRIPTION\n");
  print_text(out,
             "Draws instances of tensor operations, computes which results a conforming"
             " implementation may return, runs them on a backend, and says what diverged.  Standard"
             " output is data, standard error is talk.\n");
  g_string_append(out, ".SH VERBS\n");
  for (const command_t *command = command_table; command->name != NULL; command++) {
    print_verb(out, command);
  }
  g_string_append(out, ".SH EXECUTORS\n");
  print_text(out, cli_executors_text);
  g_string_append_c(out, '\n');
  print_contracts(out);
  g_string_append(out, ".SH ENVIRONMENT\n");
  print_text(out, cli_environment_text);
  g_string_append(out, "\n.SH EXIT STATUS\n");
  print_text(out, cli_exit_codes_text);
  g_string_append(out, "\n.SH EXAMPLES\n");
  print_block(out,
              "assay run --op stablehlo.reduce --executor onednn --time 30s --db nightly.db\n"
              "assay query by-op --db nightly.db\n"
              "assay replay 'CASE LINE' --executor onednn\n"
              "assay vet --executor 'proc:python3 mine.py' --cases 20000 > vet.tap\n"
              "prove --exec cat vet.tap");
}
