/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the windows of pooling and convolution off the attributes' text, and what lies in their
 * padding otherwise than it should. */
#include "harness/diagnose/change/windows.h"

#include <string.h>

#include "harness/diagnose/change/change.h"

/* ---- The text -------------------------------------------------------------------------------- */

/* The numbers of the list behind " KEY=[", whose own lists are taken as one; returns how many. */
static size_t read_numbers(const char *text, const char *key, int64_t *out, size_t max) {
  const char *at = strstr(text, key);
  size_t count = 0;
  if (at == NULL) return 0;
  for (at += strlen(key); *at != '\0' && *at != ' ' && count < max;) {
    bool is_number = g_ascii_isdigit(*at) || *at == '-';
    if (!is_number) {
      at++;
      continue;
    }
    char *end;
    out[count++] = g_ascii_strtoll(at, &end, 10);
    at = end > at ? end : at + 1;
  }
  return count;
}

/* Where the spatial dimensions of the tensor number `tensor` of "[b,0,1,f]x[0,1,i,o]->[b,0,1,f]"
 * are; returns how many there are. */
static size_t read_spatial(const char *text, size_t tensor, int64_t out[TYPE_RANK_MAX]) {
  const char *at = strstr(text, " dimension_numbers=");
  size_t count = 0;
  for (size_t i = 0; at != NULL && i <= tensor; i++) at = strchr(at + 1, '[');
  if (at == NULL) return 0;
  int64_t place = 0;
  for (at++; *at != ']' && *at != '\0'; at++) {
    if (*at == ',') place++;
    if (!g_ascii_isdigit(*at)) continue;
    size_t dim = (size_t)(*at - '0');
    if (dim >= TYPE_RANK_MAX) return 0;
    out[dim] = place;
    count++;
  }
  return count;
}

enum { INPUT, KERNEL, OUTPUT };

/* Which dimensions windows slide over: of the input, of the windows and of what counts them. */
typedef struct slid {
  size_t count;
  int64_t input[TYPE_RANK_MAX], size[TYPE_RANK_MAX], counts[TYPE_RANK_MAX];
} slid_t;

static bool is_within(const int64_t *dims, size_t count, uint32_t rank) {
  for (size_t i = 0; i < count; i++) {
    if (dims[i] < 0 || dims[i] >= rank) return false;
  }
  return true;
}

/* Of a convolution. */
static bool find_spatial(const program_t *program, const char *text, slid_t *out_slid) {
  int64_t kernel[TYPE_RANK_MAX], output[TYPE_RANK_MAX];
  const size_t count = read_spatial(text, INPUT, out_slid->input);
  bool is_known = program->operand_count == 2 && program->result_count == 1 &&
                  read_spatial(text, KERNEL, kernel) == count &&
                  read_spatial(text, OUTPUT, output) == count &&
                  is_within(out_slid->input, count, program->operands[0].rank) &&
                  is_within(kernel, count, program->operands[1].rank) &&
                  is_within(output, count, program->results[0].rank);
  out_slid->count = is_known ? count : 0;
  for (size_t i = 0; i < out_slid->count; i++) {
    out_slid->size[i] = program->operands[1].dims[kernel[i]];
    out_slid->counts[i] = program->results[0].dims[output[i]];
  }
  return is_known;
}

/* Of a reduction of windows: all dimensions.  One of a single result and three operands scatters,
 * and the second of them counts. */
static bool find_pooled(const program_t *program, const char *text, slid_t *out_slid) {
  const bool scatters = program->operand_count == 3 && program->result_count == 1;
  const type_t *counts = scatters ? &program->operands[1] : &program->results[0];
  const size_t rank = program->operands[0].rank;
  const size_t count =
      read_numbers(text, " window_dimensions=", out_slid->size, G_N_ELEMENTS(out_slid->size));
  if (count != rank || counts->rank != rank) return false;
  out_slid->count = rank;
  for (size_t i = 0; i < rank; i++) {
    out_slid->input[i] = (int64_t)i;
    out_slid->counts[i] = counts->dims[i];
  }
  return true;
}

/* A list of which there is one number for each dimension slid over, or none: then all are 1. */
static bool read_list(const char *text, const char *const keys[2], size_t count,
                      int64_t out[TYPE_RANK_MAX]) {
  for (size_t i = 0; i < count; i++) out[i] = 1;
  for (size_t k = 0; k < 2; k++) {
    int64_t numbers[TYPE_RANK_MAX];
    if (keys[k] == NULL || strstr(text, keys[k]) == NULL) continue;
    if (read_numbers(text, keys[k], numbers, G_N_ELEMENTS(numbers)) != count) return false;
    memcpy(out, numbers, count * sizeof *out);
  }
  return true;
}

bool slides_of(const program_t *program, slides_t *out_slides) {
  static const char *const strides[] = {" window_strides=", NULL};
  static const char *const inner[] = {" base_dilations=", " lhs_dilation="};
  static const char *const outer[] = {" window_dilations=", " rhs_dilation="};
  g_autoptr(GString) text = g_string_new(NULL);
  program_print_attributes(program, text);
  slid_t slid = {.count = 0};
  if (program->operand_count == 0 || strstr(text->str, " padding=") == NULL) return false;
  const bool has_kernel = strstr(text->str, " dimension_numbers=") != NULL;
  bool is_known =
      has_kernel ? find_spatial(program, text->str, &slid) : find_pooled(program, text->str, &slid);
  int64_t stride[TYPE_RANK_MAX], base[TYPE_RANK_MAX], window[TYPE_RANK_MAX];
  int64_t padding[2 * TYPE_RANK_MAX];
  if (!is_known || slid.count == 0 || !read_list(text->str, strides, slid.count, stride) ||
      !read_list(text->str, inner, slid.count, base) ||
      !read_list(text->str, outer, slid.count, window) ||
      read_numbers(text->str, " padding=", padding, G_N_ELEMENTS(padding)) != 2 * slid.count)
    return false;
  *out_slides = (slides_t){.has_kernel = has_kernel, .count = (uint32_t)slid.count};
  for (size_t i = 0; i < slid.count; i++) {
    out_slides->items[i] = (slide_t){.dim = (uint32_t)slid.input[i],
                                     .length = program->operands[0].dims[slid.input[i]],
                                     .count = slid.counts[i],
                                     .window = {.size = slid.size[i],
                                                .stride = stride[i],
                                                .base_dilation = base[i],
                                                .window_dilation = window[i],
                                                .low = padding[2 * i],
                                                .high = padding[2 * i + 1]}};
  }
  return true;
}

/* Places the list under a key by another one. */
static void replace_list(GString *text, const char *key, const char *list) {
  const char *at = strstr(text->str, key);
  if (at == NULL) return;
  const size_t begin = (size_t)(at - text->str) + strlen(key);
  const size_t length = strcspn(text->str + begin, " ");
  g_string_erase(text, (gssize)begin, (gssize)length);
  g_string_insert(text, (gssize)begin, list);
}

void slides_print_padded(const program_t *program, const slides_t *slides, bool is_dense,
                         GString *out_attributes) {
  g_autoptr(GString) padding = g_string_new("[");
  g_autoptr(GString) ones = g_string_new("[");
  for (uint32_t i = 0; i < slides->count; i++) {
    const window_t *window = &slides->items[i].window;
    g_string_append_printf(padding, "%s[%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "]",
                           i == 0 ? "" : ",", window->low, window->high);
    g_string_append(ones, i == 0 ? "1" : ",1");
  }
  g_string_append_c(padding, ']');
  g_string_append_c(ones, ']');
  g_string_truncate(out_attributes, 0);
  program_print_attributes(program, out_attributes);
  replace_list(out_attributes, " padding=", padding->str);
  if (!is_dense) return;
  replace_list(out_attributes, " base_dilations=", ones->str);
  replace_list(out_attributes, " lhs_dilation=", ones->str);
}

/* ---- As many windows as there are results ---------------------------------------------------- */

/* Sizes beyond which nothing is closed, so that no number here overflows. */
enum { SIZE_MAX_CLOSED = 1 << 20 };

static bool is_closable(const slide_t *slide) {
  const window_t *w = &slide->window;
  const int64_t all[] = {w->size,      w->stride,   w->base_dilation, w->window_dilation,
                         slide->count, ABS(w->low), slide->length};
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
    if (all[i] > SIZE_MAX_CLOSED || (i < 5 && all[i] < 1)) return false;
  }
  return true;
}

static int64_t dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

/* Those of a program, each of which can be closed. */
static bool closable_slides(const program_t *program, slides_t *out_slides) {
  bool are_closable = slides_of(program, out_slides);
  for (uint32_t i = 0; are_closable && i < out_slides->count; i++) {
    are_closable = is_closable(&out_slides->items[i]);
  }
  return are_closable;
}

bool slides_close(const program_t *program, GString *out_attributes) {
  slides_t slides;
  bool is_other = false;
  if (!closable_slides(program, &slides)) return false;
  for (uint32_t i = 0; i < slides.count; i++) {
    slide_t *slide = &slides.items[i];
    window_t *window = &slide->window;
    const int64_t reach =
        (slide->count - 1) * window->stride + dilated(window->size, window->window_dilation);
    const int64_t high = reach - window->low - dilated(slide->length, window->base_dilation);
    is_other |= high != window->high;
    window->high = high;
  }
  slides_print_padded(program, &slides, false, out_attributes);
  return is_other;
}

bool slides_align_end(const program_t *program, GString *out_attributes) {
  slides_t slides;
  bool is_other = false;
  if (!closable_slides(program, &slides)) return false;
  for (uint32_t i = 0; i < slides.count; i++) {
    slide_t *slide = &slides.items[i];
    window_t *window = &slide->window;
    if (ABS(window->high) > SIZE_MAX_CLOSED) return false;
    const int64_t whole = window->low + dilated(slide->length, window->base_dilation) +
                          window->high - dilated(window->size, window->window_dilation);
    const int64_t rest = whole < 0 ? 0 : whole % window->stride;
    is_other |= rest > 0;
    window->low -= rest;
    window->high += rest;
  }
  slides_print_padded(program, &slides, false, out_attributes);
  return is_other;
}
