import FoundationEssentials
import Records
public import Journal
public import LocationKit

/// OwnTracks' JSON for what a journal holds: pure functions, each to the bytes of one message.
///
/// What is not known is left out. Two rules are consumers': `acc` of a location is at least 1, because Home Assistant
/// drops a location whose accuracy is 0; and `acc` of a transition, which the schema wants, is 0 when it is not known.
public enum OwnTracksMessage {
  /// A location; `nil` without a time, because `tst` is the fix's own and nothing is put in its place.
  ///
  /// - Parameters:
  ///   - trackerID: Two characters that a map shows.
  ///   - regions: The fences that the receiver is in.
  ///   - isHeartbeat: Whether it is sent only to say that the receiver is still there.
  ///   - now: Seconds since 1970 on the host's clock.
  public static func location(
    _ location: Location, trackerID: String? = nil, regions: [String] = [], isHeartbeat: Bool = false, now: Int
  ) -> [UInt8]? {
    guard let time = seconds(location.timestamp), let latitude = writable(location.coordinate.latitude),
      let longitude = writable(location.coordinate.longitude)
    else { return nil }
    var message = Object(type: "location")
    message.append(#","lat":"#, degrees: latitude)
    message.append(#","lon":"#, degrees: longitude)
    message.append(#","tst":"#, time)
    message.append(#","acc":"#, whole(location.horizontalAccuracy, .up).map { max(1, $0) })
    message.append(#","alt":"#, whole(location.altitude))
    message.append(#","vac":"#, whole(location.verticalAccuracy, .up))
    message.append(#","vel":"#, whole(location.speed.map { $0 * 3.6 }))
    message.append(#","cog":"#, whole(location.course).map { $0 == 360 ? 0 : $0 })
    message.append(#","tid":"#, trackerID)
    if isHeartbeat { message.append(#","t":"#, "p") }
    if !regions.isEmpty { message.append(#","inregions":"#, regions) }
    if now != time { message.append(#","created_at":"#, now) }
    return message.bytes
  }

  /// The crossing of a fence; `nil` without a time.
  ///
  /// - Parameter waypointTime: `tst` of the fence's waypoint; the crossing's own time when the fence is not known any
  ///   more.
  public static func transition(_ crossing: FenceCrossing, trackerID: String? = nil, waypointTime: Int?) -> [UInt8]? {
    guard let time = seconds(crossing.time), let latitude = writable(crossing.coordinate.latitude),
      let longitude = writable(crossing.coordinate.longitude)
    else { return nil }
    var message = Object(type: "transition")
    message.append(#","event":"#, crossing.event == .enter ? "enter" : "leave")
    message.append(#","desc":"#, crossing.region.identifier)
    message.append(#","wtst":"#, waypointTime ?? time)
    message.append(#","lat":"#, degrees: latitude)
    message.append(#","lon":"#, degrees: longitude)
    message.append(#","acc":"#, whole(crossing.horizontalAccuracy, .up).map { max(1, $0) } ?? 0)
    message.append(#","tst":"#, time)
    message.append(#","tid":"#, trackerID)
    return message.bytes
  }

  /// A fence; `time` is when it was set up, in seconds since 1970, and its identity for OwnTracks.
  public static func waypoint(_ region: CircularRegion, time: Int) -> [UInt8] {
    var message = Object(type: "waypoint")
    message.append(#","desc":"#, region.identifier)
    if let latitude = writable(region.center.latitude), let longitude = writable(region.center.longitude) {
      message.append(#","lat":"#, degrees: latitude)
      message.append(#","lon":"#, degrees: longitude)
    }
    message.append(#","rad":"#, whole(region.radius, .up).map { max(1, $0) })
    message.append(#","tst":"#, time)
    return message.bytes
  }

  /// What the broker says when this client has gone without a word; `time` is when it connected.
  public static func will(time: Int) -> [UInt8] {
    var message = Object(type: "lwt")
    message.append(#","tst":"#, time)
    return message.bytes
  }

  /// A message that says nothing about where somebody is, to try a topic with.
  static func status() -> [UInt8] {
    var message = Object(type: "status")
    return message.bytes
  }

  /// Whether there is a message for a location.
  static func isPublishable(_ location: Location) -> Bool {
    seconds(location.timestamp) != nil && writable(location.coordinate.latitude) != nil
      && writable(location.coordinate.longitude) != nil
  }

  /// Whole seconds since 1970, rounded down.
  static func seconds(_ time: Date?) -> Int? {
    time.flatMap { whole($0.timeIntervalSince1970, .down) }
  }

  private static func whole(_ value: Double?, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> Int? {
    guard let value, value.magnitude < 1e15 else { return nil }
    return Int(value.rounded(rule))
  }

  private static func writable(_ degrees: Double) -> Double? {
    degrees.magnitude <= 360 ? degrees : nil
  }
}

/// A JSON object under construction. Each key comes with its comma and colon.
private struct Object: ~Copyable {
  private var buffer = RecordBuffer(capacity: 256)

  init(type: String) {
    buffer.append(#"{"_type":"#)
    buffer.appendJSONString(type)
  }

  mutating func append(_ key: StaticString, degrees: Double) {
    buffer.append(key)
    buffer.append(degrees, places: .angle)
  }

  mutating func append(_ key: StaticString, _ value: Int?) {
    guard let value else { return }
    buffer.append(key)
    buffer.append(value)
  }

  mutating func append(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    buffer.append(key)
    buffer.appendJSONString(value)
  }

  mutating func append(_ key: StaticString, _ values: [String]) {
    buffer.append(key)
    for (index, value) in values.enumerated() {
      buffer.append(index == 0 ? "[" : ",")
      buffer.appendJSONString(value)
    }
    buffer.append(values.isEmpty ? "[]" : "]")
  }

  var bytes: [UInt8] {
    mutating get {
      buffer.append("}")
      return buffer.withUnsafeBytes { Array($0) }
    }
  }
}
