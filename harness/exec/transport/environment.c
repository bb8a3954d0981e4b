/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the control bits of the floating-point environment in assembly, per
 * architecture; sticky flags are masked out so that only settings compare. */
#include "harness/exec/transport/environment.h"

#if defined(__x86_64__)

/* MXCSR (Intel SDM volume 1, 10.2.3): bits 0..5 are the sticky exception flags; the rest controls:
 * denormals-are-zero (6), exception masks (7..12), rounding (13..14), flush-to-zero (15).  The x87
 * control word (8.1.5) controls precision and rounding of long double. */
static const uint32_t mxcsr_flags = 0x003f;
static const uint32_t mxcsr_default = 0x1f80;
static const uint16_t x87_default = 0x037f;

static uint64_t pack(uint32_t mxcsr, uint16_t x87) {
  return (uint64_t)(mxcsr & ~mxcsr_flags) | (uint64_t)x87 << 32;
}

environment_t environment_get(void) {
  uint32_t mxcsr;
  uint16_t x87;
  __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return (environment_t){.control = pack(mxcsr, x87)};
}

environment_t environment_default(void) {
  return (environment_t){.control = pack(mxcsr_default, x87_default)};
}

static void write_control(environment_t environment) {
  uint32_t mxcsr = (uint32_t)environment.control;
  uint16_t x87 = (uint16_t)(environment.control >> 32);
  /* Pending x87 exceptions would fire at the new masks. */
  __asm__ volatile("fnclex");
  __asm__ volatile("fldcw %0" : : "m"(x87));
  __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

#elif defined(__aarch64__)

/* FPCR (Arm ARM, C5.2.8) holds control bits only; the flags are in FPSR.  Its default is 0: round
 * to nearest even, no flushing, no traps. */
environment_t environment_get(void) {
  environment_t environment;
  __asm__ volatile("mrs %0, fpcr" : "=r"(environment.control));
  return environment;
}

environment_t environment_default(void) { return (environment_t){.control = 0}; }

static void write_control(environment_t environment) {
  __asm__ volatile("msr fpcr, %0" : : "r"(environment.control));
}

#else
#error "environment.c knows x86-64 and AArch64: add the control registers of this processor"
#endif

bool environment_set(environment_t environment) {
  if (environment_get().control == environment.control) return false;
  write_control(environment);
  return true;
}
