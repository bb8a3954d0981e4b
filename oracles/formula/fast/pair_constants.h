/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of elementary_pairs.h: each the real number in its comment, rounded to a pair. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_PAIR_CONSTANTS_H
#define ASSAY_ORACLES_FORMULA_FAST_PAIR_CONSTANTS_H

#include "oracles/formula/fast/pairs.h"

/* The first bits of ln 2, 33 of them. */
#define PAIR_LN_2_START 0x1.62e42feep-1

/* ln 2 less these. */
static const pair_t pair_ln_2_rest = {0x1.a39ef35793c76p-33, 0x1.cc01f97b57a08p-87};

/* ln 2. */
static const pair_t pair_ln_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/* The first bits of pi / 2, 33 of them. */
#define PAIR_HALF_PI_START 0x1.921fb544p+0

/* pi / 2 less these. */
static const pair_t pair_half_pi_rest = {0x1.0b4611a626331p-34, 0x1.1701b839a252p-88};

/* 2 / sqrt(pi). */
static const pair_t pair_2_over_root_pi = {0x1.20dd750429b6dp+0, 0x1.1ae3a914fed8p-56};

/* 1 / sqrt(pi). */
static const pair_t pair_1_over_root_pi = {0x1.20dd750429b6dp-1, 0x1.1ae3a914fed8p-57};

/* 1 / j!, j = 0..9. */
static const pair_t pair_inverse_factorials[] = {
    {0x1p+0, 0x0p+0},
    {0x1p+0, 0x0p+0},
    {0x1p-1, 0x0p+0},
    {0x1.5555555555555p-3, 0x1.5555555555555p-57},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59},
    {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
    {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
    {0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73},
};

/* 1 / (2 n + 1), n = 0..5. */
static const pair_t pair_inverse_odd[] = {
    {0x1p+0, 0x0p+0},
    {0x1.5555555555555p-2, 0x1.5555555555555p-56},
    {0x1.999999999999ap-3, -0x1.999999999999ap-57},
    {0x1.2492492492492p-3, 0x1.2492492492492p-57},
    {0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58},
    {0x1.745d1745d1746p-4, -0x1.745d1745d1746p-59},
};

/* (-1)^k / (k! (2 k + 1)), k = 0..55. */
static const pair_t pair_erf_terms[] = {
    {0x1p+0, 0x0p+0},
    {-0x1.5555555555555p-2, -0x1.5555555555555p-56},
    {0x1.999999999999ap-4, -0x1.999999999999ap-58},
    {-0x1.8618618618618p-6, -0x1.8618618618618p-60},
    {0x1.2f684bda12f68p-8, 0x1.2f684bda12f68p-62},
    {-0x1.8d3018d3018d3p-11, -0x1.8d3018d3018d3p-71},
    {0x1.c01c01c01c01cp-14, 0x1.c01c01c01c01cp-74},
    {-0x1.bbd779334ef0bp-17, 0x1.4e65f77088199p-71},
    {0x1.87a00187a0018p-20, 0x1.e80061e80061fp-74},
    {-0x1.3777c55568ccdp-23, -0x1.aaabe22270001p-79},
    {0x1.c2e3054870b38p-27, -0x1.d5bceb1cfc09cp-81},
    {-0x1.2b67310aa9f3ap-30, -0x1.0a97d2e29d0a6p-85},
    {0x1.6f448e13e85e1p-34, -0x1.7f9c97a441499p-90},
    {-0x1.a289ee7e40f74p-38, 0x1.d70bcaede276bp-92},
    {0x1.bd577e658d02p-42, 0x1.20ed35aaf6f95p-97},
    {-0x1.bc6250fb14231p-46, 0x1.a5ccd0da9926p-100},
    {0x1.a173a167fba4dp-50, -0x1.4e2d0241b6a79p-104},
    {-0x1.7271cbe5863ecp-54, -0x1.12d42fe81b396p-108},
    {0x1.377c2110f2083p-58, 0x1.98394fbf35b19p-117},
    {-0x1.f1b4073b34a68p-63, 0x1.84a9e0b9a5e9bp-117},
    {0x1.7abd72258fb6ep-67, 0x1.278087289058p-123},
    {-0x1.13246abce1bddp-71, -0x1.b85c8446def6cp-125},
    {0x1.7e6b81382cd42p-76, 0x1.f8367249eb893p-131},
    {-0x1.fd6bebd65107ap-81, -0x1.64abb94b856f1p-135},
    {0x1.45c0a838efe59p-85, -0x1.423cdb5cc4cc3p-139},
    {-0x1.909c9de3a31c5p-90, 0x1.889db7273c973p-145},
    {0x1.da7460554e5dbp-95, 0x1.59a4d60d2d7dap-149},
    {-0x1.0eef30fa10d2cp-99, 0x1.28594b7fcd32dp-153},
    {0x1.2ac65385f79acp-104, 0x1.03fafe0077abep-161},
    {-0x1.3e81bb5701ac5p-109, 0x1.209a8bade2337p-164},
    {0x1.4899fcdef0a8dp-114, -0x1.aec1a99185f98p-173},
    {-0x1.486eea20c2656p-119, 0x1.9ae3d63d0a79fp-173},
    {0x1.3e53defc4e233p-124, 0x1.d436dda5545e7p-178},
    {-0x1.2b778acc3dedfp-129, -0x1.f264aece2ab96p-184},
    {0x1.11ae81077a49ep-134, -0x1.f8cb0d503e384p-189},
    {-0x1.e6597092ccbfp-140, -0x1.d930aabd4497fp-197},
    {0x1.a47767f2a3c32p-145, 0x1.eb53c552fbc05p-201},
    {-0x1.61f30bc3acd1ap-150, -0x1.a9e9f60cd9edap-204},
    {0x1.22521d98f98a9p-155, -0x1.637b9778df025p-209},
    {-0x1.d05cc9e3507c9p-161, 0x1.29b6f9c13f797p-215},
    {0x1.6a513f56f8a2fp-166, -0x1.8794747d7f461p-220},
    {-0x1.13f85fc9e143ep-171, -0x1.27bd43d20fbfcp-225},
    {0x1.9aa19d4d16643p-177, -0x1.ad0ff92af832dp-231},
    {-0x1.2a8fa59ffec31p-182, 0x1.44478f2f75d87p-236},
    {0x1.a8830736a5123p-188, -0x1.1af9ae0a12e66p-245},
    {-0x1.273d8edcec957p-193, 0x1.ab7b8539d42f6p-249},
    {0x1.91ef82b367a95p-199, 0x1.690b4eaa147d4p-254},
    {-0x1.0be5a4cd94283p-204, 0x1.fbd6d97519e8fp-258},
    {0x1.5dd4c9219115ap-210, 0x1.73661ef9ff986p-264},
    {-0x1.bfb10e0f68c5p-216, 0x1.159dc3de3de07p-273},
    {0x1.18d952ef00889p-221, -0x1.8e04468edd83dp-278},
    {-0x1.59982b2e9484p-227, 0x1.68a4cb414cb71p-281},
    {0x1.a13ec00b39f6fp-233, -0x1.af38c63806b25p-288},
    {-0x1.ee6cefaa5a158p-239, 0x1.7a47a5ca12246p-293},
    {0x1.1f9dec94da5f8p-244, -0x1.6472662f16fe2p-298},
    {-0x1.48a6b3820b441p-250, 0x1.df79984d16d0dp-305},
};

#endif
