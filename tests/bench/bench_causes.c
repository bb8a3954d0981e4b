/* SPDX-License-Identifier: Apache-2.0 */
/* Which planted faults get the name of a cause, and whether it is a right one: all canaries that
 * small programs show.
 *
 *   build/bench/bench_causes [WORD [SEED [SHARE OF]]]   those with the word in their names; cases
 *                                drawn from the seed, default 1; of them the one in OF that is
 *                                number SHARE
 *
 * A name is right if expected_causes.def, or a list below, has it for the fault.  Of each fault:
 * its diverging cases, those that were surely named, those of them that were named right, and the
 * names.  Exit status 1 if of a thousand names more than one is wrong; in test_causes none may be.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/campaign/canaries/canary_list.h"

enum { CASES = 300, COMPOSITE_CASES = 60 };

static const struct {
  const char *canary;
  const char *cause;
  const char *others;
} EXPECTED[] = {
#define CAUSE_ROW(canary, contract, what, cause, others) {"canary:" canary, cause, others},
#include "generated/all_expected_causes.def"
#include "tests/campaign/diagnose/expected_causes.def"
#undef CAUSE_ROW
};

/* Names that say of the results alone how they differ from what they should be, and nothing of how
 * that came: the solver has held all of them against that. */
static const char *const DESCRIPTIONS[] = {"flushed-results",
                                           "negative-zero-lost",
                                           "zero-negated",
                                           "nan-as-infinity",
                                           "infinity-as-largest",
                                           "repeats-previous",
                                           "one-ulp-off",
                                           "constant-factor",
                                           "unwritten-tail",
                                           "unwritten-lines",
                                           NULL};

/* Names of faults that test_causes has no row for, since CI has no time for them: each is what the
 * fault does, or, of cases as small as these, the same. */
static const struct {
  const char *canary;
  const char *names;
} ALSO[] = {
    {"canary:last_index_ignored", "later-of-equal"},
    {"canary:top_k_ties_reversed", "later-of-equal"},
    {"canary:top_k_compares_patterns", "later-of-equal"}, /* NaNs, which are equal. */
    {"canary:pick_in_whole_blocks", "later-of-equal"},
    {"canary:narrow_index", "wrapped-narrow"},
    {"canary:moved_in_low_half", "wrapped-narrow"},
    {"canary:reduce_in_input_type", "wrapped-narrow"},
    {"canary:shift_logical", "wrapped-narrow"},
    {"canary:rhs_zero_point_forgotten", "zero-point-forgotten"},
    {"canary:zero_point_forgotten", "zero-point-forgotten"},
    {"canary:result_zero_point_forgotten", "zero-point-forgotten"},
    {"canary:first_zero_point", "zero-point-forgotten"}, /* Where the first one is 0. */
    {"canary:first_scale_for_all", "first-scale-for-all"},
    {"canary:convert_truncates", "truncated-operands truncated-result"},
    {"canary:convert_by_f32", "narrow-result narrow-operands"},
    {"canary:dequantized_in_f16", "narrow-result narrow-operands"},
    {"canary:mean_in_bf16", "narrow-result"}, /* The result that is the mean. */
    {"canary:products_narrow", "narrow-accumulator narrow-result narrow-operands"},
    {"canary:window_pads_twice", "init-twice"},
    {"canary:extremum_by_difference", "unsigned-as-signed"},
    {"canary:extremum_takes_right_nan", "nan-skipped last-of-zeros"},
    {"canary:outer_stride_zero", "batch-offset row-offset"}, /* Of two rows, the one before. */
    {"canary:lhs_batch_first", "batch-offset"},
    {"canary:lanes_broadcast", "batch-offset"},
    {"canary:odd_halves_lost", "without-last-term neighbour-of-first-term"},
    {"canary:result_transposed", "transposed-rhs"}, /* Of the last two dimensions, the same. */
    {"canary:lost_update", "without-last-term"},
    /* Changes of the whole case: each is the fault in other words. */
    {"canary:epsilon_forgotten", "other-attribute"}, /* epsilon=0 */
    {"canary:epsilon_forgotten+norm_epsilon=larger", "other-attribute"},
    {"canary:epsilon_in_f16", "other-attribute"},
    {"canary:scale_and_offset_swapped", "operands-exchanged"},
    {"canary:weight_and_bias_swapped", "operands-exchanged"},
    {"canary:feature_index_ignored", "other-attribute operand-transposed"},
    {"canary:bias_forgotten", "operand-constant"}, /* Zeros. */
    {"canary:bias_forgotten+norm_variance=sample", "operand-constant"},
    {"canary:batch_offset_forgotten", "operand-constant"},
    {"canary:batch_offset_forgotten+norm_variance=sample", "operand-constant"},
    {"canary:weight_forgotten", "operand-constant"}, /* Ones. */
    {"canary:weight_of_first", "operand-spread"},
    {"canary:scale_gradient_uncentred", "operand-constant"}, /* A mean of zeros. */
    {"canary:scale_gradient_unscaled", "operand-constant"},  /* A variance of ones. */
    {"canary:gradient_scale_forgotten", "operand-constant"}, /* A scale of ones. */
    {"canary:nll_samples_as_classes", "operand-transposed"},
    {"canary:nll_sign_kept", "result-sign operand-sign"},
    {"canary:nll_class_behind", "operand-index"},
    {"canary:last_index_ignored", "other-attribute"},
    {"canary:one_hot_narrow_index", "operand-bits"},
    {"canary:one_hot_values_swapped", "other-attribute operands-exchanged"},
    {"canary:scale_in_bf16", "other-scale"},
    {"canary:next_scale_for_channel", "other-scale"},
    {"canary:zero_point_negated", "other-scale"},
    {"canary:first_zero_point", "other-scale"},
    {"canary:gelu_erf_for_tanh", "other-attribute"},
    {"canary:gelu_tanh_for_erf", "other-attribute"},
    {"canary:scatter_reverses_parts", "operand-index other-attribute"},
    {"canary:convolution_rhs_dilation", "other-attribute"},
    {"canary:convolution_lhs_dilation", "other-attribute"},
    {"canary:convolution_stride_ignored", "other-attribute"},
    {"canary:convolution_padding_swapped", "other-attribute"},
    {"canary:convolution_padding_positive", "other-attribute"},
    {"canary:convolution_not_reversed", "operand-index other-attribute"},
    {"canary:convolution_groups_reversed", "operand-index"},
    {"canary:convolution_features_dropped", "operand-index operand-tail"},
    {"canary:partition_reversed", "result-index"},
    {"canary:permutation_ignored", "operand-transposed other-attribute"},
    {"canary:transpose_rhs", "operand-transposed other-attribute"},
    {"canary:zero_point_forgotten", "operand-constant"}, /* A zero point that is an operand. */
    {"canary:subtract_reversed", "operands-exchanged result-sign"},
    {"canary:select_exchanged", "operands-exchanged operand-bits"},
    {"canary:round_ties_exchanged", "other-op"},
    {"canary:xor_as_or", "other-op"},
    {"canary:sine_as_cosine", "other-op"},
    {"canary:clamp_drops_nan", "nan-skipped"},
    {"canary:slice_from_zero", "other-attribute"},
    {"canary:slice_stride_ignored", "other-attribute"},
    {"canary:pad_of_zeros", "operand-constant"},
    {"canary:pad_sides_exchanged", "other-attribute"},
    {"canary:pad_between_ignored", "other-attribute"},
    {"canary:iota_last_dimension", "other-attribute"},
    {"canary:reverse_last_only", "other-attribute"},
    {"canary:gather_map_ignored", "other-attribute operand-transposed"},
    {"canary:gather_first_batch", "operand-index operand-spread"},
    {"canary:update_at_zero", "operand-constant"}, /* Start indices. */
    {"canary:log_estimated", "narrow-result"},     /* 12 bits are no more than those. */
    {"canary:tanh_estimated", "narrow-result"},
    {"canary:rsqrt_estimated", "narrow-result"},
    {"canary:rsqrt_of_magnitude", "operand-sign"},
    {"canary:log_of_magnitude", "operand-sign"},
    {"canary:logistic_reflected", "operand-sign"},
    {"canary:pick_by_magnitude", "operand-sign"},
    {"canary:select_by_magnitude", "operand-sign"},
    {"canary:norm_signs_lost", "result-sign operand-sign"},
    {"canary:window_swaps_padding", "other-attribute"},
    {"canary:window_one_beyond", "other-attribute"},
    {"canary:window_dilation_off_by_one", "other-attribute"},
    {"canary:window_ignores_stride", "other-attribute"},
    {"canary:window_ignores_base_dilation", "other-attribute"},
    {"canary:window_stride_of_first", "other-attribute"},
    {"canary:window_size_of_first", "other-attribute"},
    {"canary:window_padding_of_first", "other-attribute"},
    {"canary:window_pads_zeros", "operand-constant"}, /* The initial value. */
    {"canary:index_from_one", "one-off"},
    {"canary:scale_of_next_channel", "operand-index other-scale"},
    {"canary:outer_stride_zero", "operand-index"},
    {"canary:operand_aliased", "operand-aliased"},
    {"canary:operand_tail_as_zeros", "operand-tail"},
    {"canary:columns_tail_as_zeros", "operand-tail"},
    {"canary:row_stride_padded", "operand-stride"},
    {"canary:result_lanes_crossed", "result-stride operand-stride"},
    {"canary:result_transposed", "result-transposed operand-transposed"},
    {"canary:addn_last_left_out", "operand-constant"},
    {"canary:addn_first_two", "operand-constant"}, /* Of three. */
    {"canary:addn_first_for_second", "operand-aliased"},
    {"canary:wrong_tie", "other-attribute"}, /* GE for GT in the body. */
    {"canary:body_ties_flipped", "other-attribute"},
    {"canary:resize_ignores_half_pixel", "other-attribute"},
    {"canary:repeat_neighbours_times", "operand-index"},
    {"canary:moved_as_f32", "operand-bits"},
    {"canary:batch_offset", "operand-index"},
    {"canary:sign_of_nan_zero", "operand-cleaned"},
    {"canary:round_by_half", "other-op"}, /* Ties alone show. */
    {"canary:select_by_first", "operand-spread"},
    {"canary:bits_as_truths", "operand-bits"},
    {"canary:init_never", "operand-constant"},
    {"canary:concatenate_reversed", "operands-exchanged"},
    {"canary:drop_last_term", "operand-tail operand-constant"}, /* Of one term the only one. */
    {"canary:drop_first_term", "operand-constant"},
    {"canary:drop_tail", "operand-tail"},
    {"canary:select_swapped", "operands-exchanged operand-bits"},
    {"canary:reverse_last_only", "operand-index"}, /* Reversed along the others once more. */
    {"canary:first_operand_for_all", "operand-aliased"},
    {"canary:first_scale_for_all", "operand-spread"}, /* Scales that are an operand. */
    {"canary:first_zero_point_for_all", "operand-spread"},
    {"canary:epsilon_beyond_root", "other-attribute"}, /* eps_outside_sqrt, or epsilon squared. */
    {"canary:convolution_spatial_transposed", "other-attribute operand-transposed"},
    /* Looked at one by one: what the words say is what the fault does. */
    {"canary:negation_of_magnitude", "operand-sign"},
    {"canary:convert_magnitude", "operand-sign"},
    {"canary:erf_unsigned", "operand-sign result-sign"}, /* It is odd. */
    {"canary:zero_point_subtracted", "operand-sign"},
    {"canary:zero_point_negated+seed=1", "other-scale"},
    {"canary:scale_of_next_column", "other-scale"},
    {"canary:convolution_stride_of_first", "other-attribute"},
    {"canary:convolution_padding_of_first", "other-attribute"},
    {"canary:convolution_kernel_features_swapped", "other-attribute"},
    {"canary:convolution_batch_as_feature", "other-attribute operand-transposed"},
    {"canary:convolution_result_transposed", "other-attribute"},
    {"canary:convolution_first_kernel_for_all", "operand-index operand-spread"},
    {"canary:lhs_batch_first", "operand-index operand-spread"},
    {"canary:outer_stride_zero", "result-index"},   /* Read so, of a transpose. */
    {"canary:partitions_apart", "other-attribute"}, /* channel_id=-1 */
    {"canary:scatter_parts_rotated", "operand-index other-attribute"}, /* So are the groups. */
    {"canary:resize_linear_as_nearest", "other-attribute"},
    {"canary:resize_centres_single", "other-attribute"}, /* half_pixel, which does just that. */
    {"canary:highest_in_tf32", "narrow-operands"},
    {"canary:exp_in_bf16", "narrow-result"}, /* Where one is next to 1. */
    {"canary:convolution_dilation_of_first", "other-attribute"},
    {"canary:normal_in_bf16", "narrow-result"},              /* Weights of one, biases of zero. */
    {"canary:convert_extends_with_zeros", "wrapped-narrow"}, /* At the width that it had. */
    {"canary:nll_mean_undivided", "operand-constant"},       /* A total weight of one. */
    {"canary:nll_mean_of_all", "operand-constant"},          /* And of the number of samples. */
    {"canary:lost_update", "operand-tail"},
    {"canary:broadcast_as_scalar", "operand-spread"},
    {"canary:module_intermediate_bf16", "narrow-result narrow-operands"},
    {"canary:module_spreads_first", "operand-spread"},
    {"canary:module_last_term_dropped", "operand-tail"},
    {"canary:module_batch_repeated", "operand-index"},
    {"canary:module_negation_dropped", "result-sign"},
    {"canary:module_added_for_subtracted", "operand-sign"},
    {"canary:module_transpose_skipped", "other-attribute"},
    {"canary:module_transposes_cancelled", "other-attribute"},
    {"canary:nan_as_infinity", "operand-cleaned"},  /* Of what moves elements, the same. */
    {"canary:top_k_nan_least", "operand-cleaned"},  /* As -infinity. */
    {"canary:select_skips_nan", "operand-cleaned"}, /* As -infinity where GE selects. */
    {"canary:one_hot_from_one", "operand-one-off"},
    {"canary:module_second_use_rounded", "narrow-result narrow-operands"}, /* By ones, and sums. */
    {"canary:module_narrow_intermediate", "narrow-result narrow-operands"},
    {"canary:module_reduces_other_dimension", "other-attribute"},
    {"canary:booleans_exclusive", "other-op"}, /* It is xor. */
    {"canary:convert_large_unsigned_negative", "unsigned-as-signed"},
    {"canary:zero_point_before_rescale", "zero-point-forgotten"}, /* Where nothing is left of it. */
    {"canary:scales_along_terms", "first-scale-for-all"},         /* Of one term. */
    {"canary:module_spreads_other_way", "other-attribute"},
    {"canary:groups_by_column", "other-groups"},
    {"canary:groups_by_position", "other-groups"},
    {"canary:groups_ignored", "other-groups"},
    {"canary:last_member_left_out", "other-groups"},
    {"canary:own_operand_twice", "other-groups"},
    {"canary:replica_counted_twice", "other-groups"},
    {"canary:first_member_broadcast", "other-groups"},
    {"canary:scatter_parts_rotated", "other-groups"},
    {"canary:scatter_parts_by_replica", "other-groups"},
    {"canary:scatter_reverses_parts", "other-groups"},
    /* Recomputed to the bit: the words are those of faults.def. */
    {"canary:clamped_before_zero_point", "other-storage"},
    {"canary:scale_of_other_operand", "other-storage"},
    {"canary:operands_requantized", "other-storage"},
    {"canary:quantized_unclamped", "other-storage"},
    {"canary:result_scale_forgotten", "other-storage"},
    {"canary:rhs_zero_point_forgotten", "other-storage"},
    {"canary:lhs_zero_point_forgotten", "other-storage"},
    {"canary:result_zero_point_forgotten", "other-storage"},
    {"canary:zero_point_negated", "other-storage"},
    {"canary:zero_point_negated+seed=1", "other-storage"},
    {"canary:scale_multiplied", "other-storage"},
    {"canary:quantized_unclamped+seed=1", "other-storage"},
    {"canary:difference_wraps", "other-storage"},
    {"canary:storage_as_signed", "other-storage"},
    {"canary:dequantized_scale_divided", "other-storage"},
    {"canary:zero_point_subtracted", "other-storage"},
    {"canary:quotients_truncated", "other-storage"},
    {"canary:quotients_truncated+seed=1", "other-storage"},
    {"canary:quotients_truncated+seed=2", "other-storage"},
    {"canary:quotients_floored", "other-storage"},
    {"canary:quotients_half_up", "other-storage"},
    {"canary:quotient_half_up", "other-storage"},
    {"canary:quotient_ties_away", "other-storage"},
    {"canary:zero_point_forgotten", "other-storage"},
    {"canary:shift_logical", "other-function"},
    {"canary:shift_as_division", "other-function"},
    {"canary:remainder_of_floor", "other-function"},
    {"canary:remainder_by_quotient", "other-function"},
    {"canary:sqrt_by_inverse", "other-function"},
    {"canary:floor_truncates", "other-function"},
    {"canary:ceil_of_floor", "other-function"},
    {"canary:bits_as_truths", "other-function"},
    {"canary:compare_by_bits", "other-function"},
    {"canary:clamp_most_first", "other-function"},
    {"canary:extremum_takes_right_nan", "other-function"},
    {"canary:extremum_by_bits", "other-function"},
    {"canary:extremum_by_difference", "other-function"},
    {"canary:integers_saturate", "other-function"},
    {"canary:negation_saturates", "other-function"},
    {"canary:divide_by_inverse", "other-function"},
    {"canary:round_by_half", "other-function"},
    {"canary:reshape_by_columns", "operand-transposed result-transposed"},
    {"canary:last_index_ignored", "other-pick"},
    {"canary:nan_unguarded", "other-pick"},
    {"canary:index_of_whole_tensor", "other-pick"},
    {"canary:top_k_ascending", "other-pick"},
    {"canary:top_k_ties_reversed", "other-pick"},
    {"canary:top_k_compares_patterns", "other-pick"},
    {"canary:top_k_nan_least", "other-pick"},
    {"canary:top_k_repeats_index", "other-pick"},
    {"canary:pick_by_magnitude", "other-pick"},
    {"canary:top_k_by_places", "other-pick"},
    {"canary:top_k_as_f32", "other-pick"},
    {"canary:index_from_one", "other-pick"},
    {"canary:index_of_block", "other-pick"},
    {"canary:wrong_tie", "other-pick"},
    {"canary:narrow_index", "other-pick"},
    {"canary:unsigned_as_signed", "other-pick"}, /* Compared so. */
    /* Permissions that are the fault, or one that accepts all that it does. */
    {"canary:variance_of_sample", "other-permission"},
    {"canary:variance_of_sample+norm_epsilon=added-outside", "other-permission"},
    {"canary:epsilon_beyond_root", "other-permission"},
    {"canary:convert_truncates", "other-permission"}, /* convert_rounding=faithful */
    {"canary:convert_half_up", "other-permission"},
    {"canary:convert_rounds_twice", "other-permission"},
    {"canary:quotient_ties_away", "other-permission"},
    {"canary:one_hot_wraps", "other-permission"},
    {"canary:convolution_padding_skipped", "other-permission"}, /* convolution_padding=skipped */
    {"canary:top_k_ties_reversed", "other-permission"},         /* top_k_ties=any */
    {"canary:epsilon_added", "other-permission"},               /* norm_epsilon=added */
    {"canary:divide_by_inverse", "other-permission"},           /* division=reciprocal */
    {"canary:unsigned_as_signed", "other-function"},            /* Compared by signed bits. */
    {"canary:axis_ignored", "other-attribute"}, /* axis=-1, or the last one's number. */
    {"canary:zero_point_unclamped", "other-storage"},
    {"canary:zero_point_twice", "other-storage"},
    {"canary:requantized_as_stored", "other-storage"},
    {"canary:requantized_as_stored+seed=1", "other-storage"},
    {"canary:storage_range_ignored", "other-storage"},
    {"canary:storage_range_ignored+seed=1", "other-storage"},
    {"canary:zero_point_twice+zero-point-last", "other-storage"},
    {"canary:zero_point_negated+zero-point-last", "other-storage"},
    {"canary:zero_point_forgotten+zero-point-last", "other-storage"},
    {"canary:zero_point_unclamped+seed=1", "other-storage"},
    {"canary:transpose_swaps_two", "other-attribute operand-transposed"},
    {"canary:shift_modulo", "operand-bits"},
    {"canary:update_at_zero", "other-start"},
    {"canary:start_unclamped_zero", "other-start"},
    {"canary:one_hot_clamps", "operand-clamped"},
    {"canary:iota_flat", "other-function"},
    {"canary:axis_ignored", "other-attribute"}, /* The last one. */
    {"canary:window_ends_at_edge", "other-attribute"},
    {"canary:window_pads_zeros", "other-padding"},
    {"canary:window_repeats_edge", "other-padding"},
    {"canary:convolution_edge_repeated", "other-padding"},
    {"canary:convolution_padding_wraps", "other-padding"},
    {"canary:convolution_padding_stored_zero", "other-padding"},
    {"canary:convolution_holes_repeat", "other-padding"},
    {"canary:start_signed", "unsigned-as-signed"},
    {"canary:shift_as_of_32_bits", "operand-bits"},
};

static bool has_name(const char *names, const char *name) {
  g_auto(GStrv) each = g_strsplit(names, " ", -1);
  return g_strv_contains((const char *const *)each, name);
}

static bool is_listed(const char *canary, const char *name) {
  if (g_strv_contains(DESCRIPTIONS, name)) return true;
  for (size_t i = 0; i < G_N_ELEMENTS(EXPECTED); i++) {
    if (strcmp(canary, EXPECTED[i].canary) != 0) continue;
    if (strcmp(EXPECTED[i].cause, name) == 0 || has_name(EXPECTED[i].others, name)) return true;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(ALSO); i++) {
    if (strcmp(canary, ALSO[i].canary) == 0 && has_name(ALSO[i].names, name)) return true;
  }
  return false;
}

/* Cases of one fault, or of all. */
typedef struct counts {
  uint64_t diverging;
  uint64_t named; /* Surely. */
  uint64_t right; /* Of these. */
} counts_t;

static void count_finding(const canary_t *canary, const finding_t *finding, counts_t *counts,
                          GString *names) {
  const verdict_t *verdict = &finding->verdict;
  if (verdict->outcome != OUTCOME_diverges) return;
  counts->diverging += finding->count;
  if (verdict->reading[0] != '\0' && !verdict->is_cause_sure) {
    g_string_append_printf(names, " READING:%s %" PRIu64, verdict->reading, finding->count);
  }
  if (verdict->cause[0] == '\0' || !verdict->is_cause_sure) {
    const bool is_unsure = verdict->cause[0] != '\0';
    g_string_append_printf(names, " (%s%s %" PRIu64 ")", is_unsure ? "?" : "",
                           is_unsure ? verdict->cause : class_spelling(verdict->class_),
                           finding->count);
    return;
  }
  counts->named += finding->count;
  bool is_right = is_listed(canary->name, verdict->cause);
  if (is_right) counts->right += finding->count;
  g_string_append_printf(names, " %s%s %" PRIu64, is_right ? "" : "NOT-LISTED:", verdict->cause,
                         finding->count);
  if (!is_right)
    fprintf(stderr, "%s: %s\n  %s\n", canary->name, verdict->cause_words, finding->case_line);
}

static void run_canary(const canary_t *canary, uint64_t seed, counts_t *out_counts) {
  const op_t *ops[CANARY_OPS_MAX];
  executor_t *executor = canary_open(canary->name);
  session_options_t options = {.stream = {.gen = gen_options_default(), .seed = seed, .ops = ops},
                               .executors = &executor,
                               .executor_count = 1,
                               .draws_max = CASES,
                               .command = "bench",
                               .assay_version = "bench"};
  options.stream.op_count = canary_find_ops(canary->ops, ops);
  for (size_t i = 0; i < options.stream.op_count; i++) {
    if (ops[i]->is_composite) options.draws_max = COMPOSITE_CASES;
  }
  options.stream.gen.limits = (draw_limits_t){.rank_max = 4, .elements_max = 64, .terms_max = 24};
  failure_t error = {0};
  session_t *session = NULL;
  if (contract_parse(str_from(canary->contract), &options.contract, &error) != STATUS_OK ||
      session_open(&options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s: %s", canary->name, error.text);
  }
  g_autoptr(GString) names = g_string_new(NULL);
  *out_counts = (counts_t){.diverging = 0};
  for (size_t i = 0; i < session_finding_count(session); i++) {
    count_finding(canary, session_finding(session, i), out_counts, names);
  }
  printf("%s|%-44s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %s\n", canary->ops, canary->name,
         out_counts->diverging, out_counts->named, out_counts->right, names->str);
  fflush(stdout);
  session_close(session, 0, NULL);
  executor_close(executor);
}

int main(int argc, char **argv) {
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  const size_t of = argc > 4 ? (size_t)strtoul(argv[4], NULL, 10) : 1;
  const size_t share = argc > 4 ? (size_t)strtoul(argv[3], NULL, 10) % of : 0;
  counts_t total = {.diverging = 0};
  printf("%-44s %8s %8s %8s  %s\n", "fault", "cases", "named", "right", "names");
  for (size_t i = 0; i < G_N_ELEMENTS(canaries); i++) {
    const canary_t *canary = &canaries[i];
    if (canary->is_large || canary->is_nightly) continue;
    if (argc > 1 && strstr(canary->name, argv[1]) == NULL) continue;
    if (i % of != share) continue;
    counts_t counts;
    run_canary(canary, seed, &counts);
    total.diverging += counts.diverging;
    total.named += counts.named;
    total.right += counts.right;
  }
  double named = total.diverging > 0 ? 100 * (double)total.named / (double)total.diverging : 0;
  double right = total.named > 0 ? 100 * (double)total.right / (double)total.named : 100;
  printf("%" PRIu64 " diverging cases: %.1f %% named, %.2f %% of the names right\n",
         total.diverging, named, right);
  return 1000 * (total.named - total.right) <= total.named ? 0 : 1;
}
