/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of torch.export as MLIR modules, by harness/exec/workers/mlir_import/torch_export.py. */
#ifndef ASSAY_EXEC_MLIR_IMPORT_TORCH_EXPORT_H
#define ASSAY_EXEC_MLIR_IMPORT_TORCH_EXPORT_H

#include <glib.h>

#include "harness/base/status.h"

/* Reads the file at `path` (.pt2) in the environment of executor torch; `directory` is where
 * workers lie, NULL for `workers` beside the program.  Appends the module's text.  STATUS_INVALID
 * for a file that is no such program, or has what is not read; STATUS_IO, with what to do, if
 * PyTorch is not installed. */
status_t torch_export_read(const char *directory, const char *path, GString *out_module,
                           failure_t *error);

#endif
