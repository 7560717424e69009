import Foundation
import LocationKit
import TestSupport
import Testing

@testable import Records

@Suite(.inTurn) struct RecordMemberTests {
  @Test func aMemberOfALocationReadsWhatItSetsAndNothingElse() {
    let time = Date(timeIntervalSince1970: 1_708_760_163)
    for member in RecordMember.location {
      var location = Location(latitude: 1, longitude: 2)
      switch member.access {
      case .time(let get, let set):
        set(&location, time)
        #expect(get(location) == time, "\(member.name)")
      case .angle(let get, let set), .measure(let get, let set):
        set(&location, 12.5)
        #expect(get(location) == 12.5, "\(member.name)")
      case .whole(let get, let set):
        set(&location, 3)
        #expect(get(location) == 3, "\(member.name)")
      case .text(let get, let set):
        let text = ["status": "rtkFixed", "doubts": "speed receiver"]["\(member.name)"] ?? "a"
        #expect(set(&location, text) && get(location) == text, "\(member.name)")
      case .flag(let get, let set):
        set(&location, true)
        #expect(get(location) == true, "\(member.name)")
      }
      let line = text { NDJSONFormatter().append(location, to: &$0) }
      for other in RecordMember.location where !other.isRequired && !other.isKeptOnly {
        // What says something of the source says both.
        let isSource = ["source", "held"].contains("\(member.name)") && "\(other.name)" == "simulated"
        #expect(
          line.contains("\"\(other.name)\":") == ("\(other.name)" == "\(member.name)" || isSource),
          "\(member.name), \(other.name)")
      }
    }
  }

  @Test func whatIsNoCrossingAndNoErrorIsRefused() {
    var crossing = RegionCrossing(NDJSONFormatterTests.home, .unknown, at: Location(latitude: 1, longitude: 2))
    var error = LocationError(.denied, "")
    for (text, isCrossing, isCode) in [("enter", true, false), ("leave", false, false), ("network", false, true)] {
      for member in RecordMember.crossing where "\(member.name)" == "event" {
        if case .text(_, let set) = member.access { #expect(set(&crossing, text) == isCrossing) }
      }
      for member in RecordMember.error where "\(member.name)" == "code" {
        if case .text(_, let set) = member.access { #expect(set(&error, text) == isCode) }
      }
    }
    #expect(error.code == .network)
  }
}
