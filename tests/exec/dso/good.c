#include "tests/exec/dso/backend.h"

BACKEND_WITH(abi, ASSAY_EXECUTOR_ABI)
