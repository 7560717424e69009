// The daemon's event stream, and whether the daemon is reachable.

const names = ["state", "location", "satellites", "fences", "sides", "region", "status", "settings", "replay", "devices", "alive"];

// The daemon sends "alive" every 15 s. A host that has lost its power sends nothing.
const silenceLimit = 40_000;
const retryAfter = 3_000;

/// Calls `onEvent(name, value)` for each event, and `onConnection(isOpen)` when the daemon appears or disappears.
export function openStream(onEvent, onConnection) {
  let source;
  let watchdog;

  function reopen(delay) {
    clearTimeout(watchdog);
    source.close();
    onConnection(false);
    watchdog = setTimeout(connect, delay);
  }

  function heard() {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => reopen(0), silenceLimit);
  }

  function connect() {
    source = new EventSource("events");
    heard();
    source.onopen = () => {
      heard();
      onConnection(true);
    };
    source.onerror = () => {
      // The browser reconnects by itself with the id of the last event, unless the answer was not an event stream.
      if (source.readyState === EventSource.CLOSED) reopen(retryAfter);
      else onConnection(false);
    };
    for (const name of names) {
      source.addEventListener(name, (event) => {
        heard();
        onEvent(name, JSON.parse(event.data));
      });
    }
  }

  connect();
}
