import LocationKit

/// The records of a location socket that a location stream does not have.
extension NDJSONFormatter {
  /// Appends `{"type":"state",…}`: whether there is a fix, and the reason if it is lost. A receiver that reports no fix
  /// before its first one is a reason, too.
  package func append(_ state: FixState, withoutFix: Bool = false, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"state""#)
    switch state {
    case .searching:
      buffer.appendMember("fix", "searching")
      if withoutFix { buffer.appendMember("reason", FixLoss.Reason.receiver.rawValue) }
    case .current: buffer.appendMember("fix", "current")
    case .lost(let loss):
      buffer.appendMember("fix", "lost")
      buffer.appendMember("reason", loss.reason.rawValue)
    }
    buffer.append("}\n")
  }

  /// Appends `{"type":"source",…}` for the status of the source of locations.
  package func append(_ status: LocationSourceStatus, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"source""#)
    switch status {
    case .idle: buffer.appendMember("status", "idle")
    case .connecting: buffer.appendMember("status", "connecting")
    case .connected(let devices):
      buffer.appendMember("status", "connected")
      buffer.appendArray("devices", devices) { buffer, device in buffer.appendJSONString(device) }
    case .waiting(let reason, let seconds):
      buffer.appendMember("status", "waiting")
      buffer.appendMember("reason", reason)
      buffer.appendMember("retryIn", seconds)
    case .finished: buffer.appendMember("status", "finished")
    }
    buffer.append("}\n")
  }

  /// Appends `{"type":"doubts",…}` for the present reasons to doubt the fix; without any, the text is empty.
  package func append(_ doubts: Doubts, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"doubts""#)
    buffer.appendMember("doubts", doubts.names)
    buffer.append("}\n")
  }

  /// Appends `{"type":"satellites",…}` for the satellites in view.
  package func append(_ satellites: [Satellite], to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"satellites""#)
    buffer.appendArray("satellites", satellites) { buffer, satellite in
      buffer.append("{")
      buffer.appendMember("system", satellite.system.rawValue)
      buffer.appendMember("number", satellite.number)
      buffer.appendMember("azimuth", satellite.azimuth)
      buffer.appendMember("elevation", satellite.elevation)
      buffer.appendMember("signal", satellite.signal)
      buffer.appendMember("used", satellite.isUsed)
      buffer.append("}")
    }
    buffer.append("}\n")
  }

  /// Appends `{"type":"heading",…}` for a report of a compass or an attitude sensor.
  package func append(_ heading: Heading, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"heading""#)
    buffer.appendMember("time", heading.timestamp)
    buffer.appendMember("magneticHeading", heading.magneticHeading)
    buffer.appendMember("trueHeading", heading.trueHeading)
    buffer.appendMember("headingAccuracy", heading.headingAccuracy)
    buffer.append("}\n")
  }

  /// Appends `{"type":"clock",…}`: the seconds of a recording's clock, in as many digits as they have.
  package func append(clock seconds: Double, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"clock""#)
    buffer.appendKey("seconds")
    buffer.append(text: "\(seconds)")
    buffer.append("}\n")
  }

  /// Appends `{"type":"refused",…}`, the answer to a reader's line that is not a request.
  package func append(refusal message: String, to buffer: inout RecordBuffer) {
    buffer.append(#"{"type":"refused""#)
    buffer.appendMember("message", message)
    buffer.append("}\n")
  }
}

/// What a reader of a location socket gets only if it asks.
package struct StreamTopics: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let satellites = Self(rawValue: 1 << 0)
  package static let headings = Self(rawValue: 1 << 1)

  private static let names: [(name: String, topic: Self)] = [("satellites", .satellites), ("headings", .headings)]

  /// Reads a reader's line, such as `watch satellites`; `nil` for another text.
  package init?(request: UnsafeRawBufferPointer) {
    let words = String(decoding: request, as: UTF8.self).split(separator: " ")
    guard words.first == "watch" else { return nil }
    self = []
    for word in words.dropFirst() {
      guard let topic = Self.names.first(where: { $0.name == word })?.topic else { return nil }
      insert(topic)
    }
  }

  /// The line with which a reader asks, with its line feed.
  package var request: String {
    (["watch"] + Self.names.filter { contains($0.topic) }.map(\.name)).joined(separator: " ") + "\n"
  }
}
