import FoundationEssentials
public import LocationKit
import Platform
import Records

/// OwnTracks' JSON for the records of a journal. Pure functions that return the bytes of one message.
///
/// Unknown values are left out. Two rules exist for readers: `acc` of a location is at least 1, because Home Assistant
/// drops a location whose accuracy is 0; and `acc` of a transition, which the schema requires, is 0 when it is unknown.
public enum OwnTracksMessage {
  /// A location; `nil` without a time, because `tst` is the fix's own time and has no substitute.
  ///
  /// - Parameters:
  ///   - trackerID: Two characters that a map shows.
  ///   - regions: The fences that the receiver is inside.
  ///   - isAnswer: Whether a command has requested it.
  ///   - now: Seconds since 1970 on the host's clock.
  public static func location(
    _ location: Location, trackerID: String? = nil, regions: [String] = [], isAnswer: Bool = false, now: Int
  ) -> [UInt8]? {
    guard let time = seconds(location.timestamp), let place = Place(location) else { return nil }
    return object("location") { message in
      message.append(place, time: time)
      message.appendMember("vel", whole(location.speed.map { $0 * 3.6 }))
      message.appendMember("cog", whole(location.course).map { $0 == 360 ? 0 : $0 })
      message.append(regions: regions, trackerID: trackerID)
      if isAnswer { message.appendMember("t", "r") }
      message.append(fractionOf: location.timestamp)
      if now != time { message.appendMember("created_at", now) }
    }
  }

  /// The last location again, to show that the receiver is still there; `nil` if it cannot be published.
  ///
  /// Its time is the sending time, so that readers do not take it for a repeated message, and `age` is the age of the
  /// fix in seconds. Speed and course are left out, because they are no longer current.
  public static func heartbeat(
    _ location: Location, trackerID: String? = nil, regions: [String] = [], now: Int
  ) -> [UInt8]? {
    guard let time = seconds(location.timestamp), let place = Place(location) else { return nil }
    return object("location") { message in
      message.append(place, time: now)
      message.append(regions: regions, trackerID: trackerID)
      message.appendMember("t", "p")
      if now > time { message.appendMember("age", now - time) }
    }
  }

  /// The crossing of a fence; `nil` without a time.
  ///
  /// - Parameter waypointTime: `tst` of the fence's waypoint.
  public static func transition(_ crossing: RegionCrossing, trackerID: String? = nil, waypointTime: Int) -> [UInt8]? {
    guard let time = seconds(crossing.location.timestamp),
      let latitude = writable(crossing.location.coordinate.latitude),
      let longitude = writable(crossing.location.coordinate.longitude)
    else { return nil }
    return object("transition") { message in
      message.appendMember("event", crossing.state == .inside ? "enter" : "leave")
      message.appendMember("desc", crossing.region.identifier)
      message.appendMember("rid", crossing.region.identifier)
      message.appendMember("wtst", waypointTime)
      message.appendMember("lat", latitude, places: .angle)
      message.appendMember("lon", longitude, places: .angle)
      message.appendMember("acc", whole(crossing.location.horizontalAccuracy, .up).map { max(1, $0) } ?? 0)
      message.appendMember("tst", time)
      message.appendMember("tid", trackerID)
      message.append(fractionOf: crossing.location.timestamp)
    }
  }

  /// A fence.
  public static func waypoint(_ waypoint: Waypoint) -> [UInt8] {
    object("waypoint") { $0.append(waypoint) }
  }

  /// All fences in one message, which replaces those that a reader has from an earlier one.
  public static func waypoints(_ waypoints: [Waypoint]) -> [UInt8] {
    object("waypoints") { message in
      message.appendMember("_creator", "rxlocationd")
      message.appendKey("waypoints")
      message.appendArray(waypoints) { array, waypoint in
        array.appendObject {
          $0.appendMember("_type", "waypoint")
          $0.append(waypoint)
        }
      }
    }
  }

  /// The device's name and picture.
  public static func card(_ card: DeviceCard, trackerID: String? = nil) -> [UInt8] {
    object("card") { message in
      message.appendMember("name", card.name)
      message.appendMember("tid", trackerID)
      message.appendMember("face", card.picture.map(PayloadKey.base64))
    }
  }

  /// The broker's will message when this client disappears; `time` is when it connected.
  public static func will(time: Int) -> [UInt8] {
    object("lwt") { message in
      message.appendMember("tst", time)
    }
  }

  /// A message without a location: it shows that the publisher is there, or tests a topic.
  ///
  /// - Parameters:
  ///   - time: Seconds since 1970 on the host's clock.
  ///   - hasFix: Whether there is a fix.
  public static func status(trackerID: String? = nil, time: Int? = nil, hasFix: Bool? = nil) -> [UInt8] {
    object("status") { message in
      message.appendMember("tst", time)
      message.appendMember("tid", trackerID)
      message.appendMember("fix", hasFix)
    }
  }

  /// Whether a location can be published.
  static func isPublishable(_ location: Location) -> Bool {
    seconds(location.timestamp) != nil && Place(location) != nil
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

  fileprivate static func writable(_ degrees: Double) -> Double? {
    degrees.magnitude <= 360 ? degrees : nil
  }

  /// The place of a location in its message.
  fileprivate struct Place {
    var latitude, longitude: Double
    var accuracy, altitude, verticalAccuracy: Int?

    init?(_ location: Location) {
      guard let latitude = writable(location.coordinate.latitude),
        let longitude = writable(location.coordinate.longitude)
      else { return nil }
      (self.latitude, self.longitude) = (latitude, longitude)
      accuracy = whole(location.horizontalAccuracy, .up).map { max(1, $0) }
      altitude = whole(location.altitude)
      verticalAccuracy = whole(location.verticalAccuracy, .up)
    }
  }

  fileprivate static func radius(_ region: CircularRegion) -> Int? { whole(region.radius, .up).map { max(1, $0) } }
}

extension RecordBuffer {
  fileprivate mutating func append(_ place: OwnTracksMessage.Place, time: Int) {
    appendMember("lat", place.latitude, places: .angle)
    appendMember("lon", place.longitude, places: .angle)
    appendMember("tst", time)
    appendMember("acc", place.accuracy)
    appendMember("alt", place.altitude)
    appendMember("vac", place.verticalAccuracy)
  }

  /// Adds the time with its fraction, if it has one: `tst` is in whole seconds, which ten fixes may share.
  fileprivate mutating func append(fractionOf time: Date?) {
    guard let time, time.timeIntervalSince1970 != time.timeIntervalSince1970.rounded(.down) else { return }
    appendMember("time", time)
  }

  fileprivate mutating func append(regions: [String], trackerID: String?) {
    appendMember("tid", trackerID)
    guard !regions.isEmpty else { return }
    appendKey("inregions")
    appendArray(regions) { $0.appendJSONString($1) }
    appendKey("inrids")
    appendArray(regions) { $0.appendJSONString($1) }
  }

  fileprivate mutating func append(_ waypoint: Waypoint) {
    let region = waypoint.region
    appendMember("desc", region.identifier)
    appendMember("rid", region.identifier)
    if let latitude = OwnTracksMessage.writable(region.center.latitude),
      let longitude = OwnTracksMessage.writable(region.center.longitude)
    {
      appendMember("lat", latitude, places: .angle)
      appendMember("lon", longitude, places: .angle)
    }
    appendMember("rad", OwnTracksMessage.radius(region))
    appendMember("tst", waypoint.time)
  }
}

/// A fence and its identifying time for OwnTracks. The time stays the same as long as a fence with that name exists,
/// and no other fence has it.
public struct Waypoint: Sendable, Hashable {
  /// The fence.
  public var region: CircularRegion
  /// Seconds since 1970.
  public var time: Int

  /// Creates a waypoint.
  public init(region: CircularRegion, time: Int) {
    (self.region, self.time) = (region, time)
  }

  /// A time for a fence without a stored one. It is derived from the name, so that it is the same after a restart, and
  /// lies in the years 2001 to 2020.
  static func time(of name: String) -> Int {
    1_000_000_000 + Int(stableHash(name.utf8) % 600_000_000)
  }
}
