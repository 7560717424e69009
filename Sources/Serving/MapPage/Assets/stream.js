// The daemon's event stream, and whether the daemon is reachable.

// Without JavaScript the page shows a notice instead.
document.querySelector("main").hidden = false;

// The daemon sends "alive" every 15 s. A host that has lost its power sends nothing.
const silenceLimit = 40_000;
const retryAfter = 3_000;

/// What a page depends on. If the daemon returns with other values, the page reloads itself.
function signature({ version, leaflet, tiles, source, units, history }) {
  return JSON.stringify([version, leaflet, tiles, source?.kind, units, history]);
}

/// Calls the function of `changes` with an event's name for each event, the first of which is the state of the daemon, and
/// sets `model.connection` when the daemon appears or disappears; after each it calls `schedule()`.
export function follow(model, changes, schedule) {
  let source;
  let watchdog;

  function setConnection(connection) {
    model.connection = connection;
    schedule();
  }

  function reopen(delay) {
    clearTimeout(watchdog);
    source.close();
    setConnection("lost");
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
      setConnection("open");
    };
    source.onerror = () => {
      // The browser reconnects by itself with the id of the last event, unless the answer was not an event stream.
      if (source.readyState === EventSource.CLOSED) reopen(retryAfter);
      else setConnection("lost");
    };
    for (const [name, change] of Object.entries(changes)) {
      source.addEventListener(name, (event) => {
        heard();
        if (name !== "state" && !model.state) return;
        const value = JSON.parse(event.data);
        if (name === "state" && model.state && signature(model.state) !== signature(value)) window.location.reload();
        change(value);
        schedule();
      });
    }
  }

  connect();
}
