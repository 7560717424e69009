import FoundationEssentials
import HTTP
import LocationKit
import Records

/// The trail as GeoJSON: one feature for each part between two losses of the fix.
struct TrailDocument {
  var points: [TrailLine.Point]

  /// The answer to `/trail.geojson?since=TIME`.
  static func response(to request: HTTPRequest, of line: TrailLine) -> HTTPResponse {
    var points = line.points
    if let text = request.value(of: "since") {
      guard let since = Date(timestamp: text) else {
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
    RecordBuffer.bytes(capacity: 256 + 64 * points.count) { buffer in
      buffer.append(#"{"type":"FeatureCollection","features":"#)
      buffer.appendArray(pieces) { buffer, piece in
        // GeoJSON does not allow a line of one point.
        buffer.append(#"{"type":"Feature","geometry":{"type":"#)
        buffer.append(piece.count > 1 ? #""LineString","coordinates":"# : #""MultiPoint","coordinates":"#)
        buffer.appendArray(piece) { $0.appendPosition($1.coordinate) }
        buffer.append(#"},"properties":{"coordTimes":"#)
        buffer.appendArray(piece) { $0.appendJSONTime($1.time.map { Date(timeIntervalSince1970: $0) }) }
        buffer.appendKey("speeds")
        buffer.appendArray(piece) { $0.appendJSONNumber($1.speed) }
        buffer.append("}}")
      }
      buffer.append("}\n")
    }
  }

  private var pieces: [ArraySlice<TrailLine.Point>] {
    var starts = points.indices.filter { $0 == 0 || points[$0].isAfterBreak }
    starts.append(points.count)
    return zip(starts, starts.dropFirst()).map { points[$0..<$1] }
  }
}
