import ArgumentParser
import Glibc
import Logging
import Output

/// The flags that `run` and `replay` share. What is not given is `nil`, so that the configuration file or a
/// default fills it.
struct PipelineOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The location stream on standard output: ndjson, geojson, gpx, csv or none. (default: ndjson)"),
    transform: parsed(StreamFormat.init(parsing:)))
  var format: StreamFormat?

  @Option(
    help: ArgumentHelp(
      "Append region updates to this file; - is standard output, with --format none.", valueName: "path"))
  var regionLog: String?

  @Option(
    help: ArgumentHelp(
      "Serve region updates to any number of readers, on unix:PATH or tcp:HOST:PORT. Repeatable.",
      valueName: "address"),
    transform: parsed(RegionSocketAddress.init(parsing:)))
  var regionSocket: [RegionSocketAddress] = []

  @Option(
    help: ArgumentHelp("The mode of Unix region sockets. (default: 660)", valueName: "octal"),
    transform: parsed(Bounds.mode))
  var regionSocketMode: UInt16?

  @Option(help: ArgumentHelp("The group of Unix region sockets.", valueName: "group"))
  var regionSocketGroup: String?

  @Option(
    help: ArgumentHelp("How many readers are served. (default: 4096)", valueName: "count"),
    transform: parsed(Bounds.readerLimit))
  var readerLimit: Int?

  @Option(
    help: ArgumentHelp("Serve metrics to Prometheus at /metrics on this address.", valueName: "host:port"),
    transform: parsed(MetricsAddress.init(parsing:)))
  var metrics: MetricsAddress?

  @Option(
    help: ArgumentHelp("The map's height and width. (default: 10000)", valueName: "metres"),
    transform: parsed(Bounds.span))
  var span: Double?

  @Option(
    help: ArgumentHelp("Leave out fixes nearer than this to the last one reported.", valueName: "metres"),
    transform: parsed(Bounds.distanceFilter))
  var distanceFilter: Double?

  @Option(
    help: ArgumentHelp(
      "Leave out fixes whose horizontal accuracy is worse than this or unknown.", valueName: "metres"),
    transform: parsed(Bounds.accuracy))
  var accuracy: Double?

  @Option(
    help: ArgumentHelp(
      "Report the location as unknown when no fix has come for so long. (default: 10)", valueName: "seconds"),
    transform: parsed(Bounds.staleAfter))
  var staleAfter: Double?

  @Option(
    help: ArgumentHelp(
      "Report entering and leaving a circle, in degrees and metres. Repeatable.",
      valueName: "id=latitude,longitude,radius"),
    transform: parsed(Fence.init(parsing:)))
  var fence: [Fence] = []

  @Option(
    help: ArgumentHelp("Read settings from this TOML file; flags win.", valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp("trace, debug, info, notice, warning, error or critical. (default: info)", valueName: "level"),
    transform: parsed(Bounds.logLevel))
  var logLevel: Logger.Level?

  /// What the flags say.
  var layer: SettingsLayer {
    var layer = SettingsLayer()
    layer.format = format
    layer.regionLog = regionLog
    layer.regionSockets = regionSocket
    layer.regionSocketMode = regionSocketMode
    layer.regionSocketGroup = regionSocketGroup
    layer.readerLimit = readerLimit
    layer.metrics = metrics
    layer.span = span
    layer.distanceFilter = distanceFilter
    layer.accuracy = accuracy
    layer.staleAfter = staleAfter
    layer.fences = fence
    layer.logLevel = logLevel
    return layer
  }
}

/// Lets the argument parser print the message of an error of ours behind the flag and the value it refuses.
func parsed<Value, Failure: Error>(
  _ parse: @escaping @Sendable (String) throws(Failure) -> Value
) -> @Sendable (String) throws -> Value {
  { text in
    do {
      return try parse(text)
    } catch {
      throw ValidationError(String(describing: error))
    }
  }
}
