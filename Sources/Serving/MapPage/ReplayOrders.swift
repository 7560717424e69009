import Serving
import LocationKit
import Platform
import Records

extension ReplayControl {
  /// Carries out the order in a query: `paused=true` or `false`, `speed=4` or `max`, `seek=90` or `ahead=60` in seconds.
  func response(to request: HTTPRequest) -> HTTPResponse {
    let parts = (request.query ?? "").split(separator: "=", maxSplits: 1).map(String.init)
    let number = parts.last.flatMap { Double(decimal: $0) } ?? -1
    switch (parts.first, parts.last) {
    case ("paused", "true"): order { ($0.isPaused, $0.target) = (true, nil) }
    case ("paused", "false"): order { $0.isPaused = false }
    case ("speed", "max"): order { $0.factor = nil }
    case ("speed", _) where (0.01...10_000).contains(number): order { $0.factor = number }
    case ("seek", _) where number >= 0: order { $0.target = number }
    case ("ahead", _) where number > 0: order { $0.target = ($0.target ?? $0.position) + number }
    default:
      let orders = "paused=true|false, speed=FACTOR|max, seek=SECONDS, ahead=SECONDS"
      return HTTPResponse(status: 400, text: "not an order; the orders are \(orders)\n")
    }
    return HTTPResponse(json: RecordBuffer.bytes { state.append(to: &$0) } + [10])
  }
}

extension ReplayControl.State {
  func append(to buffer: inout RecordBuffer) {
    buffer.appendObject {
      $0.appendMember("paused", isPaused)
      if let factor { $0.appendMember("speed", factor) } else { $0.appendMember("speed", "max") }
      $0.appendMember("position", position)
      $0.appendMember("length", length)
    }
  }
}
