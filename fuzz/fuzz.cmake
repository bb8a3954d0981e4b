# libFuzzer targets of our own parsers.
