/* SPDX-License-Identifier: Apache-2.0 */
/* Target constraints: what kernels a target has, which storage types their ports take, and the
 * rules by which parameters of some ports follow from those of others (of the RFC that
 * quant.md names: "Target Constraints").  A table is a text (target/target.md); a rule is a row of
 * rules.def. */
#ifndef ASSAY_QUANT_TARGET_TARGET_H
#define ASSAY_QUANT_TARGET_TARGET_H

#include "harness/quant/target/assay_quant_function.h"
#include "harness/quant/target/pattern.h"

/* Who set the parameters of a port.  Of what is offered for an open port the first of these wins.
 */
typedef enum quant_source {
  QUANT_SOURCE_NONE,        /* Nobody. */
  QUANT_SOURCE_PORT,        /* The port's own spec, UNIFORM: never changed. */
  QUANT_SOURCE_RULE,        /* A rule of the kernel. */
  QUANT_SOURCE_VALUE,       /* The value's spec, UNIFORM, or what the value was given before. */
  QUANT_SOURCE_CALIBRATION, /* The constraint's minimum and maximum. */
  QUANT_SOURCE_DATA,        /* The range of a constant. */
} quant_source_t;

/* What a signature says of one port. */
typedef enum quant_port_kind {
  QUANT_PORT_STORAGE,  /* An integer: storage, storage_min, storage_max. */
  QUANT_PORT_WILDCARD, /* "*": any; what nothing else decides is the table's default. */
  QUANT_PORT_FLOAT,    /* "float": not quantizable, stays in high precision; with a storage type,
                        * "bf16" or "f16": stored as that. */
} quant_port_kind_t;

typedef struct quant_signature_port {
  const char *name; /* "input", "weights": of messages and rules. */
  quant_port_kind_t kind;
  const element_t *storage;
  int64_t storage_min;
  int64_t storage_max;
  bool is_symmetric; /* Zero points are 0. */
  int32_t axis;      /* Dimension along which scales may differ, or -1: per tensor only.  A constant
                      * on such a port gets one scale for each entry. */
  bool is_constant;  /* Takes only constants. */
  bool is_optional;  /* Inputs at the end may be missing. */
  bool is_repeated;  /* The last input: any number of inputs of this kind, at least one. */
  bool is_output;
} quant_signature_port_t;

/* A port while rules are asked. */
typedef struct quant_port_state {
  const quant_signature_port_t *signature; /* Wildcards completed. */
  quant_spec_t settled; /* UNIFORM: these are its parameters for ever; else OPEN. */
  quant_source_t settled_by;
  quant_spec_t offer; /* UNIFORM: it fits the signature; else OPEN.  Only where not settled. */
  quant_source_t offered_by;

  /* Of QUANT_SOURCE_RULE, and kept by rules: the use that derived the offer, and what its
   * parameters go back to, so that a rule tells what it passed on itself from news, and a guess
   * that was passed on from parameters that cannot be otherwise.  Zero of other offers. */
  const struct quant_rule_use *offered_rule;
  quant_source_t offered_origin;
  const type_t *type; /* High precision. */
} quant_port_state_t;

struct quant_rule;

enum { QUANT_RULES_MAX = 16 }; /* Of one row. */

/* A rule in a row of a table: "multiplier_accumulator_scale bias = input * weights". */
typedef struct quant_rule_use {
  const struct quant_rule *rule;
  uint32_t port_count;
  uint32_t ports[QUANT_PORTS_MAX]; /* Of the signature; what the rule derives comes first. */
  double scale;                    /* fixed_scale: the parameters. */
  int64_t zero_point;
  const char *function_name;       /* function: its name in the table's library. */
  assay_quant_function_t function; /* NULL of other rules. */
} quant_rule_use_t;

/* A row.  Of those that fit a region one is its kernel: quant_target_match(). */
typedef struct quant_target_row {
  const char *kernel;
  uint32_t line; /* In the text. */
  uint32_t port_count;
  const quant_signature_port_t *ports; /* Inputs, then outputs. */
  uint32_t rule_count;
  const quant_rule_use_t *rules; /* In the order in which they are asked. */
} quant_target_row_t;

typedef struct quant_target {
  const char *name;
  quant_signature_port_t default_port; /* What a wildcard becomes: kind STORAGE. */
  const char *library;                 /* Absolute path of what its functions come from, or NULL. */
  uint32_t row_count;
  const quant_target_row_t *rows;
  uint32_t pattern_count;
  const quant_pattern_t *patterns; /* In the order of the text; each below its kernel's rows. */
} quant_target_t;

/* A rule that is asked about one region, and what it changes there. */
typedef struct quant_derivation {
  const quant_rule_use_t *use;
  const uint32_t *ports; /* Of the region, that the use is about: from quant_rule_ports(). */
  uint32_t port_count;
  quant_port_state_t *states; /* Of all ports of the region; their offers change. */
  arena_t *arena;             /* What is offered lives there. */
  uint32_t updated;           /* Bit p: the offer of port p is new.  0 at first. */
} quant_derivation_t;

/* A kind of rule: one row of rules.def and one file. */
typedef struct quant_rule {
  const char *name; /* "same_scale" */
  const char *summary;

  /* What stands behind its name, words between blanks: PORT (one port, which is not `repeated`),
   * PORTS (one or more), SCALE:ZERO_POINT, FUNCTION (a name in the table's library), or what is to
   * stand there itself, "=". */
  const char *syntax;

  /* Derives parameters from ports that are settled or have an offer: writes states[p].offer with
   * offered_by QUANT_SOURCE_RULE for ports that it determines, and sets their bits in `updated`.
   * Never touches settled ports.  A port whose parameters only follow from others gets no offer
   * (OPEN, bit set) while those are unknown: whatever it was offered is withdrawn.  Own specs
   * (QUANT_SOURCE_PORT) are as good as settled, and float ports are left alone.  STATUS_INVALID
   * with the reason, and `updated` of no meaning, where no parameters can satisfy it: a settled
   * port or another rule contradicts, a port does not admit them, a scale is not representable. */
  status_t (*derive)(quant_derivation_t *derivation, failure_t *error);

  /* Whether the settled parameters obey the rule, by its definition and not by derive(); ports that
   * are not settled are nobody's fault.  STATUS_INVALID with ports and numbers if not. */
  status_t (*check)(const quant_rule_use_t *use, const uint32_t *ports, uint32_t port_count,
                    const quant_port_state_t *region_ports, failure_t *error);
} quant_rule_t;

/* The ports of a region with `input_count` inputs that a use is about, repeated ones and all;
 * missing optional ones are left out.  Returns their count. */
uint32_t quant_rule_ports(const quant_rule_use_t *use, const quant_target_row_t *row,
                          uint32_t input_count, uint32_t out_ports[QUANT_PORTS_MAX]);

/* The rule called `name`, or NULL. */
const quant_rule_t *quant_rule_find(str_t name);
const quant_rule_t *const *quant_rule_all(void); /* Ended by NULL. */

/* The signature port of region port `port` of a region with `input_count` inputs. */
uint32_t quant_row_port(const quant_target_row_t *row, uint32_t input_count, uint32_t port);

/* Reads the text of target.md; error->text names line and column.  Printing is canonical and
 * inverse.  A line "library" loads code into this process, so that only who trusts the text lets
 * it: with quant_target_parse_in(), for a table that stands in `folder`, whose library stays loaded
 * to the end of the process. */
status_t quant_target_parse(str_t text, arena_t *arena, quant_target_t *out_table,
                            failure_t *error);
status_t quant_target_parse_in(const char *folder, str_t text, arena_t *arena,
                               quant_target_t *out_table, failure_t *error);
void quant_target_print(const quant_target_t *table, GString *out_text);

/* The tables that come with Assay: tflite_int8, onednn, onnxruntime (tables/NAME.table, embedded by
 * the build).  NULL if there is none of that name.  All names, ended by NULL. */
const char *quant_target_text(str_t name);
const char *const *quant_target_names(void);

/* Completes a partial key.  A row for the region's kernel fits if it takes as many inputs and
 * outputs, constants where it wants them, tensors that have the dimension `axis`, and if every
 * port's constraint (quant_port_constraint) fits its signature.  Of those that fit it is the one
 * that stores the fewest ports otherwise than they are annotated (quant_port_stores_otherwise), and
 * of these the first.  Writes the completed signature of each region port: wildcards become what
 * the constraint names, else the table's default; the words of the port stay.  Row and signature
 * borrow from table and graph.
 *
 * A constraint fits a port of kind
 *   STORAGE:  OPEN and CALIBRATED always; ANY if its storage range lies within the port's; UNIFORM
 *             if quant_port_admits; KEEP never;
 *   FLOAT:    OPEN, CALIBRATED, and KEEP of the type as which it is stored (its own, or the
 *             tensor's); a value's KEEP of a narrower float too where the port has the tensor's;
 *   WILDCARD: what fits a port of the constraint's own storage type and range; KEEP makes it
 *             FLOAT, stored as that says.
 *
 * A value's UNIFORM spec that does not fit does not refuse a row, since a rescale can stand between
 * (only a port's own spec does); nor does it refuse FLOAT, as little as a value's ANY does.  A
 * value's KEEP does, and so does its ANY where the port has fewer bits: no rescale brings them
 * back.  A value that is of no floats is as one with KEEP.  An op in no region fits no row.
 *
 * STATUS_UNSUPPORTED where no row fits, with region, port, and reason and line of the row that came
 * closest (most ports in order, first one on ties), or that the table has no such kernel. */
status_t quant_target_match(const quant_target_t *table, const quant_graph_t *graph,
                            uint32_t region, const quant_target_row_t **out_row,
                            quant_signature_port_t out_ports[QUANT_PORTS_MAX], failure_t *error);

/* Whether a constraint names a storage type and the completed signature port has another, or
 * none. */
bool quant_port_stores_otherwise(const quant_signature_port_t *port,
                                 const quant_spec_t *constraint);

/* The KEEP spec of a completed signature port that is FLOAT, for a tensor of the high-precision
 * type. */
quant_spec_t quant_port_float_spec(const quant_signature_port_t *port, const type_t *type);

/* Whether UNIFORM parameters fit a completed signature port: the storage type is the port's, the
 * range lies within the port's, zero points are 0 where symmetric, and they are per tensor or along
 * the port's axis.  STATUS_INVALID says what does not fit. */
status_t quant_port_admits(const quant_signature_port_t *port, const quant_spec_t *spec,
                           failure_t *error);

#endif
