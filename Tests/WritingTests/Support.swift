@testable import Records
import Foundation
import LocationKit

@testable import Writing

/// A record buffer that holds text.
func record(_ text: String) -> RecordBuffer {
  var buffer = RecordBuffer()
  var text = text
  text.withUTF8 { buffer.append(contentsOf: UnsafeRawBufferPointer($0)) }
  return buffer
}

/// A location of which everything is known that a record has.
let fullLocation = Location(
  coordinate: LocationCoordinate2D(latitude: 37.785834, longitude: -122.406417), altitude: 10.1,
  ellipsoidalAltitude: -22.4, horizontalAccuracy: 5, verticalAccuracy: 9, course: 10.3, courseAccuracy: 4.1, speed: 1.2,
  speedAccuracy: 0.4, timestamp: Date(timeIntervalSince1970: 1_708_760_163), mode: .threeDimensional, satellitesUsed: 9,
  satellitesSeen: 12, sourceInformation: LocationSourceInformation(device: "/dev/ttyUSB0", isSimulatedBySoftware: true))

extension RecordStream {
  /// A stream to an open descriptor, which is not closed.
  convenience init(
    descriptor: Int32, name: String = "standard output", mode: OutboxMode, limit: Int = 4 << 20,
    describeDropped: @escaping DroppedDescription = { _, _ in }, onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(OutputError) {
    try self.init(
      to: LineFile(descriptor, name: name, onNotice: { _ in }), mode: mode, limit: limit,
      describeDropped: describeDropped,
      onNotice: onNotice, onEnd: onEnd)
  }
}
