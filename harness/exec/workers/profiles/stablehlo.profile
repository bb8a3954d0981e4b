# SPDX-License-Identifier: Apache-2.0
# All ops of StableHLO that Assay has an oracle for, with all types that their specification allows.
stablehlo.* *
