import Publishing
import Testing

@Suite struct BrokerAddressTests {
  @Test(arguments: [
    ("mqtt://broker", "mqtt://broker:1883"), ("mqtts://broker", "mqtts://broker:8883"),
    ("mqtt://192.0.2.7:1884", "mqtt://192.0.2.7:1884"), ("mqtts://[2001:db8::1]:9", "mqtts://[2001:db8::1]:9"),
    ("mqtt://[::1]", "mqtt://[::1]:1883"), ("mqtt://broker/", "mqtt://broker:1883"),
  ])
  func readsABroker(text: String, description: String) throws {
    #expect(try BrokerAddress(parsing: text).description == description)
  }

  @Test(arguments: [
    ("broker:1883", BrokerAddressError.noScheme), ("http://broker", .noScheme), ("", .noScheme),
    ("mqtt://", .noHost), ("mqtt://:1883", .noHost), ("mqtt://[::1", .noHost), ("mqtt://a b", .noHost),
    ("mqtt://a/b", .hasPath), ("mqtt://a:1883/b", .hasPath), ("mqtt://[::1]/b", .hasPath), ("mqtt://a//", .hasPath),
    ("mqtt:///", .noHost), ("mqtt://::1", .noHost), ("mqtt://broker:0", .invalidPort("0")),
    ("mqtt://broker:65536", .invalidPort("65536")), ("mqtt://broker:+1", .invalidPort("+1")),
    ("mqtt://broker:", .invalidPort("")), ("mqtts://user:secret@broker", .hasUser),
  ])
  func refusesWhatIsNone(text: String, error: BrokerAddressError) {
    #expect(throws: error) { try BrokerAddress(parsing: text) }
    #expect(!error.description.contains("secret"))
  }
}
