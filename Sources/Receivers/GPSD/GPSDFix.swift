import FoundationEssentials

/// A TPV report: what gpsd said, what is not known being `nil`.
struct GPSDFix: Equatable {
  var device: String?
  var time: Date?
  /// 0 unknown, 1 no fix, 2 two-dimensional, 3 three-dimensional.
  var mode = 0
  var isSimulated = false
  var latitude: Double?
  var longitude: Double?
  var altitudeMSL: Double?
  var altitudeHAE: Double?
  var eph: Double?
  var epx: Double?
  var epy: Double?
  var epv: Double?
  var track: Double?
  var epd: Double?
  var speed: Double?
  var eps: Double?
  var climb: Double?

  /// This report with what an earlier one of the same epoch had said and this one does not say.
  func filled(from earlier: GPSDFix) -> GPSDFix {
    var fix = self
    if fix.latitude == nil || fix.longitude == nil {
      fix.latitude = earlier.latitude
      fix.longitude = earlier.longitude
    }
    fix.altitudeMSL = fix.altitudeMSL ?? earlier.altitudeMSL
    fix.altitudeHAE = fix.altitudeHAE ?? earlier.altitudeHAE
    fix.eph = fix.eph ?? earlier.eph
    fix.epx = fix.epx ?? earlier.epx
    fix.epy = fix.epy ?? earlier.epy
    fix.epv = fix.epv ?? earlier.epv
    fix.track = fix.track ?? earlier.track
    fix.epd = fix.epd ?? earlier.epd
    fix.speed = fix.speed ?? earlier.speed
    fix.eps = fix.eps ?? earlier.eps
    fix.climb = fix.climb ?? earlier.climb
    return fix
  }
}
