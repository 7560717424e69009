import Publishing
import Testing

@testable import rxlocationd

/// What the doctor advises.
@Suite struct DiagnosisTests {
  @Test func theUsualPortIsThatOfTheScheme() {
    func hint(usesTLS: Bool) -> String? {
      Diagnosis(.failed(.noMQTT("what answers there is silent")), at: BrokerAddress(host: "a", usesTLS: usesTLS)).hint
    }
    #expect(hint(usesTLS: true)?.contains("8883 is usual for TLS") == true)
    #expect(hint(usesTLS: false)?.contains("1883 is usual without TLS") == true)
  }
}
