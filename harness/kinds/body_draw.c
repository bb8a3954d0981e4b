/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that people reduce with, for random programs. */
#include "harness/draw/draw.h"
#include "harness/kinds/body.h"

/* What an argument is drawn from. */
typedef enum argument_kind {
  KIND_NONE,
  KIND_VALUE, /* A float, or now and then an integer. */
  KIND_FLOAT,
  KIND_LIKE_FIRST,
  KIND_INTEGER,
  KIND_BITS, /* An integer or boolean. */
} argument_kind_t;

typedef struct usual_body {
  argument_kind_t arguments[CASE_RESULTS_MAX];
  const char *text;
} usual_body_t;

static const usual_body_t usual_bodies[] = {
    /* The larger value with its index, of equal ones that with the smaller index. */
    {{KIND_VALUE, KIND_INTEGER},
     "{v0=compare_GT(a0,b0);v1=compare_EQ(a0,b0);v2=compare_LT(a1,b1);v3=and(v1,v2);v4=or(v0,v3);"
     "v5=select(v4,a0,b0);v6=select(v4,a1,b1);return(v5,v6)}"},
    /* The same where the right one wins ties. */
    {{KIND_VALUE, KIND_INTEGER},
     "{v0=compare_GT(a0,b0);v1=select(v0,a0,b0);v2=select(v0,a1,b1);return(v1,v2)}"},
    /* Sum and count; least and greatest; sum of magnitudes and how many there are. */
    {{KIND_VALUE, KIND_INTEGER}, "{v0=add(a0,b0);v1=add(a1,b1);return(v0,v1)}"},
    {{KIND_VALUE, KIND_LIKE_FIRST}, "{v0=minimum(a0,b0);v1=maximum(a1,b1);return(v0,v1)}"},
    {{KIND_FLOAT}, "{v0=abs(a0);v1=abs(b0);v2=maximum(v0,v1);return(v2)}"},
    /* log(sum(exp)) as pairs: a maximum, and a sum relative to it. */
    {{KIND_FLOAT, KIND_LIKE_FIRST},
     "{v0=maximum(a0,b0);v1=subtract(a0,v0);v2=exponential(v1);v3=multiply(a1,v2);"
     "v4=subtract(b0,v0);v5=exponential(v4);v6=multiply(b1,v5);v7=add(v3,v6);return(v0,v7)}"},
    /* The complex number of larger magnitude. */
    {{KIND_FLOAT, KIND_LIKE_FIRST},
     "{v0=multiply(a0,a0);v1=multiply(a1,a1);v2=add(v0,v1);v3=multiply(b0,b0);v4=multiply(b1,b1);"
     "v5=add(v3,v4);v6=compare_GE(v2,v5);v7=select(v6,a0,b0);v8=select(v6,a1,b1);return(v7,v8)}"},
    /* A complex product. */
    {{KIND_FLOAT, KIND_LIKE_FIRST},
     "{v0=multiply(a0,b0);v1=multiply(a1,b1);v2=subtract(v0,v1);v3=multiply(a0,b1);"
     "v4=multiply(a1,b0);v5=add(v3,v4);return(v2,v5)}"},
    {{KIND_BITS, KIND_BITS}, "{v0=xor(a0,b0);v1=and(a1,b1);return(v0,v1)}"},
    {{KIND_BITS}, "{v0=not(a0);v1=not(b0);v2=or(v0,v1);v3=not(v2);return(v3)}"},
};

/* None with exponentials: sets of these in trees of 16 terms cost seconds a case (theory.md, T140).
 */
static const usual_body_t single_bodies[] = {
    /* The greatest magnitude, and the number that has it; the length of a vector. */
    {{KIND_FLOAT}, "{v0=abs(a0);v1=abs(b0);v2=maximum(v0,v1);return(v2)}"},
    {{KIND_FLOAT}, "{v0=abs(a0);v1=abs(b0);v2=compare_GE(v0,v1);v3=select(v2,a0,b0);return(v3)}"},
    {{KIND_FLOAT}, "{v0=multiply(a0,a0);v1=multiply(b0,b0);v2=add(v0,v1);v3=sqrt(v2);return(v3)}"},
    /* What either has, or has not. */
    {{KIND_BITS}, "{v0=not(a0);v1=not(b0);v2=or(v0,v1);v3=not(v2);return(v3)}"},
    /* A sum with a name of its own. */
    {{KIND_VALUE}, "{v0=add(a0,b0);return(v0)}"},
};

static bool is_float(const element_t *element, const void *unused) {
  (void)unused;
  return element->kind == ELEMENT_FLOAT && body_takes(element);
}

static bool is_value(const element_t *element, const void *unused) {
  return is_float(element, unused) || element_is_integer(element);
}

static bool is_integer(const element_t *element, const void *unused) {
  (void)unused;
  return element_is_integer(element);
}

static bool is_bits(const element_t *element, const void *unused) {
  (void)unused;
  return body_takes(element) && element->kind != ELEMENT_FLOAT;
}

static const element_t *draw_argument(rng_t *rng, argument_kind_t kind, const element_t *first) {
  switch (kind) {
    case KIND_VALUE:
      return draw_element(rng, is_value, NULL);
    case KIND_FLOAT:
      return draw_element(rng, is_float, NULL);
    case KIND_LIKE_FIRST:
      return first;
    case KIND_INTEGER:
      return rng_one_in(rng, 4) ? draw_element(rng, is_integer, NULL) : element_named("i32");
    case KIND_BITS:
      return draw_element(rng, is_bits, NULL);
    case KIND_NONE:
      break;
  }
  return NULL;
}

static void draw_of(rng_t *rng, const usual_body_t *usual, body_t *out_body,
                    const element_t **out_arguments) {
  *out_body = body_from(usual->text);
  for (uint32_t i = 0; i < out_body->result_count; i++) {
    out_arguments[i] = draw_argument(rng, usual->arguments[i], out_arguments[0]);
  }
}

void body_draw(rng_t *rng, body_t *out_body, const element_t *out_arguments[CASE_RESULTS_MAX]) {
  draw_of(rng, &usual_bodies[rng_below(rng, G_N_ELEMENTS(usual_bodies))], out_body, out_arguments);
}

void body_draw_single(rng_t *rng, body_t *out_body, const element_t **out_argument) {
  draw_of(rng, &single_bodies[rng_below(rng, G_N_ELEMENTS(single_bodies))], out_body, out_argument);
}
