import Records
import FoundationEssentials
import HTTP
import LocationKit

/// The trail as GeoJSON: a feature for each piece of it between two losses of the fix.
struct TrailDocument {
  var points: [TrailLine.Point]

  /// The answer to `/trail.geojson?since=TIME`.
  static func response(to request: HTTPRequest, of line: TrailLine) -> HTTPResponse {
    var points = line.points
    if let text = request.value(of: "since") {
      guard let since = Self.time(text) else {
        return HTTPResponse(
          status: 400, text: "since: expected a time in UTC such as 2024-02-24T07:36:03Z\n")
      }
      points = points.filter { $0.time.map { $0 >= since.timeIntervalSince1970 } ?? false }
    }
    var response = HTTPResponse(contentType: "application/geo+json", body: TrailDocument(points: points).json)
    response.fields.append(("Cache-Control", "no-store"))
    return response
  }

  var json: [UInt8] {
    MapWriter.bytes(capacity: 256 + 64 * points.count) { writer in
      writer.text(#"{"type":"FeatureCollection","features":"#)
      writer.list(pieces) { writer, piece in
        // GeoJSON has no line of one point.
        let isLine = piece.count > 1
        writer.text(
          isLine
            ? #"{"type":"Feature","geometry":{"type":"LineString","coordinates":"#
            : #"{"type":"Feature","geometry":{"type":"MultiPoint","coordinates":"#)
        writer.list(piece) { writer, point in
          writer.text("[")
          writer.number(point.coordinate.longitude, .angle)
          writer.text(",")
          writer.number(point.coordinate.latitude, .angle)
          writer.text("]")
        }
        writer.text(#"},"properties":{"coordTimes":"#)
        writer.list(piece) { writer, point in
          if let time = point.time { writer.time(Date(timeIntervalSince1970: time)) } else { writer.text("null") }
        }
        writer.text(#","speeds":"#)
        writer.list(piece) { writer, point in
          if let speed = point.speed { writer.number(speed, .measure) } else { writer.text("null") }
        }
        writer.text("}}")
      }
      writer.text("}\n")
    }
  }

  private var pieces: [ArraySlice<TrailLine.Point>] {
    var starts = points.indices.filter { $0 == 0 || points[$0].isAfterBreak }
    starts.append(points.count)
    return zip(starts, starts.dropFirst()).map { points[$0..<$1] }
  }

  private static func time(_ text: String) -> Date? {
    let formats = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
    return formats.lazy.compactMap { try? $0.parse(text) }.first
  }
}
