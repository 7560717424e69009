import FoundationEssentials
import LocationKit
import Testing

@testable import GPSD

extension GPSDTests {
  /// The events that follow from reports, without a gpsd.
  struct GPSDReceptionTests {
    private static let fix: GPSDReport = {
      var draft = LocationDraft()
      (draft.mode, draft.latitude, draft.longitude) = (.threeDimensional, 51.5, 0)
      return .fix(draft, LocationSourceInformation(device: "a"))
    }()

    /// A connection, a watch and a list of devices may be reported again. A part of a record does not report the first two.
    @Test(
      arguments: [
        ([fix, fix], [[]]), ([.connection(.connecting), .devices(["a"]), .watch, .watch], [["a"]]),
        ([.watch, .devices(["a"]), .devices(["a"]), .devices(["b"])], [[], ["a"], ["b"]]),
        ([.watch, .device(path: "a", isActive: true), .device(path: "a", isActive: true)], [[], ["a"]]),
      ] as [([GPSDReport], [[String]])])
    func aConnectionIsReportedWhenItChanges(reports: [GPSDReport], connections: [[String]]) {
      var reception = GPSDReception()
      let events = reports.flatMap { reception.receive($0, at: 1, for: .init(staleAfter: 10)).events }
      let found = events.compactMap { if case .status(.connected(let devices)) = $0 { devices } else { nil } }
      #expect(found == connections)
    }
  }
}
