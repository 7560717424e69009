import FoundationEssentials
import LocationKit
import Platform
import Records

/// Reads the lines of a location socket.
struct DaemonRecordReader {
  private var values = MemberReader()

  mutating func read(_ line: UnsafeRawBufferPointer) -> DaemonReport {
    line.withMemoryRebound(to: UInt8.self) { bytes in
      var record = Members()
      var location = LocationMembers()
      var reader = JSONReader(bytes)
      do throws(JSONError) {
        try reader.forEachMember { key, value in
          record.all.append((key, value))
          _ = location.read(key, value, &values)
        }
      } catch {
        return .malformed
      }
      guard let type = record.text("type") else { return .malformed }
      switch type {
      case "location":
        return location.location.coordinate.isValid ? .event(.location(location.location)) : .malformed
      case "state":
        return record.text("reason") == FixLoss.Reason.receiver.rawValue ? .event(.noFix) : .other
      case "source": return record.status.map { .event(.status($0)) } ?? .malformed
      case "error":
        // The manager itself reports losses of the fix, and its own fences.
        guard let code = record.text("code").flatMap(LocationError.Code.init), code == .network || code == .denied
        else {
          return .other
        }
        return .event(.failed(LocationError(code, record.text("message") ?? "")))
      case "satellites": return record.satellites.map { .event(.satellites($0)) } ?? .malformed
      case "heading":
        let heading = Heading(
          magneticHeading: record.number("magneticHeading"), trueHeading: record.number("trueHeading"),
          headingAccuracy: record.number("headingAccuracy"),
          timestamp: record.bytes("time").flatMap { values.timestamps.read($0) })
        return .event(.heading(heading))
      case "clock":
        // A longer time has too few decimals for timers.
        guard let seconds = record.number("seconds"), (0...1e10).contains(seconds) else { return .malformed }
        return .clock(seconds)
      default: return .other
      }
    }
  }
}

/// The members of a JSON object, which are valid as long as its text.
private struct Members {
  var all: [(key: UnsafeBufferPointer<UInt8>, value: JSONReader.Value)] = []

  init() {}

  init(of object: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var reader = JSONReader(object)
    try reader.forEachMember { all.append(($0, $1)) }
  }

  private func value(_ name: StaticString) -> JSONReader.Value? { all.first { $0.key.equals(name) }?.value }

  func bytes(_ name: StaticString) -> UnsafeBufferPointer<UInt8>? {
    if case .string(let text) = value(name) { text } else { nil }
  }

  func text(_ name: StaticString) -> String? { bytes(name).flatMap(JSONReader.text) }

  func number(_ name: StaticString) -> Double? {
    if case .number(let text) = value(name) { Double(decimal: text) } else { nil }
  }

  /// The elements of an array; `nil` if there is no array.
  private func elements(_ name: StaticString) -> [JSONReader.Value]? {
    guard case .nested(let array) = value(name) else { return nil }
    var elements: [JSONReader.Value] = []
    var reader = JSONReader(array)
    do throws(JSONError) {
      try reader.forEachElement { elements.append($0) }
    } catch {
      return nil
    }
    return elements
  }

  /// The status of the daemon's source; `nil` if the record has none.
  var status: LocationSourceStatus? {
    switch text("status") {
    case "idle": .idle
    case "connecting": .connecting
    case "connected":
      .connected(
        devices: (elements("devices") ?? []).compactMap { device in
          if case .string(let text) = device { JSONReader.text(text) } else { nil }
        })
    case "waiting": .waiting(reason: text("reason") ?? "", retryIn: number("retryIn") ?? 0)
    case "finished": .finished
    default: nil
    }
  }

  /// The satellites of known constellations; `nil` if the record has no list.
  var satellites: [Satellite]? {
    elements("satellites")?.compactMap { element in
      guard case .nested(let object) = element, let members = try? Members(of: object),
        let system = members.text("system").flatMap(Satellite.System.init),
        let number = members.number("number").flatMap({ Int(exactly: $0) })
      else { return nil }
      let isUsed = if case .boolean(true) = members.value("used") { true } else { false }
      return Satellite(
        system: system, number: number, azimuth: members.number("azimuth"), elevation: members.number("elevation"),
        signal: members.number("signal"), isUsed: isUsed)
    }
  }
}
