/// The files of the pages, which are part of the program.
#ifndef CMAPASSETS_H
#define CMAPASSETS_H

#include <stddef.h>

/// The bytes of a file in MapPage/Assets, and their number; NULL and 0 without such a file. For any thread.
const unsigned char *cmapassets_bytes(const char *name, size_t *count);

#endif
