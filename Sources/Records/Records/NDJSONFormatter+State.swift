import LocationKit

/// The records of a location socket that a location stream does not have.
extension NDJSONFormatter {
  /// Appends `{"type":"state",…}`: whether there is a fix, and the reason if it is lost. A receiver that reports no fix
  /// before its first one is a reason, too.
  package func append(_ state: FixState, withoutFix: Bool = false, to buffer: inout RecordBuffer) {
    buffer.appendRecord("state") {
      switch state {
      case .searching:
        $0.appendMember("fix", "searching")
        if withoutFix { $0.appendMember("reason", FixLoss.Reason.receiver.rawValue) }
      case .current: $0.appendMember("fix", "current")
      case .lost(let loss):
        $0.appendMember("fix", "lost")
        $0.appendMember("reason", loss.reason.rawValue)
      }
    }
  }

  /// Appends `{"type":"source",…}` for the status of the source of locations.
  package func append(_ status: LocationSourceStatus, to buffer: inout RecordBuffer) {
    buffer.appendRecord("source") {
      switch status {
      case .idle: $0.appendMember("status", "idle")
      case .connecting: $0.appendMember("status", "connecting")
      case .connected(let devices):
        $0.appendMember("status", "connected")
        $0.appendArray("devices", devices) { $0.appendJSONString($1) }
      case .waiting(let reason, let seconds):
        $0.appendMember("status", "waiting")
        $0.appendMember("reason", reason)
        $0.appendMember("retryIn", seconds)
      case .finished: $0.appendMember("status", "finished")
      }
    }
  }

  /// Appends `{"type":"doubts",…}` for the present reasons to doubt the fix; without any, the text is empty.
  package func append(_ doubts: Doubts, to buffer: inout RecordBuffer) {
    buffer.appendRecord("doubts") { $0.appendMember("doubts", doubts.names) }
  }

  /// Appends `{"type":"satellites",…}` for the satellites in view.
  package func append(_ satellites: [Satellite], to buffer: inout RecordBuffer) {
    buffer.appendRecord("satellites") {
      $0.appendKey("satellites")
      $0.append(satellites)
    }
  }

  /// Appends `{"type":"heading",…}` for a report of a compass or an attitude sensor.
  package func append(_ heading: Heading, to buffer: inout RecordBuffer) {
    buffer.appendRecord("heading") {
      $0.appendMember("time", heading.timestamp)
      $0.appendMember("magneticHeading", heading.magneticHeading)
      $0.appendMember("trueHeading", heading.trueHeading)
      $0.appendMember("headingAccuracy", heading.headingAccuracy)
    }
  }

  /// Appends `{"type":"clock",…}`: the seconds of a recording's clock, in as many digits as they have.
  package func append(clock seconds: Double, to buffer: inout RecordBuffer) {
    buffer.appendRecord("clock") {
      $0.appendKey("seconds")
      $0.append(text: "\(seconds)")
    }
  }

  /// Appends `{"type":"refused",…}`, the answer to a reader's line that is not a request.
  package func append(refusal message: String, to buffer: inout RecordBuffer) {
    buffer.appendRecord("refused") { $0.appendMember("message", message) }
  }
}

extension RecordBuffer {
  fileprivate mutating func appendRecord(_ type: String, _ body: (inout RecordBuffer) -> Void) {
    appendObject {
      $0.appendMember("type", type)
      body(&$0)
    }
    append("\n")
  }

  package mutating func append(_ satellites: [Satellite]) {
    appendArray(satellites) { buffer, satellite in
      buffer.appendObject {
        $0.appendMember("system", satellite.system.rawValue)
        $0.appendMember("number", satellite.number)
        $0.appendMember("azimuth", satellite.azimuth)
        $0.appendMember("elevation", satellite.elevation)
        $0.appendMember("signal", satellite.signal)
        $0.appendMember("used", satellite.isUsed)
      }
    }
  }
}

extension LocationSourceInterests {
  /// What a reader of a location socket gets only if it asks, and the names in its request.
  private static let topics: [(name: String, interest: Self)] = [("satellites", .satellites), ("headings", .headings)]

  /// Reads a reader's line, such as `watch satellites`; `nil` for another text.
  package init?(request: UnsafeRawBufferPointer) {
    let words = String(decoding: request, as: UTF8.self).split(separator: " ")
    guard words.first == "watch" else { return nil }
    self = []
    for word in words.dropFirst() {
      guard let interest = Self.topics.first(where: { $0.name == word })?.interest else { return nil }
      insert(interest)
    }
  }

  /// The line with which a reader asks, with its line feed.
  package var request: String {
    (["watch"] + Self.topics.filter { contains($0.interest) }.map(\.name)).joined(separator: " ") + "\n"
  }
}
