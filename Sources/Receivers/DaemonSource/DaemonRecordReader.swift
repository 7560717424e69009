import FoundationEssentials
import LocationKit
import Platform
import Records

/// Reads the lines of a location socket.
struct DaemonRecordReader {
  private var values = MemberReader()

  mutating func read(_ line: UnsafeRawBufferPointer) -> DaemonReport {
    line.withMemoryRebound(to: UInt8.self) { bytes in
      var (reader, location, isLocation) = (JSONReader(bytes), LocationMembers(), false)
      do throws(JSONError) {
        try reader.forEachMember { key, value in
          if key.equals("type"), case .string(let type) = value { isLocation = type.equals("location") }
          _ = location.read(key, value, &values)
        }
      } catch {
        return .malformed
      }
      guard isLocation else { return report(JSONValue(.nested(bytes))) }
      return location.location.coordinate.isValid ? .event(.location(location.location)) : .malformed
    }
  }

  /// The report of a record that is not a location's.
  private func report(_ record: JSONValue) -> DaemonReport {
    switch record["type"].string {
    case "state": return record["reason"].string == FixLoss.Reason.receiver.rawValue ? .event(.noFix) : .other
    case "source": return LocationSourceStatus(record).map { .event(.status($0)) } ?? .malformed
    case "error":
      // The manager itself reports losses of the fix, and its own fences.
      guard let code = record["code"].string.flatMap(LocationError.Code.init), code == .network || code == .denied
      else { return .other }
      return .event(.failed(LocationError(code, record["message"].string ?? "")))
    case "satellites":
      return record["satellites"].array.map { .event(.satellites($0.compactMap(Satellite.init))) } ?? .malformed
    case "heading":
      let heading = Heading(
        magneticHeading: record["magneticHeading"].number, trueHeading: record["trueHeading"].number,
        headingAccuracy: record["headingAccuracy"].number,
        timestamp: record["time"].string.flatMap { Date(timestamp: $0) })
      return .event(.heading(heading))
    case "clock":
      // A longer time has too few decimals for timers.
      guard let seconds = record["seconds"].number, (0...1e10).contains(seconds) else { return .malformed }
      return .clock(seconds)
    case nil: return .malformed
    default: return .other
    }
  }
}

extension LocationSourceStatus {
  fileprivate init?(_ record: JSONValue) {
    switch record["status"].string {
    case "idle": self = .idle
    case "connecting": self = .connecting
    case "connected": self = .connected(devices: (record["devices"].array ?? []).compactMap(\.string))
    case "waiting": self = .waiting(reason: record["reason"].string ?? "", retryIn: record["retryIn"].number ?? 0)
    case "finished": self = .finished
    default: return nil
    }
  }
}

extension Satellite {
  /// A satellite of a known constellation.
  fileprivate init?(_ record: JSONValue) {
    guard let system = record["system"].string.flatMap(Satellite.System.init),
      let number = record["number"].number.flatMap({ Int(exactly: $0) })
    else { return nil }
    self.init(
      system: system, number: number, azimuth: record["azimuth"].number, elevation: record["elevation"].number,
      signal: record["signal"].number, isUsed: record["used"].isTrue)
  }
}
