import FoundationEssentials
import LocationKit
import NMEA

/// libFuzzer's entry: decodes bytes in one piece, and in pieces of a size that the bytes choose. Decoding must neither
/// crash nor hang, both ways must give the same, and no value may be infinite, NaN or out of range.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let bytes = UnsafeBufferPointer(start: start, count: count)
  var whole: [LocationSourceEvent] = []
  var decoder = NMEADecoder()
  decoder.decode(bytes) { whole.append($0) }
  decoder.finish { whole.append($0) }
  whole.forEach(check)

  var pieces: [LocationSourceEvent] = []
  var other = NMEADecoder()
  let size = Int(bytes[0] & 63) + 1
  for first in stride(from: 0, to: count, by: size) {
    let piece = UnsafeBufferPointer(rebasing: bytes[first..<min(first + size, count)])
    other.decode(piece) { pieces.append($0) }
  }
  other.finish { pieces.append($0) }
  precondition(whole == pieces, "cuts change the events")
  precondition(decoder.statistics == other.statistics, "cuts change the statistics")
  precondition(decoder.statistics.bytes == count)
  _ = decoder.satellites
  return 0
}

private func check(_ event: LocationSourceEvent) {
  switch event {
  case .location(let location):
    precondition(location.coordinate.isValid)
    for value in [
      location.altitude, location.ellipsoidalAltitude, location.horizontalAccuracy, location.verticalAccuracy,
      location.speed, location.speedAccuracy, location.courseAccuracy, location.climb,
      location.timestamp?.timeIntervalSinceReferenceDate,
    ] {
      if let value { precondition(value.isFinite) }
    }
    if let course = location.course { precondition(course >= 0 && course < 360) }
  case .heading(let heading):
    for value in [heading.magneticHeading, heading.trueHeading] {
      if let value { precondition(value >= 0 && value < 360) }
    }
  default: break
  }
}
