import Glibc
import Serving
import Records
import Synchronization
import SystemPackage

package struct MapTiles: Sendable {
  /// A URL that contains `{z}`, `{x}` and `{y}`.
  let url: String
  /// The attribution on the map, as HTML, of which the page keeps the text and the links.
  let attribution: String?
  let zoom: ClosedRange<Int>
  /// The origin of the tiles for the browser; `nil` for this server's own.
  let origin: String?
  /// Receives the first problem of a tile, in one sentence. For any thread.
  package var onProblem: @Sendable (String) -> Void = { _ in }
  private let archive: (any TileArchive)?

  /// Tiles that the browser requests from a server. Its URL begins with `https://` or `http://` and contains `{z}`, `{x}`
  /// and `{y}` once each.
  package init(url: String, attribution: String?) throws(MapTilesError) {
    func refuse(_ reason: String) -> MapTilesError { MapTilesError(description: "'\(url)' \(reason)") }
    guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else {
      throw refuse("does not begin with https:// or http://")
    }
    let rest = url.dropFirst(scheme.count)
    let host = rest.prefix { $0 != "/" }
    let isHost = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "-.:[]_".contains($0) }
    guard !host.isEmpty, isHost else {
      throw refuse("has no plain host name, which the page's policy needs; leave out {s}, which servers no longer need")
    }
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw refuse("has characters that a URL cannot contain")
    }
    for name in ["{z}", "{x}", "{y}"] {
      guard rest.ranges(of: name).count == 1 else { throw refuse("does not have \(name) once") }
    }
    guard rest.count(where: { $0 == "{" }) == 3 else { throw refuse("has other braces than {z}, {x} and {y}") }
    self.url = url
    self.attribution = attribution
    zoom = 0...19
    origin = scheme + host
    archive = nil
  }

  /// Tiles of a file, in PMTiles or MBTiles, which this server serves under `/tiles/`. The attribution is by default that
  /// of the file.
  package init(file path: FilePath, attribution: String? = nil) throws(TileArchiveError) {
    let archive = try Self.open(path)
    self.archive = archive
    self.attribution = attribution ?? archive.attribution
    // Browsers keep tiles for a day, but not those of another file.
    url = "/tiles/{z}/{x}/{y}?\((try? path.stat())?.st_mtim.tv_sec ?? 0)"
    zoom = archive.zoom
    origin = nil
  }

  func append(to buffer: inout RecordBuffer) {
    buffer.appendObject {
      $0.appendMember("url", url)
      $0.appendMember("attribution", attribution)
      $0.appendMember("minZoom", zoom.lowerBound)
      $0.appendMember("maxZoom", zoom.upperBound)
      if archive?.isVector == true { $0.appendMember("vector", true) }
    }
  }

  /// The route of the archive's tiles, which reads from the disk; `nil` for tiles of another server.
  var route: HTTPRoute? {
    guard let archive else { return nil }
    let wasSaid = Atomic(false)
    return .blocking { [onProblem] request in
      Self.response(to: request.path, archive) { problem in
        if !wasSaid.exchange(true, ordering: .relaxed) { onProblem(problem) }
      }
    }
  }

  private static func response(
    to path: String, _ archive: any TileArchive, _ onProblem: (String) -> Void
  ) -> HTTPResponse {
    let numbers = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).map { text in
      text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
    guard numbers.count == 3, let zoom = numbers[0], let x = numbers[1], let y = numbers[2],
      PMTiles.id(zoom: zoom, x: x, y: y) != nil
    else { return HTTPResponse(status: 404, text: "there is no such tile\n") }
    do throws(TileArchiveError) {
      guard let tile = try archive.tile(zoom: zoom, x: x, y: y) else {
        // A map may end here without an error; a browser would log a 404.
        return HTTPResponse(status: 204, contentType: archive.contentType, body: [])
      }
      guard !archive.isVector || tile.isVector else {
        throw TileArchiveError(.damaged, "has a tile that is not a vector tile")
      }
      var response = HTTPResponse(contentType: archive.contentType, body: tile.bytes)
      if let encoding = tile.encoding { response.fields.append(("Content-Encoding", encoding)) }
      response.fields.append(("Cache-Control", "max-age=86400"))
      return response
    } catch {
      let problem = "the tile \(zoom)/\(x)/\(y) cannot be read: the file \(error.reason)"
      onProblem(problem)
      return HTTPResponse(status: 500, text: problem + "\n")
    }
  }
}

package struct MapTilesError: Error, Sendable, Hashable, CustomStringConvertible {
  package var description: String
}
