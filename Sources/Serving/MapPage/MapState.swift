import FoundationEssentials
import HeadlessMap
import LocationKit
import Platform
import Records
import Tracks

/// The state of the page, and its JSON. Members have the names of the location stream.
struct MapState: Sendable {
  enum Fix: String, Sendable {
    /// The receiver reports no fix, or has never had one.
    case none
    case current
    /// No fix has come for too long.
    case stale
    case hidden
  }

  struct Source: Sendable, Equatable {
    var name: String
    var kind: MapPage.Configuration.Kind
    var status = "waiting"
    /// What it does, in English; the page says it in its own words.
    var message = ""
    /// Why there is no gpsd, in English.
    var reason: String?
  }

  struct Fence: Sendable, Equatable {
    var region: Region
    var state = RegionState.unknown
  }

  var page: PageMembers
  var source: Source
  var fix = Fix.none
  /// The time of the last fix, in seconds of the monotonic clock.
  var fixTime: Double?
  var replay: ReplayControl.State?
  /// Whether the replay was sent back, and its first location is still to come.
  var isSentBack = false
  /// The time at which that was paused, and the last fix does not age.
  var pauseTime: Double?
  var location: Location?
  /// The current trip; `nil` at a stop.
  var trip: Trip?
  /// The accuracy at the current stop; `nil` on a trip, and until its scatter is known.
  var stop: StopAccuracy?
  var satellites: [Satellite] = []
  var fences: [Fence] = []
  var region: CoordinateRegion?
  var trail = TrailLine()
  /// A whole recording in place of live data; its trail is `trail`.
  var recording: MapRecording?
  var showsTrail = false
}

extension MapState {
  /// The whole state, for `/state.json` and the first event.
  var json: [UInt8] {
    RecordBuffer.bytes(capacity: 4096 + 48 * trail.points.count) { buffer in
      buffer.appendObject { buffer in
        page.append(to: &buffer)
        appendStatus(to: &buffer)
        if let replay {
          buffer.appendKey("replay")
          replay.append(to: &buffer)
        }
        appendLocation(to: &buffer)
        buffer.appendKey("satellites")
        buffer.append(satellites)
        buffer.appendKey("fences")
        appendFences(to: &buffer)
        if let region {
          buffer.appendKey("region")
          NDJSONFormatter.appendObject(region, to: &buffer)
        }
        buffer.appendKey("trail")
        buffer.appendTrail(showsTrail ? trail.points : [])
        recording?.appendMembers(to: &buffer)
      }
    }
  }

  mutating func show(_ location: Location) {
    let now = monotonicSeconds()
    (self.location, fix, fixTime) = (location, .current, now)
    // On the way to its target a paused replay has new fixes.
    if pauseTime != nil { pauseTime = now }
  }

  mutating func show(_ replay: ReplayControl.State) {
    let now = monotonicSeconds()
    if let pauseTime, !replay.isPaused { fixTime? += now - pauseTime }
    pauseTime = replay.isPaused ? pauseTime ?? now : nil
    if let before = self.replay, before.returns != replay.returns { isSentBack = true }
    self.replay = replay
  }

  /// Removes the trail if this location is the first one of a replay that was sent back. Returns whether it is.
  mutating func beginsTrailAgain(at location: Location) -> Bool {
    // Locations from before the return may still be waiting.
    guard isSentBack, let time = location.timestamp, let last = trail.points.last?.time,
      time.timeIntervalSince1970 < last
    else { return false }
    isSentBack = false
    trail = TrailLine()
    return true
  }

  func appendStatus(to buffer: inout RecordBuffer) {
    buffer.appendObject("source") {
      $0.appendMember("name", source.name)
      $0.appendMember("kind", source.kind.rawValue)
      $0.appendMember("status", source.status)
      $0.appendMember("message", source.message)
      $0.appendMember("reason", source.reason)
    }
    buffer.appendMember("fix", fix.rawValue)
    buffer.appendMember("age", fixTime.map { max(0, (pauseTime ?? monotonicSeconds()) - $0) })
  }

  private func appendLocation(to buffer: inout RecordBuffer) {
    if let location {
      buffer.appendKey("location")
      NDJSONFormatter.appendObject(location, to: &buffer)
    }
    if let trip {
      buffer.appendObject("trip") {
        $0.appendMember("start", trip.start)
        $0.appendMember("distance", trip.distance)
        $0.appendMember("duration", trip.duration)
      }
    }
    if let stop {
      buffer.appendObject("stop") {
        $0.appendMember("claimed", stop.claimed)
        $0.appendMember("scatter", stop.scatter)
        $0.appendMember("duration", stop.duration)
      }
    }
  }

  func locationData(_ addition: TrailLine.Addition) -> [UInt8] {
    RecordBuffer.bytes { buffer in
      buffer.appendObject {
        appendLocation(to: &$0)
        $0.appendMember("fix", Fix.current.rawValue)
        $0.appendMember("age", 0.0)
        switch addition {
        case .leftOut: break
        case .added: $0.appendMember("trail", true)
        case .addedAfterBreak: $0.appendMember("trail", "break")
        }
      }
    }
  }

  static func appendSides(of fences: [Fence], to buffer: inout RecordBuffer) {
    buffer.appendArray(fences) { buffer, fence in
      buffer.appendArray([fence.region.identifier, fence.state.rawValue]) { $0.appendJSONString($1) }
    }
  }

  func appendFences(to buffer: inout RecordBuffer) {
    buffer.appendArray(fences) { buffer, fence in
      buffer.appendObject {
        $0.appendMembers(of: fence.region)
        $0.appendMember("state", fence.state.rawValue)
      }
    }
  }
}

extension RecordBuffer {
  /// Adds the name of a fence, its circle, and the rings of its polygons as `[latitude, longitude]`.
  mutating func appendMembers(of region: Region) {
    appendMember("id", region.identifier)
    appendMembers(of: region.center)
    appendMember("radius", region.radius)
    guard case .polygon(let polygon) = region else { return }
    appendArray("polygons", polygon.drawing) { buffer, rings in
      buffer.appendArray(rings) { buffer, ring in
        buffer.appendArray(ring) { buffer, corner in
          buffer.appendArray([corner.latitude, corner.longitude]) { $0.appendJSONNumber($1, places: .angle) }
        }
      }
    }
  }
}

struct PageMembers: Sendable {
  var version: String
  var tiles: MapTiles?
  /// The units of the figures; `nil` for those of the browser's country.
  var units: MeasurementUnits?
  var hasHistory: Bool
  /// The advice about missing files of Leaflet; `nil` if none is missing.
  var help: String?

  func append(to buffer: inout RecordBuffer) {
    buffer.appendMember("version", version)
    buffer.appendMember("now", Date())
    if let tiles {
      buffer.appendKey("tiles")
      tiles.append(to: &buffer)
    }
    buffer.appendMember("units", units?.rawValue)
    if hasHistory { buffer.appendMember("history", true) }
    buffer.appendMember("leaflet", help == nil)
    buffer.appendMember("help", help)
  }
}
