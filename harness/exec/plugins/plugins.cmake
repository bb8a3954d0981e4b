# Backends that are built where their library is there.
