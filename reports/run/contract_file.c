/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an inferred contract: a base, what differs from it, and in comments the evidence. */
#include "reports/run/contract_file.h"

#include <string.h>

#include "harness/base/plain_text.h"

static void print_head(const contract_file_t *file, GString *out) {
  g_autofree char *name = plain_text(executor_name(file->executor));
  g_autofree char *version = plain_text(executor_version(file->executor));
  g_string_append_printf(out,
                         "# What %zu results of %s %s kept, inferred by assay %s%s%s.\n"
                         "# A permission is withdrawn where all of them conform without it, and "
                         "enough cases could have told.\n",
                         infer_case_count(file->infer), name, version, file->assay_version,
                         file->types == NULL ? "" : ", types ",
                         file->types == NULL ? "" : file->types);
  if (file->diverged > 0) {
    g_string_append_printf(out, "# %" G_GUINT64_FORMAT " cases that diverge were left out.\n",
                           file->diverged);
  }
  if (file->was_stopped) {
    g_string_append(out, "# It was stopped: with this file as --contract it goes on from here.\n");
  }
}

static const char *spelling_in(const contract_t *contract, size_t permission) {
  return contract_spelling(contract_permission_name(permission), contract->values[permission]);
}

static void print_withdrawn(const contract_file_t *file, size_t i, GString *out) {
  infer_finding_t finding = infer_finding(file->infer, i);
  const char *name = contract_permission_name(i);
  if (finding.state == INFER_WITHDRAWN) {
    g_string_append_printf(out, "# Not %s: %zu cases or more could have told.\n",
                           spelling_in(file->begun, i), finding.telling);
  }
  g_string_append_printf(out, "%s = %s\n", name, spelling_in(infer_contract(file->infer), i));
}

/* The permissions in that state, after a comment. */
static void print_state(const contract_file_t *file, infer_state_t state, const char *words,
                        GString *out) {
  g_autoptr(GString) list = g_string_new(NULL);
  for (size_t i = 0; i < contract_permission_count(); i++) {
    if (infer_finding(file->infer, i).state != state) continue;
    g_string_append_printf(list, "#   %s=%s\n", contract_permission_name(i),
                           spelling_in(infer_contract(file->infer), i));
  }
  if (list->len > 0) g_string_append_printf(out, "\n# %s\n%s", words, list->str);
}

static void print_needs(const contract_file_t *file, GString *out) {
  bool has_head = false;
  for (size_t i = 0; i < contract_permission_count(); i++) {
    infer_finding_t finding = infer_finding(file->infer, i);
    if (finding.state != INFER_NEEDED) continue;
    if (!has_head) g_string_append(out, "\n# Needed, each with a case that shows it:\n");
    has_head = true;
    g_autofree char *line = g_strndup(finding.case_line, 300);
    g_string_append_printf(out, "#   %s=%s: %s%s\n", contract_permission_name(i),
                           spelling_in(infer_contract(file->infer), i), line,
                           strlen(finding.case_line) > 300 ? "..." : "");
  }
}

void contract_file_print(const contract_file_t *file, GString *out_text) {
  const contract_t backend = contract_backend();
  const contract_t *contract = infer_contract(file->infer);
  print_head(file, out_text);
  g_string_append(out_text, "[contract]\nbase = backend\ninferred = yes\n");
  for (size_t i = 0; i < contract_permission_count(); i++) {
    bool is_inferred = strcmp(contract_permission_name(i), "inferred") == 0;
    if (contract->values[i] != backend.values[i] && !is_inferred) {
      print_withdrawn(file, i, out_text);
    }
  }
  print_needs(file, out_text);
  print_state(file, INFER_UNTOLD, "Too few cases could have told:", out_text);
}
