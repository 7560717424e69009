#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// The functions of the system's C library. This is the one file of the location libraries that needs it.
enum C {
  #if canImport(Glibc)
    static func sin(_ x: Double) -> Double { Glibc.sin(x) }
    static func cos(_ x: Double) -> Double { Glibc.cos(x) }
    static func asin(_ x: Double) -> Double { Glibc.asin(x) }
    static func exp(_ x: Double) -> Double { Glibc.exp(x) }
    static func tanh(_ x: Double) -> Double { Glibc.tanh(x) }
    static func atanh(_ x: Double) -> Double { Glibc.atanh(x) }
    static func atan2(_ y: Double, _ x: Double) -> Double { Glibc.atan2(y, x) }
    static func hypot(_ y: Double, _ x: Double) -> Double { Glibc.hypot(y, x) }
  #else
    static func sin(_ x: Double) -> Double { Foundation.sin(x) }
    static func cos(_ x: Double) -> Double { Foundation.cos(x) }
    static func asin(_ x: Double) -> Double { Foundation.asin(x) }
    static func exp(_ x: Double) -> Double { Foundation.exp(x) }
    static func tanh(_ x: Double) -> Double { Foundation.tanh(x) }
    static func atanh(_ x: Double) -> Double { Foundation.atanh(x) }
    static func atan2(_ y: Double, _ x: Double) -> Double { Foundation.atan2(y, x) }
    static func hypot(_ y: Double, _ x: Double) -> Double { Foundation.hypot(y, x) }
  #endif
}

/// Returns the cosine of a latitude, exactly 0 at the poles.
package func cosine(ofDegrees latitude: LocationDegrees) -> Double {
  abs(latitude) == 90 ? 0 : C.cos(latitude * .pi / 180)
}

/// Heights of a map in Mercator's projection, in radians of longitude, around a parallel that is given by its cosine.
///
/// On a map of height h, the north and south edges are sin⁻¹(cos φ · tanh(h/2)) from the centre: the inverse of the
/// projection, solved for both edges together.
package enum Mercator {
  /// Returns the height of a map that shows this many degrees of latitude; infinite if it would reach a pole.
  package static func height(ofLatitudes degrees: LocationDegrees, at parallel: Double) -> Double {
    let sine = C.sin(degrees * .pi / 360)
    return sine < parallel ? 2 * C.atanh(sine / parallel) : .infinity
  }

  /// Returns the degrees of latitude on a map of this height.
  package static func latitudes(ofHeight height: Double, at parallel: Double) -> LocationDegrees {
    C.asin(parallel * C.tanh(height / 2)) * 360 / .pi
  }
}
