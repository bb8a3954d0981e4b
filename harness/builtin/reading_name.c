/* SPDX-License-Identifier: Apache-2.0 */
/* Words of builtin executors' names that say how they read programs (op_t.readings). */
#include "harness/builtin/reading_name.h"

#include <string.h>

#include "harness/model/contract.h"
#include "harness/model/op.h"

/* Whether one of these ops lists the permission among its readings. */
static bool is_reading_of(const op_t *const *op, str_t key) {
  for (; *op != NULL; op++) {
    for (const char *const *reading = (*op)->readings; reading != NULL && *reading != NULL;
         reading++) {
      if (strncmp(*reading, key.data, key.size) != 0 || (*reading)[key.size] != '=') continue;
      for (size_t i = 0; i < contract_permission_count(); i++) {
        if (str_equal_text(key, contract_permission_name(i))) return true;
      }
    }
  }
  return false;
}

static bool is_reading(str_t key) {
  return is_reading_of(op_all(), key) || is_reading_of(op_compound(), key);
}

bool reading_name_parse(scan_t *scan, implementation_model_t *inout_schedule, status_t *out_status,
                        failure_t *error) {
  const scan_t start = *scan;
  if (!is_reading(scan_until(scan, "=+"))) {
    *scan = start;
    return false;
  }
  *scan = start;
  str_t setting = scan_until(scan, "+,");
  g_autoptr(GString) text = g_string_new(inout_schedule->readings);
  g_string_append_printf(text, "%s%.*s", text->len == 0 ? "" : ",", STR_FORMAT(setting));
  contract_t contract;
  *out_status = contract_parse(str_from(text->str), &contract, error);
  if (*out_status == STATUS_OK) inout_schedule->readings = g_intern_string(text->str);
  return true;
}
