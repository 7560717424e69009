import FoundationEssentials
import HeadlessMap
import LocationKit
import Output
import Rx

/// The records of the map's region: to the region log and to the readers of the region sockets.
@MainActor
final class RegionStream {
  private let log: RegionLog?
  private let socket: RegionSocket?
  private let standardOutput: RecordStream?
  private var formatter = NDJSONFormatter()
  private var buffer = RecordBuffer()
  /// Updates that have been written.
  private(set) var updates = 0

  init(log: RegionLog? = nil, socket: RegionSocket? = nil, standardOutput: RecordStream? = nil) {
    self.log = log
    self.socket = socket
    self.standardOutput = standardOutput
  }

  /// Writes the map's region; `time` is the receiver's time of the location that it follows.
  func write(_ region: CoordinateRegion, at time: Date?) {
    updates += 1
    if log == nil && socket == nil && standardOutput == nil { return }
    buffer.removeAll()
    formatter.append(region, at: time, to: &buffer)
    log?.append(buffer)
    socket?.publish(buffer)
    standardOutput?.append(buffer)
  }
}

extension RegionStream: ReactiveCompatible {}

extension Reactive where Base: RegionStream {
  /// Writes a record for each region of a map that follows `manager`, with the time of its last location.
  func region(following manager: LocationManager) -> Binder<CoordinateRegion> {
    Binder(base) { stream, region in stream.write(region, at: manager.location?.timestamp) }
  }
}
