# SPDX-License-Identifier: Apache-2.0
# All custom calls of ByteIR that Assay has an oracle for, with all types that their document allows.
byteir.* *
tf.* *
