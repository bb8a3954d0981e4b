#include "tests/exec/dso/backend.h"

BACKEND_WITH(struct_size, sizeof(assay_executor_t) - sizeof(void *))
