import FoundationEssentials
import LocationKit
import Platform
import Records

/// OwnTracks' JSON for the records of a journal. Pure functions that return the bytes of one message.
///
/// Unknown values are left out. Two rules exist for readers: `acc` of a location is at least 1, because Home Assistant
/// drops a location whose accuracy is 0; and `acc` of a transition, which the schema requires, is 0 when it is unknown.
package enum OwnTracksMessage {
  /// A location; `nil` if it cannot be published. `now` is in seconds since 1970 on the host's clock.
  static func location(
    _ location: Location, trackerID: String? = nil, regions: [String] = [], isAnswer: Bool = false, now: Int
  ) -> [UInt8]? {
    guard isPublishable(location), let time = seconds(location.timestamp) else { return nil }
    return object("location") { message in
      message.append(location, time: time)
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
  static func heartbeat(_ location: Location, trackerID: String? = nil, regions: [String] = [], now: Int) -> [UInt8]? {
    guard isPublishable(location), let time = seconds(location.timestamp) else { return nil }
    return object("location") { message in
      message.append(location, time: now)
      message.append(regions: regions, trackerID: trackerID)
      message.appendMember("t", "p")
      if now > time { message.appendMember("age", now - time) }
    }
  }

  /// The crossing of a fence; `nil` if it cannot be published. `waypointTime` is `tst` of the fence's waypoint.
  static func transition(_ crossing: RegionCrossing, trackerID: String? = nil, waypointTime: Int) -> [UInt8]? {
    let location = crossing.location
    guard isPublishable(location), let time = seconds(location.timestamp) else { return nil }
    return object("transition") { message in
      message.appendMember("event", crossing.state == .inside ? "enter" : "leave")
      message.appendMember("desc", crossing.region.identifier)
      message.appendMember("rid", crossing.region.identifier)
      message.appendMember("wtst", waypointTime)
      message.append(location.coordinate)
      message.appendMember("acc", accuracy(location.horizontalAccuracy) ?? 0)
      message.appendMember("tst", time)
      message.appendMember("tid", trackerID)
      message.append(fractionOf: location.timestamp)
    }
  }

  static func waypoint(_ waypoint: Waypoint) -> [UInt8] { object("waypoint") { $0.append(waypoint) } }

  /// All fences in one message, which replaces those that a reader has from an earlier one.
  static func waypoints(_ waypoints: [Waypoint]) -> [UInt8] {
    object("waypoints") { message in
      message.appendMember("_creator", "rxlocationd")
      message.appendArray("waypoints", waypoints) { array, waypoint in
        array.appendObject {
          $0.appendMember("_type", "waypoint")
          $0.append(waypoint)
        }
      }
    }
  }

  static func card(_ card: DeviceCard, trackerID: String? = nil) -> [UInt8] {
    object("card") { message in
      message.appendMember("name", card.name)
      message.appendMember("tid", trackerID)
      message.appendMember("face", card.picture.map { Data($0).base64EncodedString() })
    }
  }

  /// The broker's will message when this client disappears; `time` is when it connected.
  static func will(time: Int) -> [UInt8] { object("lwt") { $0.appendMember("tst", time) } }

  /// A message without a location: it shows that the publisher is there, or tests a topic.
  package static func status(trackerID: String? = nil, time: Int? = nil, hasFix: Bool? = nil) -> [UInt8] {
    object("status") { message in
      message.appendMember("tst", time)
      message.appendMember("tid", trackerID)
      message.appendMember("fix", hasFix)
    }
  }

  /// Whether a location has a time, which has no substitute, and a position.
  static func isPublishable(_ location: Location) -> Bool {
    seconds(location.timestamp) != nil && isWritable(location.coordinate)
  }

  fileprivate static func isWritable(_ coordinate: LocationCoordinate2D) -> Bool {
    coordinate.latitude.magnitude <= 360 && coordinate.longitude.magnitude <= 360
  }

  /// Whole seconds since 1970, rounded down.
  static func seconds(_ time: Date?) -> Int? { time.flatMap { whole($0.timeIntervalSince1970, .down) } }

  /// Whole metres, at least 1.
  fileprivate static func accuracy(_ metres: Double?) -> Int? { whole(metres, .up).map { max(1, $0) } }

  fileprivate static func whole(
    _ value: Double?, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
  ) -> Int? {
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
}

extension RecordBuffer {
  fileprivate mutating func append(_ location: Location, time: Int) {
    append(location.coordinate)
    appendMember("tst", time)
    appendMember("acc", OwnTracksMessage.accuracy(location.horizontalAccuracy))
    appendMember("alt", OwnTracksMessage.whole(location.altitude))
    appendMember("vac", OwnTracksMessage.whole(location.verticalAccuracy, .up))
  }

  fileprivate mutating func append(_ coordinate: LocationCoordinate2D) {
    appendMember("lat", coordinate.latitude, places: .angle)
    appendMember("lon", coordinate.longitude, places: .angle)
  }

  /// Adds the time with its fraction, if it has one: `tst` is in whole seconds, which ten fixes may share.
  fileprivate mutating func append(fractionOf time: Date?) {
    guard let time, time.timeIntervalSince1970 != time.timeIntervalSince1970.rounded(.down) else { return }
    appendMember("time", time)
  }

  fileprivate mutating func append(regions: [String], trackerID: String?) {
    appendMember("tid", trackerID)
    guard !regions.isEmpty else { return }
    appendArray("inregions", regions) { $0.appendJSONString($1) }
    appendArray("inrids", regions) { $0.appendJSONString($1) }
  }

  fileprivate mutating func append(_ waypoint: Waypoint) {
    let region = waypoint.region
    appendMember("desc", region.identifier)
    appendMember("rid", region.identifier)
    if OwnTracksMessage.isWritable(region.center) { append(region.center) }
    appendMember("rad", OwnTracksMessage.accuracy(region.radius))
    appendMember("tst", waypoint.time)
  }
}

/// A fence and its identifying time for OwnTracks. The time stays the same as long as a fence with that name exists,
/// and no other fence has it.
struct Waypoint: Hashable {
  var region: CircularRegion
  /// Seconds since 1970.
  var time: Int

  /// A time for a fence without a stored one. It is derived from the name, so that it is the same after a restart, and
  /// lies in the years 2001 to 2020.
  static func time(of name: String) -> Int { 1_000_000_000 + Int(stableHash(Array(name.utf8)) % 600_000_000) }
}

/// The name and picture of the device on maps: OwnTracks' card.
public struct DeviceCard: Sendable, Hashable {
  /// The name of the person or thing.
  public var name: String?
  /// A PNG picture that replaces the tracker's two characters.
  public var picture: [UInt8]?

  /// The size limit of a picture in bytes: each map that is opened loads it.
  public static let pictureLimit = 256 << 10

  /// Creates a card.
  public init(name: String? = nil, picture: [UInt8]? = nil) { (self.name, self.picture) = (name, picture) }

  /// Reads a picture from a regular file, on its own thread because a file system may hang.
  ///
  /// - Parameter seconds: The time limit.
  public static func picture(_ path: String, within seconds: Double) throws(BrokerFailure) -> [UInt8] {
    var work = BlockingWork<Result<[UInt8], BrokerFailure>>()
    return try work.read("the picture \(path)", within: seconds) { () throws(BrokerFailure) in
      let bytes = try SessionFiles.read(path, "the picture ") { try $0.readToEnd(limit: pictureLimit) }
      guard bytes.starts(with: signature), bytes.count <= pictureLimit else {
        throw .file("\(path) is not a PNG picture of at most \(pictureLimit >> 10) KiB")
      }
      return bytes
    }
  }

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
}
