#include "tests/exec/dso/adder.h"

ADDER("2.0", 8, 16, 32)
