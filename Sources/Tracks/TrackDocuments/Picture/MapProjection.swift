import Glibc
import LocationKit

/// Mercator's projection on the WGS84 ellipsoid into a frame of a picture. At every place a metre to the north is as
/// long as a metre to the east.
struct MapProjection {
  let frame: Box
  /// Degrees.
  let south, north, west, east: Double
  /// Picture units per radian of longitude.
  private let scale: Double
  private let centre: (x: Double, y: Double)

  /// Fits an area in degrees into a frame, in the middle, with some room around it and at least 100 m of ground.
  init(south: Double, north: Double, west: Double, east: Double, frame: Box, padding: Double) {
    self.frame = frame
    let low = Self.mercator(south)
    let high = Self.mercator(north)
    let radians = (west: west * .pi / 180, east: east * .pi / 180)
    centre = ((radians.west + radians.east) / 2, (low + high) / 2)
    let middle = (south + north) / 2
    let least = 100 / Self.metresPerRadian(at: middle)
    let room = (width: frame.width - 2 * padding, height: frame.height - 2 * padding)
    scale = min(room.width / max(radians.east - radians.west, least), room.height / max(high - low, least))
    let half = (width: frame.width / 2 / scale, height: frame.height / 2 / scale)
    self.west = (centre.x - half.width) * 180 / .pi
    self.east = (centre.x + half.width) * 180 / .pi
    self.south = Self.latitude(centre.y - half.height)
    self.north = Self.latitude(centre.y + half.height)
  }

  func x(_ longitude: Double) -> Double { frame.x + frame.width / 2 + (longitude * .pi / 180 - centre.x) * scale }

  func y(_ latitude: Double) -> Double { frame.y + frame.height / 2 - (Self.mercator(latitude) - centre.y) * scale }

  /// Metres per picture unit in the middle of the frame.
  var metresPerUnit: Double { Self.metresPerRadian(at: Self.latitude(centre.y)) / scale }

  /// The height of an area divided by its width, in this projection.
  static func aspect(south: Double, north: Double, west: Double, east: Double) -> Double {
    let least = 100 / metresPerRadian(at: (south + north) / 2)
    return max(mercator(north) - mercator(south), least) / max((east - west) * .pi / 180, least)
  }

  private static let eccentricity = WGS84.eccentricitySquared.squareRoot()

  /// Mercator's ordinate in radians. The poles are infinitely far away, so latitudes are limited to a little less.
  private static func mercator(_ latitude: Double) -> Double {
    let radians = min(max(latitude, -89.5), 89.5) * .pi / 180
    return asinh(tan(radians)) - eccentricity * atanh(eccentricity * sin(radians))
  }

  /// Degrees; the inverse of `mercator`.
  private static func latitude(_ ordinate: Double) -> Double {
    // The ordinate grows with the latitude, and sixty bisections use all digits of a Double.
    var low = -89.5
    var high = 89.5
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if mercator(middle) < ordinate { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  /// Metres to the east per radian of longitude.
  private static func metresPerRadian(at latitude: Double) -> Double {
    let latitude = min(max(latitude, -89.5), 89.5)
    return WGS84.primeVerticalRadius(atLatitude: latitude) * cos(latitude * .pi / 180)
  }
}
