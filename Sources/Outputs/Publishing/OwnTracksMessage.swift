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
  ///   - isAnswer: Whether somebody has asked for it.
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

  /// The last location once more, to say that the receiver is still there; `nil` for one that is not published.
  ///
  /// Its time is that of sending, so that nobody takes it for a message that came twice, and `age` says how many seconds
  /// old the fix is. How fast the receiver moved then, and where to, says nothing of now.
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

  /// How maps show the device.
  public static func card(_ card: Card, trackerID: String? = nil) -> [UInt8] {
    object("card") { message in
      message.appendMember("name", card.name)
      message.appendMember("tid", trackerID)
      message.appendMember("face", card.picture.map(PayloadKey.base64))
    }
  }

  /// What the broker says when this client has gone without a word; `time` is when it connected.
  public static func will(time: Int) -> [UInt8] {
    object("lwt") { message in
      message.appendMember("tst", time)
    }
  }

  /// A message that says nothing about where somebody is: that the publisher is there, or to try a topic with.
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

  /// Whether there is a message for a location.
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

  /// Where a location is, as its message has it.
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

  /// The time with its fraction, where it has one: `tst` is in whole seconds, and ten fixes may be of one.
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
