#include "cmapassets.h"

#include <string.h>

// Every file of the pages, by its name and its kind.
#define FILES(X) \
  X(devices, html) X(index, html) \
  X(devices, css) X(map, css) \
  X(icon, svg) \
  X(words, json) \
  X(world, bin) \
  X(base, js) X(calendar, js) X(canvas, js) X(chart, js) X(days, js) X(devicehistory, js) X(devicelist, js) \
  X(devicemap, js) X(devices, js) X(fences, js) X(figures, js) X(fleet, js) X(graticule, js) X(history, js) \
  X(main, js) X(map, js) X(mvt, js) X(panel, js) X(places, js) X(position, js) X(replay, js) X(scale, js) X(sky, js) \
  X(speeds, js) X(status, js) X(stream, js) X(trail, js) X(units, js) X(vector, js) X(vectorstyle, js) \
  X(vectorworker, js) X(words, js) X(world, js)

// The question also has the compiler note the files, so that a build notices when one of them changes.
#define EXISTS(name, kind) &&__has_include(<name.kind>)
#if !(1 FILES(EXISTS))
#error "a file of the pages is missing in Assets"
#endif

// The assembler copies the bytes; SwiftPM's arrays of numbers would take the compiler half a minute.
#define BYTES(name, kind) \
  __asm__(".pushsection .rodata\n" \
          "asset_" #name "_" #kind ": .incbin \"" #name "." #kind "\"\n" \
          "asset_" #name "_" #kind "_end: .popsection"); \
  extern const unsigned char asset_##name##_##kind[], asset_##name##_##kind##_end[];
FILES(BYTES)

#define ROW(name, kind) {#name "." #kind, asset_##name##_##kind, asset_##name##_##kind##_end},
static const struct {
  const char *name;
  const unsigned char *start, *end;
} files[] = {FILES(ROW)};

const unsigned char *cmapassets_bytes(const char *name, size_t *count) {
  for (size_t index = 0; index < sizeof files / sizeof *files; index++) {
    if (strcmp(files[index].name, name) != 0) continue;
    *count = (size_t)(files[index].end - files[index].start);
    return files[index].start;
  }
  *count = 0;
  return NULL;
}
