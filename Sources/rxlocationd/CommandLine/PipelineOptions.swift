import ArgumentParser
import Logging
import Output

/// The flags that `run` and `replay` share. What is not given is `nil`, so that a configuration file or a
/// default can fill it.
struct PipelineOptions: ParsableArguments {
  @Option(help: "The location stream on standard output: ndjson, geojson, gpx, csv or none. (default: ndjson)")
  var format: StreamFormat?

  @Option(help: ArgumentHelp("Append region updates to this file; - is standard output with --format none.", valueName: "path"))
  var regionLog: String?

  @Option(
    help: ArgumentHelp("Serve region updates to any number of readers. Repeatable.", valueName: "unix:PATH|tcp:HOST:PORT"),
    transform: parsed(RegionSocketAddress.init(parsing:)))
  var regionSocket: [RegionSocketAddress] = []

  @Option(
    help: ArgumentHelp("The map's height and width in metres. (default: 10000)", valueName: "metres"),
    transform: parsed(Bounds.span))
  var span: Double?

  @Option(
    help: ArgumentHelp("Leave out fixes nearer than this to the last one reported.", valueName: "metres"),
    transform: parsed(Bounds.distanceFilter))
  var distanceFilter: Double?

  @Option(
    help: ArgumentHelp("Leave out fixes whose horizontal accuracy is known to be worse than this.", valueName: "metres"),
    transform: parsed(Bounds.accuracy))
  var accuracy: Double?

  @Option(
    help: ArgumentHelp("Report the location as unknown when no fix has come for this long. (default: 10)", valueName: "seconds"),
    transform: parsed(Bounds.staleAfter))
  var staleAfter: Double?

  @Option(
    help: ArgumentHelp("Report entering and leaving a circle, in degrees and metres. Repeatable.", valueName: "id=lat,lon,radius"),
    transform: parsed(Fence.init(parsing:)))
  var fence: [Fence] = []

  @Option(help: "trace, debug, info, notice, warning, error or critical. (default: info)")
  var logLevel: Logger.Level?
}

extension StreamFormat: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}

/// Lets the argument parser print the message of an error of ours behind the flag and the value it refuses.
func parsed<Value>(
  _ parse: @escaping @Sendable (String) throws -> Value
) -> @Sendable (String) throws -> Value {
  { text in
    do {
      return try parse(text)
    } catch {
      throw ValidationError(String(describing: error))
    }
  }
}
