import ArgumentParser
import Glibc
import LocationKit

extension MeasurementUnits: ExpressibleByArgument {
  /// The units of the locale.
  static var ofLocale: MeasurementUnits {
    // The first of these variables that is set applies, as in the C library.
    for name in ["LC_ALL", "LC_MEASUREMENT", "LANG"] {
      if let value = getenv(name), value.pointee != 0 { return MeasurementUnits(locale: String(cString: value)) }
    }
    return .metric
  }
}
