#ifndef CSWIFTRUNTIME_H
#define CSWIFTRUNTIME_H

/// Part of Swift's ABI (its runtime's HeapObject.h): takes a strong reference to an object that may be on its way out, or
/// returns NULL when its deinitialiser has begun. Its memory must still be there: an unowned reference sees to that.
/// From any thread.
void *_Nullable swift_tryRetain(void *_Nonnull object);

#endif
