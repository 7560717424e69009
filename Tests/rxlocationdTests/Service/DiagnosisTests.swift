import GPSD
import Publishing
import Testing

@testable import rxlocationd

/// What the doctor advises.
@Suite struct DiagnosisTests {
  private func diagnosis(_ finding: BrokerFinding) -> Diagnosis { Diagnosis(finding, at: BrokerAddress(host: "a")) }

  private func diagnosis(_ finding: GPSDFinding, at host: String = "localhost") throws -> Diagnosis {
    Diagnosis(finding, at: try GPSDEndpoint(parsing: "\(host):2947"))
  }

  @Test func theUsualPortIsThatOfTheScheme() {
    func hint(usesTLS: Bool) -> String? {
      Diagnosis(.failed(.noMQTT("what answers there is silent")), at: BrokerAddress(host: "a", usesTLS: usesTLS)).hint
    }
    #expect(hint(usesTLS: true)?.contains("8883 is usual for TLS") == true)
    #expect(hint(usesTLS: false)?.contains("1883 is usual without TLS") == true)
  }

  /// An acknowledgement of MQTT 3.1.1 does not say that the message was taken.
  @Test func aTopicCountsOnlyWhereTheBrokerHasAWordForIt() {
    #expect(diagnosis(.taken(topic: "t")).outcome == .ok)
    #expect(diagnosis(.unconfirmed(topic: "t")).outcome == .warning)
  }

  @Test func whatTheBrokerKeepsIsNotWhatItDoesNot() {
    #expect(diagnosis(.readBack(topic: "t", isRetained: true)).message.hasSuffix("keeps a message on 't'"))
    #expect(diagnosis(.readBack(topic: "t", isRetained: false)).message.hasSuffix("keeps no message on 't' yet"))
  }

  @Test(arguments: [("localhost", true), ("127.0.0.1", true), ("[::1]", true), ("gps.example", false)])
  func aRefusalIsRemovedWhereGPSDRuns(host: String, isHere: Bool) throws {
    let hint = try #require(try diagnosis(.connectionRefused(reason: "refused"), at: host).hint)
    #expect(hint.contains("systemctl enable") == isHere && hint.contains("-G") == !isHere, "\(hint)")
  }

  @Test func aClockGoesAheadOrBehind() throws {
    #expect(try diagnosis(.clockDiffers(90.4)).message.contains("is 90 s ahead of the receiver"))
    #expect(try diagnosis(.clockDiffers(-90.6)).message.contains("is 91 s behind the receiver"))
  }

  @Test func theDevicesThatThereAreAreNamed() throws {
    let missing = try diagnosis(.deviceMissing("/dev/ttyS9", others: ["/dev/ttyS0", "/dev/ttyS1"]))
    #expect(missing.message == "gpsd has /dev/ttyS0, /dev/ttyS1, but not /dev/ttyS9")
  }

  @Test func aHintIsForAMachineToo() throws {
    #expect(try diagnosis(.noDevices).json.contains(#""hint":"plug the receiver in"#))
    #expect(try diagnosis(.noDevices).text.contains("\n         hint: plug the receiver in"))
    #expect(try !diagnosis(.connected).json.contains("hint"))
  }
}
