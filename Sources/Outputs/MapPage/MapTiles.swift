/// Where the pictures under the map come from.
public struct MapTiles: Sendable {
  /// A URL with `{z}`, `{x}` and `{y}` in it.
  var url: String
  /// Who has to be named on the map; HTML is not meant.
  var attribution: String?
  /// The smallest and the largest zoom level that there are tiles of.
  var zoom: ClosedRange<Int>
  /// The origin that the browser has to ask for tiles; `nil` for this server's own.
  var origin: String?

  func write(to writer: inout MapWriter) {
    writer.text(#"{"url":"#)
    writer.string(url)
    if let attribution {
      writer.text(#","attribution":"#)
      writer.string(attribution)
    }
    writer.text(#","minZoom":"#)
    writer.number(zoom.lowerBound)
    writer.text(#","maxZoom":"#)
    writer.number(zoom.upperBound)
    writer.text("}")
  }
}
