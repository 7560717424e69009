/// Where a location came from. Core Location's `CLLocationSourceInformation`, with the device that gpsd names.
public struct LocationSourceInformation: Sendable, Hashable, Codable {
  /// The receiver's device path as gpsd names it, or the recording's file name; `nil` when unknown.
  public var device: String?
  /// Whether software made or replayed the fix: a recording, gpsd's simulator, a test.
  public var isSimulatedBySoftware: Bool

  /// Creates source information.
  public init(device: String? = nil, isSimulatedBySoftware: Bool = false) {
    self.device = device
    self.isSimulatedBySoftware = isSimulatedBySoftware
  }
}
