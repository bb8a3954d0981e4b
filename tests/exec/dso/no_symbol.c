int assay_is_not_asked_here(void);

int assay_is_not_asked_here(void) { return 0; }
