// A layer of the map with a canvas that covers the view and is redrawn whenever the map moves.

/// `draw(context, view)` gets `view.y(v)`, which converts a place on the square of the world (0 to 1, see `worldX` and
/// `worldY`) into pixels of the canvas, and `view.near(anchor)`, which does the same for x. Of the copies of the world
/// it uses the one in which the anchor is nearest to the centre. `view.size` is the side of the world in pixels, `left` and
/// `top` are the canvas's corner in it.
///
/// `padding` is the part of its size by which the canvas extends beyond each edge of the view. Nothing is drawn while
/// the map moves within it. 0 draws in every frame.
export function canvasLayer(L, pane, padding, draw) {
  const Layer = L.Layer.extend({
    options: { pane },

    onAdd(map) {
      const animation = map.options.zoomAnimation ? "leaflet-zoom-animated" : "leaflet-zoom-hide";
      this.canvas = L.DomUtil.create("canvas", `${pane} ${animation}`, this.getPane());
      this.redraw();
    },

    onRemove() {
      cancelAnimationFrame(this.frame);
      this.canvas.remove();
    },

    getEvents() {
      return {
        move: this.uncover, resize: this.schedule, zoom: this.redraw, viewreset: this.redraw, zoomanim: this.animate,
      };
    },

    uncover() {
      const moved = this._map.containerPointToLayerPoint(this.margin.multiplyBy(-1)).subtract(this.corner);
      if (padding === 0 || Math.abs(moved.x) > this.margin.x || Math.abs(moved.y) > this.margin.y) this.schedule();
    },

    /// Draws in the next frame. Several calls cause one drawing.
    schedule() {
      this.frame ??= requestAnimationFrame(() => this.redraw());
    },

    redraw() {
      cancelAnimationFrame(this.frame);
      this.frame = undefined;
      const map = this._map;
      if (!map) return;
      this.margin = map.getSize().multiplyBy(padding).round();
      const { x: width, y: height } = map.getSize().add(this.margin.multiplyBy(2));
      const ratio = window.devicePixelRatio || 1;
      this.corner = map.containerPointToLayerPoint(this.margin.multiplyBy(-1));
      this.place = map.layerPointToLatLng(this.corner);
      L.DomUtil.setPosition(this.canvas, this.corner);
      if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        this.canvas.style.width = `${width}px`;
        this.canvas.style.height = `${height}px`;
      }
      const context = this.canvas.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      const origin = map.getPixelOrigin().add(this.corner);
      const size = 256 * 2 ** map.getZoom();
      const middle = (origin.x + width / 2) / size;
      draw(context, {
        map, width, height, size, left: origin.x, top: origin.y,
        near: (anchor) => {
          const shift = Math.round(anchor - middle);
          return (u) => (u - shift) * size - origin.x;
        },
        y: (v) => v * size - origin.y,
      });
    },

    /// While the map zooms, the canvas is scaled, as Leaflet does with its tiles.
    animate({ zoom, center }) {
      // Leaflet's own image layer does the same.
      const corner = this._map._latLngToNewLayerPoint(this.place, zoom, center);
      L.DomUtil.setTransform(this.canvas, corner, this._map.getZoomScale(zoom));
    },
  });
  return new Layer();
}

// The latitude at which the square of the world ends, because the projection's pole is infinitely far away.
const end = 85.0511287798;

/// Whether the map can show a place of this latitude.
export function isOnMap(latitude) {
  return Math.abs(latitude) <= end;
}

/// The position of a longitude in degrees on the square of the world.
export function worldX(longitude) {
  return longitude / 360 + 0.5;
}

/// The position of a latitude in degrees on the square of the world, by the spherical Mercator projection of web maps.
export function worldY(latitude) {
  const sine = Math.sin((Math.max(-end, Math.min(end, latitude)) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/// The distance between two places with latitude and longitude, in metres on a sphere.
export function metresBetween(one, other) {
  const radians = Math.PI / 180;
  const [down, across] = [other.latitude - one.latitude, other.longitude - one.longitude].map((it) => Math.sin((it * radians) / 2));
  const square = down ** 2 + Math.cos(one.latitude * radians) * Math.cos(other.latitude * radians) * across ** 2;
  return 2 * 6_371_008.8 * Math.asin(Math.min(1, Math.sqrt(square)));
}

/// A colour of the style sheet, by the name of its variable.
export function themeColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/// The elements that cover the map, each as [left, top, right, bottom] in its pixels.
export function coverings() {
  const map = document.getElementById("map").getBoundingClientRect();
  return [...document.querySelectorAll(".legend, .tools button, .leaflet-control-scale, .leaflet-bar")]
    .map((element) => element.getBoundingClientRect())
    .filter(({ width }) => width > 0)
    .map(({ left, top, right, bottom }) => [left - map.left, top - map.top, right - map.left, bottom - map.top]);
}
