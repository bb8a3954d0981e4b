/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all planted faults. */
#include "harness/model/fault.h"

#include <glib.h>

#include "generated/all_faults.h"

static const fault_row_t rows[] = {
#define FAULT(name, summary) {FAULT_##name, #name, summary},
#include "harness/model/faults/computing.def"

#include "generated/all_faults.def"
#undef FAULT
};

size_t fault_count(void) { return G_N_ELEMENTS(rows); }

const fault_row_t *fault_at(size_t index) {
  g_assert(index < G_N_ELEMENTS(rows));
  return &rows[index];
}

fault_t fault_find(str_t name) {
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (str_equal_text(name, rows[i].name)) return rows[i].fault;
  }
  return FAULT_NONE;
}

const char *fault_name(fault_t fault) {
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (rows[i].fault == fault) return rows[i].name;
  }
  g_assert_not_reached();
}
