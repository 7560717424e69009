#include <stdlib.h>

#include "test_width.h"

/// Has Swift Testing 6.3 run sixteen tests at a time, before it asks. Without that it starts them all at once, and those that
/// wait for something poll for it until the others are over: on two cores that is a third of the processor's time. Earlier
/// versions do not ask. Tests that start programs need six places at two cores; see ProcessLimit.
__attribute__((constructor)) static void limit_width(void) {
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "16", 0);
}
