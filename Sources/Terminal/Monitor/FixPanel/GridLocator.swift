import LocationKit

extension LocationCoordinate2D {
  /// The Maidenhead locator in eight characters, a square of 30 by 15 seconds of arc, as radio amateurs have it.
  var gridLocator: String {
    guard isValid else { return "" }
    // The pole and the antimeridian are in the last square.
    var east = min(longitude + 180, 360.nextDown) / 20
    var north = min(latitude + 90, 180.nextDown) / 10
    var text = ""
    for (first, count) in [("A", 10), ("0", 24), ("a", 10), ("0", 0)] as [(Unicode.Scalar, Double)] {
      for value in [east, north] { text.unicodeScalars.append(Unicode.Scalar(UInt8(first.value) + UInt8(value))) }
      east = (east - east.rounded(.down)) * count
      north = (north - north.rounded(.down)) * count
    }
    return text
  }
}
