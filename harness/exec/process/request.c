/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/exec/process/request.h"

#include <inttypes.h>
#include <string.h>

static void print_shapes(const type_t *types, uint32_t count, const int64_t (*dims)[TYPE_RANK_MAX],
                         GString *out_text) {
  for (uint32_t i = 0; i < count; i++) {
    g_string_append(out_text, " [");
    for (uint32_t dim = 0; dim < types[i].rank; dim++) {
      g_string_append_printf(out_text, "%s%" PRId64, dim == 0 ? "" : ",", dims[i][dim]);
    }
    g_string_append_c(out_text, ']');
  }
}

void end_request(const process_handle_t *handle, const call_shapes_t *shapes, const char *module,
                 GString *line) {
  if (shapes != NULL) {
    g_string_append(line, " :");
    print_shapes(handle->operands, handle->operand_count, shapes->operands, line);
    g_string_append(line, " ->");
    print_shapes(handle->results, handle->result_count, shapes->results, line);
  }
  if (module != NULL) g_string_append_printf(line, " : %zu", strlen(module));
  g_string_append_c(line, '\n');
}
