import LocationKit
import Publishing
import TestSupport
import Testing

@testable import rxlocationd

/// Policies as they are written, and the secret of hidden zones.
@Suite(.inTurn) struct PrivacyOptionsTests {
  private let fences = ["home", "work"].map {
    Region(center: .init(latitude: 48, longitude: 11), radius: 50, identifier: $0)
  }

  private func policy(
    _ rules: [PrivacyRule], _ fences: [Region]? = nil, secret: String = "0123456789abcdef"
  ) throws -> PrivacyPolicy {
    let key = try #require(PayloadKey(Array(secret.utf8)))
    return try PrivacyPolicy(rules, fences: fences ?? self.fences) { () throws(SettingError) in key }
  }

  @Test func readsPolicies() throws {
    #expect(try PrivacyRule(parsing: "exact") == .exact)
    #expect(try PrivacyRule(parsing: "grid:500") == .grid(metres: 500))
    #expect(try PrivacyRule(parsing: "hide:my home") == .hide(fence: "my home"))
    for text in ["", "grid", "grid:", "grid:9", "grid:nan", "grid:1e7", "hide", "hide:", "Exact"] {
      #expect(throws: SettingError.self) { try PrivacyRule(parsing: text) }
    }
  }

  @Test func aZoneIsTheSameAtEveryStartAndSecret() throws {
    let hide = [PrivacyRule.hide(fence: "home")]
    #expect(try policy(hide) == policy(hide))
    #expect(try policy(hide) != policy(hide, secret: "0123456789abcdee"))
    #expect(try policy(hide) != policy([.hide(fence: "work")]))
    #expect(try policy([.exact]) == .exact && policy([]) == .exact)
    #expect(throws: SettingError.self) { try policy([.hide(fence: "nowhere")]) }
  }

  @Test func aCorrectedFenceKeepsTheDirection() throws {
    var moved = fences
    moved[0] = Region(center: .init(latitude: 48.00001, longitude: 11), radius: 50, identifier: moved[0].identifier)
    let policies = try [policy([.hide(fence: "home")]), policy([.hide(fence: "home")], moved)]
    // Nearly the same places are hidden.
    var differences = 0
    for east in stride(from: -700.0, to: 700, by: 20) {
      for north in stride(from: -700.0, to: 700, by: 20) {
        let place = Location(coordinate: LocalPlane(at: fences[0].center).coordinate(east: east, north: north))
        if (policies[0].fence(hiding: place) == nil) != (policies[1].fence(hiding: place) == nil) { differences += 1 }
      }
    }
    #expect(differences < 20, "\(differences)")
  }
}
