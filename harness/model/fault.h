/* SPDX-License-Identifier: Apache-2.0 */
/* The planted faults.  Those of faults/ are declared here.  Those of one folder of oracles are
 * rows of a table there, FOLDER_faults.def, and declared by generated/FOLDER_faults.h, with numbers
 * of their own, so that a row more is the business of that folder and of fault.c alone. */
#ifndef ASSAY_MODEL_FAULT_H
#define ASSAY_MODEL_FAULT_H

#include <stddef.h>

#include "harness/base/text.h"
#include "harness/model/implementation_model.h"

enum fault_of_no_folder {
  BEFORE_FAULTS_OF_NO_FOLDER = FAULT_NONE,
#define FAULT(name, summary) FAULT_##name,
#include "harness/model/faults/computing.def"
#undef FAULT
  FAULTS_OF_NO_FOLDER_END
};

typedef struct fault_row {
  fault_t fault;
  const char *name;    /* "drop_last_term": the executor is canary:drop_last_term. */
  const char *summary; /* What it does. */
} fault_row_t;

/* All faults but FAULT_NONE: those of faults/, then those of the folders. */
size_t fault_count(void);
const fault_row_t *fault_at(size_t index);

/* The fault of that name, or FAULT_NONE; the name of a fault other than FAULT_NONE. */
fault_t fault_find(str_t name);
const char *fault_name(fault_t fault);

#endif
