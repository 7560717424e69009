import ArgumentParser
import Glibc
import LocationKit

extension MeasurementUnits: ExpressibleByArgument {
  /// What the locale's people measure in.
  static var ofLocale: MeasurementUnits {
    // As the C library does it: the first of these that says something.
    for name in ["LC_ALL", "LC_MEASUREMENT", "LANG"] {
      if let value = getenv(name), value.pointee != 0 { return MeasurementUnits(locale: String(cString: value)) }
    }
    return .metric
  }
}
