import FoundationEssentials
import Serving
import Platform
import Records

package struct MapPeriod: Sendable, Hashable {
  package var since: Date
  /// Not part of the period.
  package var until: Date
  /// The clock for the times in the figures.
  package var clock: MapClock

  package init(since: Date, until: Date, clock: MapClock = MapClock()) {
    (self.since, self.until, self.clock) = (since, until, clock)
  }
}

/// Why the past cannot be shown, in one sentence for a person.
package struct MapHistoryError: Error, Hashable {
  package var message: String
  /// The status of the answer; 400 if the request is wrong.
  var status: Int

  package init(_ message: String, status: Int = 503) { (self.message, self.status) = (message, status) }

  static func noTime(_ name: String) -> Self {
    Self("\(name): expected a time in UTC such as 2024-02-24T07:36:03Z", status: 400)
  }

  static func response(_ answer: () throws(MapHistoryError) -> HTTPResponse) -> HTTPResponse {
    do throws(MapHistoryError) {
      return try answer()
    } catch {
      return HTTPResponse(status: error.status, text: error.message + "\n")
    }
  }
}

extension HTTPRequest {
  func time(_ name: String) throws(MapHistoryError) -> Date? {
    guard let text = value(of: name) else { return nil }
    guard let time = Date(timestamp: text) else { throw .noTime(name) }
    return time
  }
}

/// Reads the past of a receiver, on a thread that may wait. A reading ends early if `goesOn` returns false. `goesOn` may
/// wait as well, so it is called without a lock or a transaction.
package protocol MapHistory: Sendable {
  func recording(of period: MapPeriod, while goesOn: () -> Bool) throws(MapHistoryError) -> MapRecording

  func document(of period: MapPeriod, while goesOn: () -> Bool) throws(MapHistoryError) -> [UInt8]

  /// The quarters of an hour since 1970 that have a location, in order.
  func quarters(while goesOn: () -> Bool) throws(MapHistoryError) -> [Int64]
}

extension MapHistory {
  /// The routes of a page that shows the past. Longer periods are read after shorter ones.
  var routes: [String: HTTPRoute] {
    let duration: @Sendable (HTTPRequest) -> Double = { request in
      (try? MapPeriod(request)).map { $0.until.timeIntervalSince($0.since) } ?? 0
    }
    return [
      "/history.json": .computed(weight: duration) { request in
        MapHistoryError.response { () throws(MapHistoryError) in
          HTTPResponse(json: try recording(of: MapPeriod(request), while: request.goesOn).json)
        }
      },
      "/history.gpx": .computed(weight: duration) { request in
        MapHistoryError.response { () throws(MapHistoryError) in
          let document = try document(of: MapPeriod(request), while: request.goesOn)
          return HTTPResponse(contentType: "application/gpx+xml", body: document)
        }
      },
      "/quarters.json": .computed(weight: { _ in 0 }) { request in
        MapHistoryError.response { () throws(MapHistoryError) in
          let quarters = try quarters(while: request.goesOn)
          return HTTPResponse(json: RecordBuffer.bytes { $0.appendArray(quarters) { $0.append(Int($1)) } })
        }
      },
    ]
  }
}

extension MapPeriod {
  /// The period of `/history.json?since=TIME&until=TIME&offset=SECONDS`.
  init(_ request: HTTPRequest) throws(MapHistoryError) {
    func refuse(_ message: String) -> MapHistoryError { MapHistoryError(message, status: 400) }
    guard let since = try request.time("since") else { throw .noTime("since") }
    guard let until = try request.time("until") else { throw .noTime("until") }
    guard since < until else { throw refuse("until: expected a time after since") }
    guard let clock = MapClock(parsing: request.value(of: "offset") ?? "0") else {
      throw refuse(
        "offset: expected seconds east of UTC such as 7200, and for each change its time and the seconds from then on, "
          + "such as 7200,2026-10-25T01:00:00Z,3600")
    }
    self.init(since: since, until: until, clock: clock)
  }
}

/// The clock for the times that a page shows: its offset from UTC, which may change within a period.
package struct MapClock: Sendable, Hashable {
  package struct Change: Sendable, Hashable {
    /// The time of the change. The first offset also holds before its time.
    package var time: Date
    /// Seconds east of UTC.
    package var offset: Int
    /// The name of the time, such as "CEST" or "UTC+02:00".
    package var name: String

    /// Creates a change. Without a name, its name is made from the offset.
    package init(time: Date, offset: Int, name: String? = nil) {
      (self.time, self.offset, self.name) = (time, offset, name ?? Self.name(of: offset))
    }

    private static func name(of offset: Int) -> String {
      let minutes = abs(offset) / 60
      return offset == 0 ? "UTC" : "UTC\(offset < 0 ? "-" : "+")\(twoDigits(minutes / 60)):\(twoDigits(minutes % 60))"
    }
  }

  /// The offsets in order of time.
  package let changes: [Change]

  package init?(_ changes: [Change]) {
    guard !changes.isEmpty else { return nil }
    self.changes = changes
  }

  package init(offset: Int = 0) { changes = [Change(time: .distantPast, offset: offset)] }

  package func change(at time: Date) -> Change { changes.last { $0.time <= time } ?? changes[0] }
}

extension MapClock {
  /// Reads an offset, followed by the time and the offset of each change: "7200,2026-10-25T01:00:00Z,3600".
  init?(parsing text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard parts.count % 2 == 1 else { return nil }
    var changes: [Change] = []
    for index in stride(from: 0, to: parts.count, by: 2) {
      guard let offset = Int(parts[index]), abs(offset) <= 86_400,
        let time = index == 0 ? .distantPast : Date(timestamp: parts[index - 1]),
        changes.last.map({ $0.time < time }) ?? true
      else { return nil }
      changes.append(Change(time: time, offset: offset))
    }
    self.changes = changes
  }

  /// Writes the changes as an array of `since`, in seconds since 1970 like the trail's points, `offset` and `name`.
  func append(to buffer: inout RecordBuffer) {
    buffer.appendArray(changes) { buffer, change in
      buffer.appendObject {
        $0.appendMember("since", change.time.timeIntervalSince1970)
        $0.appendMember("offset", change.offset)
        $0.appendMember("name", change.name)
      }
    }
  }
}
