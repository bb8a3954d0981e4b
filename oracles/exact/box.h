/* Boxes: what every element of a tensor may be, as an interval of real numbers with binary64 ends,
 * for enclosing whole programs.  Of quantized tensors and integers the numbers are what is stored;
 * box_value() tells what they stand for.  All arithmetic rounds outwards. */
#ifndef ASSAY_ORACLES_EXACT_BOX_H
#define ASSAY_ORACLES_EXACT_BOX_H

#include "harness/model/case.h"

/* low <= high; not NaN.  What may overflow, or be NaN or an infinity, is the whole line. */
typedef struct box {
  double low;
  double high;
} box_t;

#endif
