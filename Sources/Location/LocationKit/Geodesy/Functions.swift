// The one file of the location libraries that needs the system's C library.
#if canImport(Glibc)
  import Glibc

  func sin(_ x: Double) -> Double { Glibc.sin(x) }
  func cos(_ x: Double) -> Double { Glibc.cos(x) }
  func asin(_ x: Double) -> Double { Glibc.asin(x) }
  func exp(_ x: Double) -> Double { Glibc.exp(x) }
  func tanh(_ x: Double) -> Double { Glibc.tanh(x) }
  func atanh(_ x: Double) -> Double { Glibc.atanh(x) }
  func atan2(_ y: Double, _ x: Double) -> Double { Glibc.atan2(y, x) }
  func hypot(_ y: Double, _ x: Double) -> Double { Glibc.hypot(y, x) }
#else
  import Foundation

  func sin(_ x: Double) -> Double { Foundation.sin(x) }
  func cos(_ x: Double) -> Double { Foundation.cos(x) }
  func asin(_ x: Double) -> Double { Foundation.asin(x) }
  func exp(_ x: Double) -> Double { Foundation.exp(x) }
  func tanh(_ x: Double) -> Double { Foundation.tanh(x) }
  func atanh(_ x: Double) -> Double { Foundation.atanh(x) }
  func atan2(_ y: Double, _ x: Double) -> Double { Foundation.atan2(y, x) }
  func hypot(_ y: Double, _ x: Double) -> Double { Foundation.hypot(y, x) }
#endif

/// Returns the cosine of a latitude, exactly 0 at the poles.
package func cosine(ofDegrees latitude: LocationDegrees) -> Double {
  abs(latitude) == 90 ? 0 : cos(latitude * .pi / 180)
}

/// Heights of a map in Mercator's projection, in radians of longitude, around a parallel that is given by its cosine.
///
/// On a map of height h, the north and south edges are sin⁻¹(cos φ · tanh(h/2)) from the centre: the inverse of the
/// projection, solved for both edges together.
package enum Mercator {
  /// Returns the height of a map that shows this many degrees of latitude; infinite if it would reach a pole.
  package static func height(ofLatitudes degrees: LocationDegrees, at parallel: Double) -> Double {
    let sine = sin(degrees * .pi / 360)
    return sine < parallel ? 2 * atanh(sine / parallel) : .infinity
  }

  /// Returns the degrees of latitude on a map of this height.
  package static func latitudes(ofHeight height: Double, at parallel: Double) -> LocationDegrees {
    asin(parallel * tanh(height / 2)) * 360 / .pi
  }
}
