#include <expat.h>
#include <iconv.h>

/* The line where the parser is. Newer releases of expat mark the function as deprecated, and older ones have no other. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline XML_Size rx_expat_line(XML_Parser parser) { return XML_GetCurrentLineNumber(parser); }
#pragma GCC diagnostic pop
