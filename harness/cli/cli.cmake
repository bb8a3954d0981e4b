# The program: build/assay.
