import FoundationEssentials
import LocationKit
import Platform

/// The location in a message of OwnTracks, as brokers and OwnTracks Recorder have it.
package struct OwnTracksLocation {
  /// The text of `tst` if it is not a time; `nil` otherwise.
  package private(set) var invalidTime: String?
  /// The first value that should be a number and is not.
  package private(set) var invalidNumber: String?

  private var draft = Location(latitude: .nan, longitude: .nan)
  /// `tst` is in whole seconds; this program's own messages have the fraction in `time`.
  private var exactTime: Date?

  package init() {}

  package mutating func read(_ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value) {
    if key.equals("time"), case .string(let text) = value { exactTime = JSONReader.text(text).flatMap(Date.init) }
    // All other relevant names have three letters.
    guard key.count == 3, let member = Self.members.first(where: { key.equals($0.name) }) else { return }
    switch value {
    case .null: break
    case .number(let text):
      guard let number = Double(decimal: text) else { return refuse(text, of: key) }
      if key.equals("tst"), Date(recorded: number) == nil { return refuse(text, of: key) }
      member.set(&draft, number)
    case .string(let text), .nested(let text): refuse(text, of: key)
    case .boolean(let value): refuse(value ? "true" : "false", of: key)
    }
  }

  /// The values so far. Latitude or longitude is NaN if the message does not contain it.
  package var location: Location {
    var location = draft
    if let exactTime, exactTime.timeIntervalSince1970.rounded(.down) == draft.timestamp?.timeIntervalSince1970 {
      location.timestamp = exactTime
    }
    location.removeUnknownValues()
    // OwnTracks also writes 0 if it does not know the accuracy.
    if location.horizontalAccuracy == 0 { location.horizontalAccuracy = nil }
    if location.verticalAccuracy == 0 || location.altitude == nil { location.verticalAccuracy = nil }
    location.mode = location.altitude == nil ? .twoDimensional : .threeDimensional
    return location
  }

  private static let members: [(name: StaticString, set: @Sendable (inout Location, Double) -> Void)] = [
    ("lat", { $0.coordinate.latitude = $1 }), ("lon", { $0.coordinate.longitude = $1 }),
    ("tst", { $0.timestamp = Date(recorded: $1) }), ("acc", { $0.horizontalAccuracy = $1 }),
    ("alt", { $0.altitude = $1 }), ("vac", { $0.verticalAccuracy = $1 }), ("cog", { $0.course = $1 }),
    // In kilometres per hour.
    ("vel", { $0.speed = $1 / 3.6 }),
  ]

  private mutating func refuse(_ text: UnsafeBufferPointer<UInt8>, of key: UnsafeBufferPointer<UInt8>) {
    refuse(String(decoding: text.prefix(40), as: UTF8.self), of: key)
  }

  private mutating func refuse(_ text: String, of key: UnsafeBufferPointer<UInt8>) {
    if key.equals("tst") { invalidTime = text } else { invalidNumber = invalidNumber ?? text }
  }
}
