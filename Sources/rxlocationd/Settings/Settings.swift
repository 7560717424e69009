import GPSD
import Logging
import Output

/// Everything that `run` and `replay` are told, with the defaults filled in.
struct Settings: Sendable {
  var gpsd: GPSDEndpoint
  var format: StreamFormat
  var regionLog: String?
  var regionSockets: [RegionSocketAddress]
  var regionSocketMode: UInt16
  var regionSocketGroup: String?
  /// How many readers all region sockets serve together.
  var readerLimit: Int
  /// Where metrics are served; `nil` for nowhere.
  var metrics: MetricsAddress?
  /// Metres: the height and width of the map.
  var span: Double
  /// Metres; `nil` reports every fix.
  var distanceFilter: Double?
  /// Metres; `nil` reports fixes of any accuracy.
  var accuracy: Double?
  /// Seconds.
  var staleAfter: Double
  var fences: [Fence]
  var logLevel: Logger.Level

  /// The settings of a layer over the defaults.
  ///
  /// - Throws: `SettingError` for settings that contradict each other.
  init(_ layer: SettingsLayer) throws(SettingError) {
    gpsd = layer.gpsd ?? GPSDEndpoint()
    format = layer.format ?? .ndjson
    regionLog = layer.regionLog
    regionSockets = layer.regionSockets
    regionSocketMode = layer.regionSocketMode ?? 0o660
    regionSocketGroup = layer.regionSocketGroup
    readerLimit = layer.readerLimit ?? 4096
    metrics = layer.metrics
    span = layer.span ?? 10_000
    distanceFilter = layer.distanceFilter
    accuracy = layer.accuracy
    staleAfter = layer.staleAfter ?? 10
    fences = layer.fences
    logLevel = layer.logLevel ?? .info

    if let twice = Self.duplicate(fences.map(\.identifier)) {
      throw SettingError("fence '\(twice)' is given twice; give each fence a name of its own")
    }
    if regionLog == "-" && format != .none {
      throw SettingError(
        "region log '-' is standard output, which carries locations; say --format none as well, or name a file")
    }
  }

  /// Whether what `Pipeline.apply` does not take over is the same.
  func isSameForOutputs(as other: Settings) -> Bool {
    gpsd == other.gpsd && format == other.format && regionLog == other.regionLog
      && regionSockets == other.regionSockets && regionSocketMode == other.regionSocketMode
      && regionSocketGroup == other.regionSocketGroup && readerLimit == other.readerLimit
      && metrics == other.metrics && logLevel == other.logLevel
  }

  private static func duplicate(_ names: [String]) -> String? {
    var seen: Set<String> = []
    return names.first { !seen.insert($0).inserted }
  }
}
