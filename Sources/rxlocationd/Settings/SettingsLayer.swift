import GPSD
import Logging
import Output

/// What one place (the flags, the configuration file) says; `nil` or empty is silence, which leaves the word
/// to the place below it.
struct SettingsLayer: Sendable {
  var gpsd: GPSDEndpoint?
  var format: StreamFormat?
  var regionLog: String?
  var regionSockets: [RegionSocketAddress] = []
  var regionSocketMode: UInt16?
  var regionSocketGroup: String?
  var readerLimit: Int?
  var metrics: MetricsAddress?
  var span: Double?
  var distanceFilter: Double?
  var accuracy: Double?
  var staleAfter: Double?
  var fences: [Fence] = []
  var logLevel: Logger.Level?

  /// This layer, with what it leaves open filled from `lower`. Lists are taken whole from one place.
  func over(_ lower: SettingsLayer) -> SettingsLayer {
    var result = self
    result.gpsd = gpsd ?? lower.gpsd
    result.format = format ?? lower.format
    result.regionLog = regionLog ?? lower.regionLog
    result.regionSockets = regionSockets.isEmpty ? lower.regionSockets : regionSockets
    result.regionSocketMode = regionSocketMode ?? lower.regionSocketMode
    result.regionSocketGroup = regionSocketGroup ?? lower.regionSocketGroup
    result.readerLimit = readerLimit ?? lower.readerLimit
    result.metrics = metrics ?? lower.metrics
    result.span = span ?? lower.span
    result.distanceFilter = distanceFilter ?? lower.distanceFilter
    result.accuracy = accuracy ?? lower.accuracy
    result.staleAfter = staleAfter ?? lower.staleAfter
    result.fences = fences.isEmpty ? lower.fences : fences
    result.logLevel = logLevel ?? lower.logLevel
    return result
  }
}
