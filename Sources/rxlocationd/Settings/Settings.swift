import Logging
import Output

/// Everything that `run` and `replay` are told, with the defaults filled in.
struct Settings: Sendable {
  var format = StreamFormat.ndjson
  var regionLog: String?
  var regionSockets: [RegionSocketAddress] = []
  /// Metres: the height and width of the map.
  var span = 10_000.0
  /// Metres; `nil` reports every fix.
  var distanceFilter: Double?
  /// Metres; `nil` reports fixes of any accuracy.
  var accuracy: Double?
  /// Seconds.
  var staleAfter = 10.0
  var fences: [Fence] = []
  var logLevel = Logger.Level.info

  init() {}

  /// The flags, over the defaults.
  ///
  /// - Throws: `CommandError` for flags that contradict each other.
  init(_ options: PipelineOptions) throws {
    format = options.format ?? format
    regionLog = options.regionLog
    regionSockets = options.regionSocket
    span = options.span ?? span
    distanceFilter = options.distanceFilter
    accuracy = options.accuracy
    staleAfter = options.staleAfter ?? staleAfter
    fences = options.fence
    logLevel = options.logLevel ?? logLevel

    if let twice = Self.duplicate(fences.map(\.identifier)) {
      throw CommandError(.usage, "--fence \(twice) is given twice; give each fence a name of its own")
    }
    if regionLog == "-" && format != .none {
      throw CommandError(
        .usage, "--region-log - writes to standard output, which carries locations; add --format none or name a file")
    }
  }

  private static func duplicate(_ names: [String]) -> String? {
    var seen: Set<String> = []
    return names.first { !seen.insert($0).inserted }
  }
}
