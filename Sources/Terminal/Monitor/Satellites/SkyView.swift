import Glibc
import LocationKit
import TerminalKit

/// The sky from below: north is up, the zenith in the middle, the horizon a circle. A satellite is shown by RINEX's
/// letter for its constellation, and its number.
final class SkyView: View {
  var satellites: [Satellite] = [] {
    didSet { if satellites != oldValue { setNeedsDisplay() } }
  }

  override func draw(on canvas: Canvas) {
    let (width, height) = (canvas.size.width, canvas.size.height)
    guard width >= 11, height >= 5 else { return }
    // A row is about twice as high as a column is wide.
    let radius = min(Double(height - 1) / 2, Double(width - 4) / 4)
    let center = (x: Double(width - 1) / 2, y: Double(height - 1) / 2)
    func place(_ azimuth: Double, _ elevation: Double) -> Point {
      let distance = radius * (90 - max(0, min(elevation, 90))) / 90
      let angle = azimuth * .pi / 180
      return Point(
        x: Int((center.x + 2 * distance * sin(angle)).rounded()), y: Int((center.y - distance * cos(angle)).rounded()))
    }
    for elevation in [0.0, 45] {
      for azimuth in stride(from: 0.0, to: 360, by: 4) {
        let point = place(azimuth, elevation)
        canvas.write("·", x: point.x, y: point.y, style: .dim)
      }
    }
    for (azimuth, letter) in [(0.0, "N"), (90, "E"), (180, "S"), (270, "W")] {
      let point = place(azimuth, 0)
      canvas.write(letter, x: point.x, y: point.y, style: .bold)
    }
    // Used satellites are drawn in front of the others.
    for satellite in satellites.sorted(by: { !$0.isUsed && $1.isUsed }) {
      guard let azimuth = satellite.azimuth, let elevation = satellite.elevation, azimuth.isFinite, elevation.isFinite
      else { continue }
      let point = place(azimuth, elevation)
      let text = "\(Self.letter(of: satellite.system))\(satellite.number)"
      canvas.write(
        text, x: min(point.x, width - text.count), y: point.y,
        style: satellite.isUsed ? Style(color: .green, bold: true) : .dim)
    }
  }

  private static func letter(of system: Satellite.System) -> Character {
    switch system {
    case .gps: "G"
    case .sbas: "S"
    case .galileo: "E"
    case .beidou: "C"
    case .imes: "M"
    case .qzss: "J"
    case .glonass: "R"
    case .navic: "I"
    }
  }
}
