import GPSD
import Testing

extension GPSDTests {
  struct GPSDEndpointTests {
    @Test(
      arguments: [
        ("localhost", "localhost", 2947, nil),
        ("gps.example.org:3000", "gps.example.org", 3000, nil),
        ("192.0.2.7:2947:/dev/ttyUSB0", "192.0.2.7", 2947, "/dev/ttyUSB0"),
        ("[::1]", "::1", 2947, nil),
        ("[2001:db8::1]:3000:/dev/ttyACM0", "2001:db8::1", 3000, "/dev/ttyACM0"),
        ("localhost:2947:tcp://127.0.0.1:5000", "localhost", 2947, "tcp://127.0.0.1:5000"),
        (":3000", "localhost", 3000, nil),
        ("host::/dev/gps", "host", 2947, "/dev/gps"),
        ("host:", "host", 2947, nil),
      ] as [(String, String, UInt16, String?)])
    func reads(text: String, host: String, port: UInt16, device: String?) throws {
      let endpoint = try GPSDEndpoint(parsing: text)
      #expect(endpoint == GPSDEndpoint(host: host, port: port, device: device))
      #expect(try GPSDEndpoint(parsing: endpoint.description) == endpoint)
    }

    @Test(arguments: [
      ("", GPSDEndpointError.empty),
      ("host:0", .invalidPort("0")),
      ("host:65536", .invalidPort("65536")),
      ("host:http", .invalidPort("http")),
      ("host:+80", .invalidPort("+80")),
      ("host:80 ", .invalidPort("80 ")),
      ("two words:2947", .invalidHost("two words:2947")),
      ("/dev/ttyUSB0", .invalidHost("/dev/ttyUSB0")),
      ("[::1", .invalidHost("[::1")),
      ("[::1]2947", .invalidHost("[::1]2947")),
      ("[localhost]:2947", .invalidHost("[localhost]:2947")),
      ("::1", .invalidDevice("1", in: "::1")),
      ("2001:db8::1", .invalidDevice(":1", in: "2001:db8::1")),
      ("localhost:2947:ttyUSB0", .invalidDevice("ttyUSB0", in: "localhost:2947:ttyUSB0")),
    ])
    func refuses(text: String, error: GPSDEndpointError) {
      #expect(throws: error) { try GPSDEndpoint(parsing: text) }
    }

    @Test func messagesNameTheInputAndTheMend() {
      #expect("\(GPSDEndpointError.invalidPort("http"))".contains("'http'"))
      #expect("\(GPSDEndpointError.invalidDevice("1", in: "::1"))".contains("[::1]:2947"))
    }
  }
}
