/* SPDX-License-Identifier: Apache-2.0 */
/* Random quantization constraints as text: storage types, calibration ranges (extreme ones
 * included), scales and zero points, few enough that equal parameters often meet. */
#include "harness/quant/spec/draw.h"

quant_draw_storage_t quant_draw_storage(rng_t *rng) {
  static const quant_draw_storage_t TYPES[] = {
      {.name = "i8", .type_min = -128, .type_max = 127},
      {.name = "ui8", .type_min = 0, .type_max = 255},
      {.name = "i16", .type_min = -32768, .type_max = 32767},
      {.name = "i4", .type_min = -8, .type_max = 7},
      {.name = "i32", .type_min = INT32_MIN, .type_max = INT32_MAX},
  };
  size_t choice = rng_one_in(rng, 2) ? 0 : (size_t)rng_below(rng, G_N_ELEMENTS(TYPES));
  quant_draw_storage_t storage = TYPES[choice];
  storage.minimum = storage.type_min;
  storage.maximum = storage.type_max;
  if (storage.type_min < 0 && rng_one_in(rng, 4)) storage.minimum++; /* As symmetric weights. */
  if (rng_one_in(rng, 10)) {
    storage.minimum = rng_between(rng, storage.type_min, storage.type_max - 1);
    storage.maximum = rng_between(rng, storage.minimum + 1, storage.type_max);
  }
  return storage;
}

void quant_draw_storage_text(const quant_draw_storage_t *storage, GString *out_text) {
  g_string_append(out_text, storage->name);
  if (storage->minimum == storage->type_min && storage->maximum == storage->type_max) return;
  g_string_append_printf(out_text, "<%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ">", storage->minimum,
                         storage->maximum);
}

void quant_draw_calibration_text(rng_t *rng, const element_t *expressed, GString *out_text) {
  static const char *const RANGES[] = {
      "-1.0:1.0",   "0.0:6.0",  "-0.5:1.5", "-6.0:6.0", "0.0:1.0",         "-3.25:2.0",
      "-2.0:-0.25", "1.5:12.0", "0.0:0.0",  "-0.1:0.3", "-100.0:37.7",     "-127.0:127.0",
      "-8.0:7.9",   "-0.0:0.0", "5.0:5.0",  "-1.0:0.0", "-0.00001:0.00001"};
  /* Ranges that no scale, or only a coarse one, can hold. */
  static const char *const EXTREMES[] = {"-1e-45:1e-44", "-60000.0:60000.0", "-3e38:3e38",
                                         "0.0:1e-300", "-1e300:1e300"};
  const char *range = rng_one_in(rng, 60) ? EXTREMES[rng_below(rng, G_N_ELEMENTS(EXTREMES))]
                                          : RANGES[rng_below(rng, G_N_ELEMENTS(RANGES))];
  g_string_append_printf(out_text, "!quant.calibrated<%s<%s>>", expressed->name, range);
}

/* A scale, which all float formats have, and a zero point within the range. */
static void append_scale(rng_t *rng, const quant_draw_storage_t *storage, GString *out_text) {
  static const char *const SCALES[] = {"0.5",   "0.25",    "0.125",      "1.0",  "0.0625",
                                       "0.375", "0.03125", "0.00390625", "1.25", "2.0"};
  g_string_append(out_text, SCALES[rng_below(rng, G_N_ELEMENTS(SCALES))]);
  bool has_zero = storage->minimum <= 0 && storage->maximum >= 0;
  if (has_zero && rng_one_in(rng, 2)) return;
  int64_t low = storage->minimum, high = storage->maximum;
  if (has_zero && rng_one_in(rng, 2)) { /* Few, so that parameters are often alike. */
    low = low < -1 ? -1 : low;
    high = high > 3 ? 3 : high;
  }
  g_string_append_printf(out_text, ":%" G_GINT64_FORMAT, rng_between(rng, low, high));
}

static void append_uniform(rng_t *rng, const type_t *type, GString *out_text) {
  quant_draw_storage_t storage = quant_draw_storage(rng);
  g_string_append(out_text, "!quant.uniform<");
  quant_draw_storage_text(&storage, out_text);
  g_string_append_printf(out_text, ":%s", type->element->name);
  if (type->rank == 0 || !rng_one_in(rng, 5)) {
    g_string_append(out_text, ", ");
    append_scale(rng, &storage, out_text);
  } else {
    uint32_t axis = rng_one_in(rng, 2) ? type->rank - 1 : (uint32_t)rng_below(rng, type->rank);
    g_string_append_printf(out_text, ":%u, {", axis);
    for (int64_t i = 0; i < type->dims[axis]; i++) {
      if (i > 0) g_string_append(out_text, ", ");
      append_scale(rng, &storage, out_text);
    }
    g_string_append_c(out_text, '}');
  }
  g_string_append_c(out_text, '>');
}

void quant_draw_spec_text(rng_t *rng, const type_t *type, GString *out_text) {
  uint64_t choice = rng_below(rng, 100);
  if (choice < 5) {
    g_string_append(out_text, "unit");
  } else if (choice < 10) {
    bool is_narrow = choice >= 8 && type->element->bits > 16;
    const char *narrow = choice == 8 ? "bf16" : "f16";
    g_string_append(out_text, is_narrow ? narrow : type->element->name);
  } else if (choice < 22) {
    quant_draw_storage_t storage = quant_draw_storage(rng);
    g_string_append(out_text, "!quant.any<");
    quant_draw_storage_text(&storage, out_text);
    g_string_append_printf(out_text, ":%s>", type->element->name);
  } else if (choice < 65) {
    quant_draw_calibration_text(rng, type->element, out_text);
  } else {
    append_uniform(rng, type, out_text);
  }
}
