// What a vector map shows and how it is drawn, in the schemas of Protomaps' basemap (versions 3 and 4) and of OpenMapTiles.

/// A map from each word to its name, from lists of words.
function words(lists) {
  return new Map(Object.entries(lists).flatMap(([name, list]) => list.split(" ").map((word) => [word, name])));
}

/// The layers of these schemas.
export const layers = new Set((
  "aerodrome_label aeroway boundaries boundary building buildings earth housenumber landcover landuse mountain_peak natural park "
  + "physical_line physical_point place places poi pois roads transit transportation transportation_name water water_name waterway"
).split(" "));

// In the order in which they are drawn.
const areas = words({
  built: "residential urban_area suburb neighbourhood quarter commercial retail industrial railway school university "
    + "college hospital kindergarten military aerodrome pedestrian",
  ice: "glacier ice",
  sand: "sand beach bare_rock rock barren",
  green: "grass grassland park garden meadow village_green recreation_ground golf_course cemetery pitch playground scrub "
    + "allotments orchard vineyard wetland stadium zoo theme_park national_park nature_reserve protected_area",
  wood: "wood forest",
});
const roads = words({
  path: "path footway cycleway bridleway steps corridor",
  service: "service track pedestrian alley driveway parking_aisle",
  minor: "minor minor_road residential unclassified living_street road raceway busway",
  secondary: "secondary tertiary medium_road",
  primary: "primary major_road",
  motorway: "motorway trunk highway",
  rail: "rail transit light_rail subway tram narrow_gauge monorail funicular",
  ferry: "ferry",
  runway: "runway taxiway",
});
const levels = words({
  0: "country", 1: "city", 2: "state region province", 3: "town", 4: "village",
  5: "suburb borough macrohood neighbourhood quarter island", 6: "hamlet locality isolated_dwelling",
});

/// The class of a road or a railway by its detailed kind or its kind; undefined for others.
function roadOf({ kind, kind_detail: detail, class: group = kind }) {
  return roads.get(String(detail ?? group).replace("_link", "")) ?? roads.get(group);
}

/// How a feature is drawn; undefined for one that is not.
export function styleOf(layer, properties, type) {
  const kind = properties.kind ?? properties.class;
  if (type === 3) {
    if (layer === "water") return "water";
    if (layer === "buildings" || layer === "building") return "building";
    if (["landuse", "landcover", "natural"].includes(layer)) return areas.get(kind);
    return layer === "park" ? "green" : undefined;
  }
  if (type !== 2) return undefined;
  if (["water", "waterway", "physical_line"].includes(layer)) return kind === "river" || kind === "canal" ? "river" : "stream";
  if (layer === "boundaries" || layer === "boundary") {
    const level = properties.admin_level ?? properties.min_admin_level ?? properties.kind_detail ?? 9;
    if (properties.maritime) return undefined;
    return kind === "country" || level <= 2 ? "border" : kind === "region" || level <= 4 ? "region" : undefined;
  }
  if (!["roads", "transportation", "transit", "aeroway"].includes(layer)) return undefined;
  const road = roadOf(properties);
  if (!properties.is_tunnel && properties.brunnel !== "tunnel" && !(properties.level < 0)) return road;
  return road && road !== "rail" && road !== "path" ? "tunnel" : undefined;
}

/// The rank of a feature's name, the most important ones with the lowest; undefined for a name that is not shown. The
/// integer part is the kind of place: 0 to 6 as above, 7 for water, 8 for roads and 9 for streets.
export function rankOf(layer, properties, type) {
  if (layer === "places" || layer === "place") {
    const level = levels.get(properties.kind_detail) ?? levels.get(properties.kind ?? properties.class);
    const rank = properties.rank ?? 20 - (properties.population_rank ?? 0);
    return level === undefined ? undefined : Number(level) + Math.min(Math.max(rank, 0), 99) / 100;
  }
  if (layer === "water_name" || layer === "water") return type === 1 ? 7 : undefined;
  // Version 3 of Protomaps has the names of peaks in the same layer.
  if (layer === "physical_point") return ["ocean", "sea", "lake", "water", "bay", "strait"].includes(properties.kind) ? 7 : undefined;
  if (type !== 2 || (layer !== "roads" && layer !== "transportation_name")) return undefined;
  const road = roadOf(properties);
  return ["motorway", "primary", "secondary"].includes(road) ? 8 : ["minor", "service"].includes(road) ? 9 : undefined;
}

// The widths of lines in pixels at the zoom levels 12 and 18.
const widths = {
  stream: [0.5, 3], river: [1.2, 7], runway: [3, 60], tunnel: [1.2, 12], path: [0.4, 2], service: [0.4, 6], minor: [0.7, 12],
  secondary: [1.6, 15], primary: [2, 17], motorway: [2.6, 20], rail: [0.8, 3], ferry: [1, 1.5], region: [0.8, 1.6], border: [1.2, 2.4],
};

/// Draws the paths of a tile. A pixel has the length `pixel` in them.
export function drawShapes(context, paths, colours, zoom, pixel) {
  const fill = (name, colour = name) => {
    context.fillStyle = colours[colour];
    if (paths.has(name)) context.fill(paths.get(name));
  };
  const width = (name) => {
    const [far, near] = widths[name];
    return Math.max(0.5, far * (near / far) ** ((Math.min(zoom, 19) - 12) / 6));
  };
  const isNear = zoom >= 15;
  const stroke = (name, colour, more = 0, dashes = []) => {
    if (!paths.has(name) || (!isNear && (name === "path" || name === "service"))) return;
    context.strokeStyle = colours[colour];
    context.lineWidth = (width(name) + more) * pixel;
    context.lineCap = dashes.length > 0 ? "butt" : "round";
    context.setLineDash(dashes.map((length) => length * pixel));
    context.stroke(paths.get(name));
  };
  context.lineJoin = "round";
  for (const name of new Set(areas.values())) fill(name);
  fill("water");
  for (const name of ["stream", "river"]) stroke(name, "water");
  stroke("runway", "road");
  stroke("tunnel", "edge", 0, [3, 3]);
  if (isNear) {
    fill("building");
    context.strokeStyle = colours.edge;
    context.lineWidth = 0.6 * pixel;
    context.setLineDash([]);
    if (paths.has("building")) context.stroke(paths.get("building"));
  }
  const streets = ["service", "minor", "secondary", "primary", "motorway"];
  for (const name of streets) if (width(name) > 1.5) stroke(name, "edge", isNear ? 1.6 : 1);
  stroke("path", "path", 0, [3, 2]);
  for (const name of streets) stroke(name, name === "motorway" ? "motorway" : width(name) > 1.5 ? "road" : "edge");
  stroke("rail", "rail");
  if (isNear) stroke("rail", "ground", -0.8, [5, 5]);
  stroke("ferry", "rail", 0, [4, 4]);
  stroke("region", "border", 0, [5, 3]);
  stroke("border", "border");
}
