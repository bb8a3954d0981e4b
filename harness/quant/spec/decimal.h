/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as decimal text: what specs and constants of graphs are written in. */
#ifndef ASSAY_QUANT_SPEC_DECIMAL_H
#define ASSAY_QUANT_SPEC_DECIMAL_H

#include <glib.h>

#include "harness/base/text.h"
#include "harness/num/format.h"

/* Takes the longest run of bytes that numbers and the words inf, -inf and nan are made of. */
str_t decimal_take(scan_t *scan);

/* Reads "-0.5", "3", "1.5e-3" or "0x1.8p-3" as the nearest number of the format (ties to even; from
 * the text itself, never by way of binary64), and where `has_words` inf, -inf and nan too.  False
 * if it is none of these, or lies where the format has no number. */
bool decimal_read(str_t text, const format_t *format, bool has_words, uint64_t *out_bits);

/* Prints a pattern as a decimal of the fewest significant digits, always with a point, that
 * decimal_read() gives back as that pattern; inf, -inf and nan as words.  False, with nothing
 * printed, for a NaN other than the one that the word is read as. */
bool decimal_print(const format_t *format, uint64_t bits, GString *out_text);

/* The same for binary64 numbers, which are finite. */
bool decimal_read_double(str_t text, double *out_value);
void decimal_print_double(double value, GString *out_text);

#endif
