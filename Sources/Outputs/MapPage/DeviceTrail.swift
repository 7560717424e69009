import FoundationEssentials
import HTTP
import LocationKit
import Records

/// The way of one device, thinned for a map that shows several.
enum DeviceTrail {
  /// How many locations are read for one at most, and how many points of it are shown.
  static let (readLimit, pointLimit) = (20_000, 2000)

  /// The answer to `/trail.json?device=ID&since=TIME`: `[[latitude, longitude, speed, time, altitude], null, …]`.
  static func response(
    to request: HTTPRequest, by history: DevicesPage.Configuration.History, isKnown: (String) -> Bool
  ) -> HTTPResponse {
    guard let device = request.value(of: "device") else {
      return HTTPResponse(status: 400, text: "device: expected the identifier of a device\n")
    }
    var since: Date?
    if let text = request.value(of: "since") {
      since = Date(timestamp: text)
      if since == nil {
        return HTTPResponse(status: 400, text: "since: expected a time in UTC such as 2024-02-24T07:36:03Z\n")
      }
    }
    guard isKnown(device) else { return HTTPResponse(status: 404, text: "device: no such device\n") }
    do throws(MapHistoryError) {
      var line = TrailLine(limit: pointLimit, duration: .infinity)
      for location in try history(device, since, readLimit, { !request.hasLeft }) {
        if let location { line.append(location) } else { line.interrupt() }
      }
      return HTTPResponse(
        json: RecordBuffer.bytes(capacity: 64 + 64 * line.points.count) { $0.appendTrail(line.points) })
    } catch {
      return HTTPResponse(status: 503, text: error.message + "\n")
    }
  }
}
