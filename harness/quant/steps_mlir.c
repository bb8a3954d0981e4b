#include "harness/quant/export.h"

void quant_steps_print_mlir(const quant_steps_t *steps, GString *out_text) {
  (void)steps;
  (void)out_text;
}
