import GPSD
import Platform

extension GPSDFinding {
  /// The receiver's time information in words; `nil` for other findings.
  var clockText: String? {
    switch self {
    case .leapSeconds(let seconds): "GPS is \(counted(seconds, "leap second")) ahead of UTC"
    case .pulse(let device, let offset, let precision):
      "PPS\(device.map { " of \($0)" } ?? ""): this host's clock is \(Self.duration(abs(offset))) "
        + (offset < 0 ? "behind" : "ahead") + (precision.map { ", precision \($0)" } ?? "")
    default: nil
    }
  }

  /// A short form for a narrow row that is labelled "Clock" and also shows the other finding.
  var shortClockText: String? {
    switch self {
    case .leapSeconds(let seconds): "\(seconds) leap s"
    case .pulse(_, let offset, _): "\(Self.shortDuration(abs(offset))) \(offset < 0 ? "behind" : "ahead")"
    default: nil
    }
  }

  private static func duration(_ seconds: Double) -> String {
    // Values that would round to 1000 are shown in the next unit.
    switch seconds {
    case ..<0.000_999_5: "\(Int((seconds * 1e6).rounded())) µs"
    case ..<0.999_5: "\(Int((seconds * 1e3).rounded())) ms"
    default: durationText(seconds)
    }
  }

  /// Only the largest unit.
  private static func shortDuration(_ seconds: Double) -> String {
    duration(seconds).split(separator: " ").prefix(2).joined(separator: " ")
  }
}
