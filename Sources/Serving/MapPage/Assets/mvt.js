// Reads vector tiles, which are protobuf in the format of Mapbox, version 2.

const text = new TextDecoder();

function signed(number) {
  return (number >>> 1) ^ -(number & 1);
}

/// A part of the bytes and a place in it.
class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end });
  }

  number() {
    let value = 0;
    for (let factor = 1; this.at < this.end; factor *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    throw new Error("the tile ends too early");
  }

  skip(count) {
    this.at += count;
    if (this.at > this.end) throw new Error("the tile ends too early");
    return this.at - count;
  }

  part() {
    const count = this.number();
    return new Reader(this.bytes, this.skip(count), this.at);
  }

  text() {
    const { at, end } = this.part();
    return text.decode(this.bytes.subarray(at, end));
  }

  float(size) {
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.skip(size), size);
    return size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
  }

  /// Calls the function of each field, which reads its value, and skips the fields without a function.
  fields(functions) {
    while (this.at < this.end) {
      const tag = this.number();
      if (functions[tag >>> 3]) functions[tag >>> 3](this);
      else if ((tag & 7) === 0) this.number();
      else if ((tag & 7) === 2) this.part();
      else this.skip((tag & 7) === 1 ? 8 : 4);
    }
  }
}

function valueOf(reader) {
  let value;
  reader.fields({
    1: (it) => (value = it.text()), 2: (it) => (value = it.float(4)), 3: (it) => (value = it.float(8)),
    4: (it) => (value = it.number()), 5: (it) => (value = it.number()), 6: (it) => (value = signed(it.number())),
    7: (it) => (value = it.number() !== 0),
  });
  return value;
}

/// The lines, rings or points of a feature, each as [x, y, x, y, …].
function shapeOf(reader, scale) {
  const lines = [];
  let [line, x, y] = [undefined, 0, 0];
  while (reader.at < reader.end) {
    const command = reader.number();
    if ((command & 7) === 7) {
      line.push(line[0], line[1]);
      continue;
    }
    for (let count = command >>> 3; count > 0; count -= 1) {
      x += signed(reader.number());
      y += signed(reader.number());
      if ((command & 7) === 1) lines.push((line = []));
      line.push(x * scale, y * scale);
    }
  }
  return lines;
}

/// Calls `take(layer, properties, type, shape)` for each feature of a tile. The type is 1 for points, 2 for lines and 3 for
/// areas. `shape()` reads the places, from 0 to `side` within the tile. A damaged tile throws.
export function readTile(bytes, side, take) {
  new Reader(bytes).fields({
    3: (tile) => {
      let [name, extent] = ["", 4096];
      const [features, keys, values] = [[], [], []];
      tile.part().fields({
        1: (it) => (name = it.text()), 2: (it) => features.push(it.part()), 3: (it) => keys.push(it.text()),
        4: (it) => values.push(valueOf(it.part())), 5: (it) => (extent = it.number()),
      });
      for (const feature of features) {
        let [tags, type, shape] = [];
        feature.fields({ 2: (it) => (tags = it.part()), 3: (it) => (type = it.number()), 4: (it) => (shape = it.part()) });
        const properties = {};
        // Protomaps' version 3 has the names of its own members behind "pmap:".
        while (tags && tags.at < tags.end) properties[keys[tags.number()].replace(/^pmap:/, "")] = values[tags.number()];
        if (shape) take(name, properties, type, () => shapeOf(shape, side / extent));
      }
    },
  });
}
