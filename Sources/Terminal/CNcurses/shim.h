// Wide characters are declared only on request.
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <curses.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>

// What Swift cannot reach: globals that every thread could change, and macros with arguments.

static inline SCREEN *shim_newterm(FILE *input) { return newterm(NULL, stdout, input); }
static inline FILE *shim_stdin(void) { return stdin; }
// Some versions hide the members of WINDOW and some do not, which Swift imports as two types. There is one window only.
static inline int shim_width(void) { return getmaxx(stdscr); }
static inline int shim_height(void) { return getmaxy(stdscr); }
static inline void shim_draw_all(void) { clearok(stdscr, TRUE); }
static inline void shim_take_keys(void) {
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
}
static inline const char *shim_codeset(void) { return nl_langinfo(CODESET); }

static inline attr_t shim_attributes(int bold, int dim, int reversed, int underlined) {
  return (bold ? A_BOLD : 0) | (dim ? A_DIM : 0) | (reversed ? A_REVERSE : 0) | (underlined ? A_UNDERLINE : 0);
}

// A press counts, not a click, for which ncurses would wait.
static inline void shim_take_mouse(void) {
  mouseinterval(0);
  mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
}
static inline int shim_is_press(mmask_t state) { return (state & BUTTON1_PRESSED) != 0; }
static inline int shim_wheel(mmask_t state) {
  return (state & BUTTON4_PRESSED) ? -1 : (state & BUTTON5_PRESSED) ? 1 : 0;
}
