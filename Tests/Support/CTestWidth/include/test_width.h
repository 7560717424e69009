// Has nothing to call: see test_width.c.
