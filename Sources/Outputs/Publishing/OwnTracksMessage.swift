import FoundationEssentials
public import LocationKit
import Records

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
    return object("location") { message in
      message.appendMember("lat", latitude, places: .angle)
      message.appendMember("lon", longitude, places: .angle)
      message.appendMember("tst", time)
      message.appendMember("acc", whole(location.horizontalAccuracy, .up).map { max(1, $0) })
      message.appendMember("alt", whole(location.altitude))
      message.appendMember("vac", whole(location.verticalAccuracy, .up))
      message.appendMember("vel", whole(location.speed.map { $0 * 3.6 }))
      message.appendMember("cog", whole(location.course).map { $0 == 360 ? 0 : $0 })
      message.appendMember("tid", trackerID)
      if isHeartbeat { message.appendMember("t", "p") }
      if !regions.isEmpty {
        message.appendKey("inregions")
        message.appendArray(regions) { $0.appendJSONString($1) }
      }
      if now != time { message.appendMember("created_at", now) }
    }
  }

  /// The crossing of a fence; `nil` without a time.
  ///
  /// - Parameter waypointTime: `tst` of the fence's waypoint; the crossing's own time when the fence is not known any
  ///   more.
  public static func transition(_ crossing: RegionCrossing, trackerID: String? = nil, waypointTime: Int?) -> [UInt8]? {
    guard let time = seconds(crossing.location.timestamp),
      let latitude = writable(crossing.location.coordinate.latitude),
      let longitude = writable(crossing.location.coordinate.longitude)
    else { return nil }
    return object("transition") { message in
      message.appendMember("event", crossing.state == .inside ? "enter" : "leave")
      message.appendMember("desc", crossing.region.identifier)
      message.appendMember("wtst", waypointTime ?? time)
      message.appendMember("lat", latitude, places: .angle)
      message.appendMember("lon", longitude, places: .angle)
      message.appendMember("acc", whole(crossing.location.horizontalAccuracy, .up).map { max(1, $0) } ?? 0)
      message.appendMember("tst", time)
      message.appendMember("tid", trackerID)
    }
  }

  /// A fence; `time` is when it was set up, in seconds since 1970, and its identity for OwnTracks.
  public static func waypoint(_ region: CircularRegion, time: Int) -> [UInt8] {
    object("waypoint") { message in
      message.appendMember("desc", region.identifier)
      if let latitude = writable(region.center.latitude), let longitude = writable(region.center.longitude) {
        message.appendMember("lat", latitude, places: .angle)
        message.appendMember("lon", longitude, places: .angle)
      }
      message.appendMember("rad", whole(region.radius, .up).map { max(1, $0) })
      message.appendMember("tst", time)
    }
  }

  /// What the broker says when this client has gone without a word; `time` is when it connected.
  public static func will(time: Int) -> [UInt8] {
    object("lwt") { message in
      message.appendMember("tst", time)
    }
  }

  /// A message that says nothing about where somebody is, to try a topic with.
  static func status() -> [UInt8] {
    object("status") { _ in }
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

  private static func object(_ type: String, _ members: (inout RecordBuffer) -> Void) -> [UInt8] {
    RecordBuffer.bytes(capacity: 256) { buffer in
      buffer.appendObject {
        $0.appendMember("_type", type)
        members(&$0)
      }
    }
  }

  private static func writable(_ degrees: Double) -> Double? {
    degrees.magnitude <= 360 ? degrees : nil
  }
}
