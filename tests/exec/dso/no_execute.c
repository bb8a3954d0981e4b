#include "tests/exec/dso/backend.h"

BACKEND_WITH(execute, NULL)
