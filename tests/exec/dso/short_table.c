#include <stddef.h>

#include "tests/exec/dso/backend.h"

BACKEND_WITH(struct_size, offsetof(assay_executor_t, close))
