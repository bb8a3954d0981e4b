#include "tests/exec/dso/adder.h"

ADDER("1.0", 8, 8, 1)
