# Sources of oracles/exact that are built once per instruction set.
