/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the executor ABI over a PJRT plugin. */
#include "harness/exec/pjrt/pjrt.h"

#include "harness/exec/pjrt/client.h"
#include "harness/exec/pjrt/probe.h"
#include "harness/exec/pjrt/program.h"

char *pjrt_header_version(void) { return g_strdup_printf("%d.%d", PJRT_API_MAJOR, PJRT_API_MINOR); }

/* A client that understands us. */
static int32_t open_probed(const char *options, void **out_self, assay_reason_t *reason) {
  int32_t code = pjrt_client_open(options, out_self, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  code = pjrt_probe(*out_self, reason);
  if (code != ASSAY_EXECUTOR_OK) pjrt_client_close(*out_self);
  return code;
}

const assay_executor_t *pjrt_executor(void) {
  static const assay_executor_t table = {
      .abi = ASSAY_EXECUTOR_ABI,
      .struct_size = sizeof(assay_executor_t),
      .open = open_probed,
      .name = pjrt_client_name,
      .version = pjrt_client_version,
      .hardware = pjrt_client_hardware,
      .compile = pjrt_program_compile,
      .execute = pjrt_program_execute,
      .release = pjrt_program_release,
      .close = pjrt_client_close,
      .validates = 1, /* The dialect's verifier does, behind its parser. */
      .compiling_is_dear = 1,
  };
  return &table;
}
