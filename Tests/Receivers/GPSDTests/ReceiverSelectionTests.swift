import FoundationEssentials
import LocationKit
import Testing

@testable import GPSD

extension GPSDTests {
  struct ReceiverSelectionTests {
    private var selection = ReceiverSelection()

    private func fix(
      _ metres: Double = 0, mode: FixMode = .threeDimensional, accuracy: Double? = nil, speed: Double? = nil
    ) -> LocationSourceEvent {
      .location(
        Location(
          coordinate: LocationCoordinate2D(latitude: 51.5 + metres / 111_260, longitude: 0),
          horizontalAccuracy: accuracy, speed: speed, mode: mode))
    }

    /// Takes an event of `receiver`, with a stale limit of 10 s.
    private mutating func take(_ event: LocationSourceEvent, _ receiver: String, at now: Double) -> Bool {
      selection.passes(event, of: receiver, at: now, staleAfter: 10)
    }

    /// The locations that follow from a fix of a device in gpsd's reports.
    private func locations(
      _ reception: inout GPSDReception, _ device: String, latitude: Double = 51.5, at now: Double
    ) -> [Location] {
      var draft = LocationDraft()
      (draft.mode, draft.time, draft.eph) = (.threeDimensional, Date(timeIntervalSince1970: now), 10)
      (draft.latitude, draft.longitude) = (latitude, 0)
      let report = GPSDReport.fix(draft, LocationSourceInformation(device: device))
      return reception.receive(report, at: now, for: .init(staleAfter: 10)).events.compactMap {
        if case .location(let location) = $0 { location } else { nil }
      }
    }

    @Test mutating func twoWithAFixDoNotMix() {
      for second in 0..<30 {
        #expect(take(fix(mode: .twoDimensional, accuracy: 50), "a", at: Double(second)))
        #expect(!take(fix(accuracy: 1), "b", at: Double(second) + 0.5), "a better one does not take over")
      }
    }

    @Test mutating func oneWithoutAFixIsNotHeard() {
      #expect(take(.noFix, "b", at: 0), "nobody has a fix yet")
      for second in 1..<30 {
        #expect(take(fix(), "a", at: Double(second)))
        #expect(!take(.noFix, "b", at: Double(second) + 0.5))
      }
    }

    @Test mutating func aLossTurnsToTheOtherOneAtOnce() {
      for (event, receiver, passes) in [
        (fix(), "a", true), (fix(), "b", false),
        // There is a fix, the other one's.
        (.noFix, "a", false), (fix(), "b", true),
        // The first one's return changes nothing, nor does its next loss.
        (fix(), "a", false), (fix(), "b", true), (.noFix, "a", false), (fix(), "b", true),
        // Until the second one loses its fix.
        (fix(), "a", false), (.noFix, "b", false), (fix(), "a", true),
      ] {
        #expect(take(event, receiver, at: 0) == passes)
      }
    }

    @Test mutating func unknownOnlyWhenNoneHasAFix() {
      for (event, receiver, passes) in [
        (fix(), "a", true), (fix(), "b", false), (.noFix, "b", false), (.noFix, "a", true), (.noFix, "b", true),
        // The first to come back is followed.
        (fix(), "b", true), (fix(), "a", false),
      ] {
        #expect(take(event, receiver, at: 0) == passes)
      }
    }

    @Test mutating func silenceOfHalfTheStaleLimitTurnsToTheOtherOne() {
      #expect(take(fix(), "a", at: 0))
      for second in stride(from: 0.5, to: 5, by: 1) { #expect(!take(fix(), "b", at: second)) }
      #expect(!take(fix(), "b", at: 5))
      #expect(take(fix(), "b", at: 5.1))
      #expect(!take(fix(), "a", at: 5.2), "a return does not turn back")
      #expect(take(fix(), "b", at: 6))
    }

    @Test(arguments: [0.0, -1, .infinity, .nan]) mutating func anyStaleLimitLetsAFixThrough(staleAfter: Double) {
      let first = selection.passes(fix(), of: "a", at: 0, staleAfter: staleAfter)
      let other = selection.passes(fix(), of: "b", at: 6, staleAfter: staleAfter)
      #expect(first && other)
    }

    @Test mutating func anotherOnesLossIsNotThatOfTheSilentOne() {
      #expect(take(fix(), "a", at: 0))
      #expect(!take(fix(), "b", at: 0))
      #expect(!take(.noFix, "b", at: 7), "the manager's own limit says when a's silence counts")
    }

    @Test mutating func theBestOfTheOthersIsThreeDimensionalThenAccurate() {
      #expect(take(fix(), "a", at: 0))
      #expect(!take(fix(mode: .twoDimensional, accuracy: 1), "flat", at: 0))
      #expect(!take(fix(accuracy: nil), "unsure", at: 0))
      #expect(!take(fix(accuracy: 9), "poor", at: 0))
      #expect(!take(fix(accuracy: 8), "good", at: 0))
      for (lost, next) in [("a", "good"), ("good", "poor"), ("poor", "unsure"), ("unsure", "flat")] {
        #expect(!take(.noFix, lost, at: 1))
        #expect(selection.followed == next)
      }
      #expect(take(.noFix, "flat", at: 1))
      #expect(selection.followed == nil)
    }

    @Test mutating func oneThatFellSilentIsNotTheBest() {
      #expect(take(fix(), "a", at: 0))
      #expect(!take(fix(accuracy: 1), "silent", at: 0))
      #expect(take(fix(), "a", at: 4))
      #expect(!take(fix(accuracy: 9), "alive", at: 4))
      #expect(!take(.noFix, "a", at: 6))
      #expect(selection.followed == "alive")
    }

    @Test mutating func oneThatIsLessAccurateThanAnybodyTakesIsAsGoodAsSilent() {
      func take(_ accuracy: Double?, _ receiver: String, at now: Double) -> Bool {
        selection.passes(fix(accuracy: accuracy), of: receiver, at: now, staleAfter: 10, accuracyFilter: 20)
      }
      #expect(!take(21, "a", at: 0))
      #expect(!take(nil, "a", at: 0))
      #expect(take(20, "b", at: 0), "nobody was followed")
      #expect(!take(1, "a", at: 1))
      #expect(!take(21, "b", at: 4), "one bad fix does not turn to the other one")
      #expect(selection.followed == "b")
      #expect(take(1, "a", at: 5.1))
    }

    /// Two receivers with an accuracy of 10 m each, 20 m for the place of their antennas.
    @Test(arguments: [(0, false), (30, false), (39, false), (41, true), (200, true), (1e5, true)] as [(Double, Bool)])
    mutating func receiversThatAreApart(metres: Double, isNoticed: Bool) {
      #expect(take(fix(accuracy: 10), "a", at: 0))
      #expect(!selection.contradicts("a", at: 0))
      #expect(!take(fix(metres, accuracy: 10), "b", at: 0.5))
      #expect(selection.contradicts("a", at: 1) == isNoticed)
      #expect(selection.contradicts("a", at: 3.5) == isNoticed, "three seconds later")
      #expect(!selection.contradicts("a", at: 4), "the other one has been silent")
      #expect(!take(fix(), "b", at: 5))
      #expect(!selection.contradicts("a", at: 5), "its accuracy is unknown")
    }

    @Test func theEventSaysThatReceiversAreApart() {
      var reception = GPSDReception()
      #expect(locations(&reception, "a", at: 1).map { $0.sourceInformation?.signs } == [[]])
      #expect(locations(&reception, "b", latitude: 51.6, at: 1.5) == [], "it is not followed")
      #expect(locations(&reception, "a", at: 2).map { $0.sourceInformation?.signs } == [.receivers])
    }

    /// On a motorway the other receiver's fix is some metres back. One of them may not know its speed.
    @Test(arguments: [(30, 30), (30, nil), (nil, 30)] as [(Double?, Double?)])
    mutating func theWaySinceTheOtherFixCounts(speed: Double?, ofTheOther: Double?) {
      _ = take(fix(accuracy: 10, speed: ofTheOther), "b", at: 0)
      _ = take(fix(accuracy: 10, speed: speed), "a", at: 0)
      _ = take(fix(60, accuracy: 10, speed: speed), "a", at: 2)
      #expect(!selection.contradicts("a", at: 2))
      _ = take(fix(60, accuracy: 10, speed: 0), "a", at: 2)
      _ = take(fix(accuracy: 10, speed: 0), "b", at: 2)
      #expect(selection.contradicts("a", at: 2))
    }

    @Test mutating func oneThatGPSDNoLongerHasIsNotFollowed() {
      #expect(take(fix(), "a", at: 0))
      #expect(!take(fix(), "b", at: 0))
      selection.remove("a", at: 1, staleAfter: 10)
      #expect(selection.followed == "b")
      selection.remove("b", at: 1, staleAfter: 10)
      #expect(selection.followed == nil)
    }

    /// gpsd says so with a list of the others, or with a report about the receiver, which a part of a record may not list.
    @Test(
      arguments: [
        ([.devices(["a", "b"]), .devices(["b"])], true), ([.devices(["a", "b"]), .devices(["b", "a"])], false),
        ([.devices(["a", "b"]), .device(path: "a", isActive: false)], true),
        ([.device(path: "a", isActive: false)], true), ([.device(path: "b", isActive: false)], false),
      ] as [([GPSDReport], Bool)])
    func aReceiverThatGPSDNoLongerListsLeavesItsPlaceAtOnce(reports: [GPSDReport], isGone: Bool) {
      var reception = GPSDReception()
      #expect(!locations(&reception, "a", at: 1).isEmpty && locations(&reception, "b", at: 1).isEmpty)
      for report in reports { _ = reception.receive(report, at: 2, for: .init(staleAfter: 10)) }
      #expect(locations(&reception, "b", at: 2).isEmpty != isGone)
    }

    @Test mutating func satellitesAreThoseOfTheFollowedOne() {
      #expect(take(.satellites(satellites(seen: 3, used: 0)), "b", at: 0))
      #expect(take(fix(), "a", at: 0))
      #expect(!take(.satellites(satellites(seen: 3, used: 0)), "b", at: 1))
      #expect(take(.satellites(satellites(seen: 9, used: 7)), "a", at: 1))
      #expect(take(.heading(Heading(trueHeading: 1)), "compass", at: 1))
    }

    /// 64 receivers are remembered, and one more begins a new list.
    @Test mutating func the65thReceiverBeginsANewList() {
      for index in 0..<64 { _ = take(fix(), "\(index)", at: 0) }
      _ = take(fix(), "0", at: 1)
      #expect(selection.receiverCount == 64)
      _ = take(fix(), "64", at: 1)
      #expect(selection.receiverCount == 1 && selection.followed == "64")
    }

    // MARK: The events that follow from reports

    private static let fixReport: GPSDReport = {
      var draft = LocationDraft()
      (draft.mode, draft.latitude, draft.longitude) = (.threeDimensional, 51.5, 0)
      return .fix(draft, LocationSourceInformation(device: "a"))
    }()

    /// A connection, a watch and a list of devices may be reported again. A part of a record does not report the first two.
    @Test(
      arguments: [
        ([fixReport, fixReport], [[]]), ([.connection(.connecting), .devices(["a"]), .watch, .watch], [["a"]]),
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
