import GPSD
import Platform
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
      ("", "is empty; write HOST:PORT"),
      ("host:0", "'0' is not a port"),
      ("host:65536", "'65536' is not a port"),
      ("host:http", "'http' is not a port"),
      ("host:+80", "'+80' is not a port"),
      ("host:80 ", "'80 ' is not a port"),
      ("two words:2947", "'two words:2947' does not begin with a host"),
      ("/dev/ttyUSB0", "'/dev/ttyUSB0' does not begin with a host"),
      ("[::1", "'[::1' does not begin with a host"),
      ("[::1]2947", "'[::1]2947' does not begin with a host"),
      ("[localhost]:2947", "'[localhost]:2947' does not begin with a host"),
      (
        "::1",
        "'1' in '::1' is not a device; write its path as gpsd reports it, such as /dev/ttyUSB0, and an IPv6 address"
      ),
      ("2001:db8::1", "':1' in '2001:db8::1' is not a device"),
      ("localhost:2947:ttyUSB0", "'ttyUSB0' in 'localhost:2947:ttyUSB0' is not a device"),
    ])
    func refuses(text: String, part: String) {
      let error = #expect(throws: AddressError.self) { try GPSDEndpoint(parsing: text) }
      #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
    }
  }
}
