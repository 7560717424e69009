import Formats
public import FoundationEssentials
public import HeadlessMap
public import Output

/// The map's regions: formats each once, for the log and for the sockets.
@MainActor
public final class RegionStream {
  private let log: RegionLog?
  private let socket: RegionSocket?
  private var formatter = NDJSONFormatter()
  private var buffer = RecordBuffer()

  /// Creates a stream to either, both or none.
  public init(log: RegionLog?, socket: RegionSocket?) {
    self.log = log
    self.socket = socket
  }

  /// Writes a region and the time of the fix that it follows, when the receiver gave one.
  public func write(_ region: CoordinateRegion, at time: Date?) {
    guard log != nil || socket != nil else { return }
    buffer.removeAll()
    formatter.append(region, at: time, to: &buffer)
    log?.append(buffer)
    socket?.publish(buffer)
  }
}
