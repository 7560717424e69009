public import FoundationEssentials
import HTTP
public import LocationKit
import Records

/// A period of the past that a page shows.
public struct MapPeriod: Sendable, Hashable {
  /// The beginning of the period.
  public var since: Date
  /// The end of the period, which is not part of it.
  public var until: Date
  /// The clock for the times in the figures.
  public var clock: MapClock
  /// The units of the figures.
  public var units: MeasurementUnits

  /// Creates a period.
  public init(since: Date, until: Date, clock: MapClock = MapClock(), units: MeasurementUnits = .metric) {
    (self.since, self.until, self.clock, self.units) = (since, until, clock, units)
  }
}

/// Why a period cannot be shown, in one sentence for a person.
public struct MapHistoryError: Error, Hashable {
  /// The sentence.
  public var message: String

  /// Creates an error.
  public init(_ message: String) { self.message = message }
}

extension MapPeriod {
  /// The period of `/history.json?since=TIME&until=TIME&offset=SECONDS&units=imperial`.
  init(_ request: HTTPRequest) throws(MapHistoryError) {
    func time(_ name: String) throws(MapHistoryError) -> Date {
      guard let time = request.value(of: name).flatMap({ Date(timestamp: $0) }) else {
        throw MapHistoryError("\(name): expected a time in UTC such as 2024-02-24T07:36:03Z")
      }
      return time
    }
    let (since, until) = (try time("since"), try time("until"))
    guard since < until else { throw MapHistoryError("until: expected a time after since") }
    guard let clock = MapClock(parsing: request.value(of: "offset") ?? "0") else {
      throw MapHistoryError(
        "offset: expected seconds east of UTC such as 7200, and for each change its time and the seconds from then on, "
          + "such as 7200,2026-10-25T01:00:00Z,3600")
    }
    guard let units = MeasurementUnits(rawValue: request.value(of: "units") ?? "metric") else {
      throw MapHistoryError("units: expected metric, imperial or nautical")
    }
    self.init(since: since, until: until, clock: clock, units: units)
  }

  static func response(
    to request: HTTPRequest, by history: MapPage.Configuration.History
  ) -> HTTPResponse {
    let period: MapPeriod
    do throws(MapHistoryError) {
      period = try MapPeriod(request)
    } catch {
      return HTTPResponse(status: 400, text: error.message + "\n")
    }
    do throws(MapHistoryError) {
      return HTTPResponse(json: try history(period, request.goesOn).json)
    } catch {
      return HTTPResponse(status: 503, text: error.message + "\n")
    }
  }
}
