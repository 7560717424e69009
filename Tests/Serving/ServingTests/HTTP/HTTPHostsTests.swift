import Foundation
import TestSupport
import Platform
import Testing

@testable import Serving

/// Which requests are for this host, and what else surrounds an answer.
@Suite(.inTurn) struct HTTPHostsTests {
  @Test(arguments: [
    // listening on, names, Host, the address connected to, whether it is taken
    ("localhost:1", [], "localhost", "127.0.0.1", true), ("localhost:1", [], "LocalHost:8080", "127.0.0.1", true),
    ("localhost:1", [], "localhost.", "::1", true), ("localhost:1", [], "127.0.0.1:99999", "127.0.0.1", true),
    ("localhost:1", [], "[::1]:1", "::1", true), ("localhost:1", [], "evil.example", "127.0.0.1", false),
    ("localhost:1", [], "localhost.evil.example", "127.0.0.1", false), ("localhost:1", [], "", "127.0.0.1", false),
    ("localhost:1", [], "localhost:x", "127.0.0.1", false), ("localhost:1", [], "[localhost]", "127.0.0.1", false),
    ("localhost:1", [], "127.0.0.2", "127.0.0.1", false), ("127.0.0.1:1", [], "localhost", "127.0.0.1", true),
    ("192.0.2.1:1", [], "192.0.2.1", "192.0.2.1", true), ("192.0.2.1:1", [], "192.0.2.2", "192.0.2.1", false),
    ("192.0.2.1:1", [], "localhost", "192.0.2.1", false), ("192.0.2.1:1", ["gps.lan"], "GPS.lan", "192.0.2.1", true),
    ("*:1", [], "203.0.113.9", "192.0.2.1", true), ("*:1", [], "[2001:db8::1]", "192.0.2.1", true),
    ("*:1", [], "localhost:1", "::ffff:127.0.0.1", true), ("*:1", [], "evil.example", "192.0.2.1", false),
    ("*:1", ["gps.example"], "gps.example:443", "192.0.2.1", true),
    ("*:1", [], "1.2.3.4.evil.example", "192.0.2.1", false),
    ("0.0.0.0:1", [], "203.0.113.9", "192.0.2.1", true), ("*:1", [], "0x7f.1", "192.0.2.1", false),
  ])
  func whichHostsAreThisOne(
    _ address: String, _ names: [String], _ host: String, _ local: String, _ isTaken: Bool
  ) throws {
    let hosts = HTTPHosts(of: try Endpoint(listening: address), and: names)
    #expect(hosts.accepts([host], at: local) == isTaken)
    #expect(!hosts.accepts([], at: local) && !hosts.accepts([host, host], at: local), "exactly one")
    #expect(HTTPHosts.any.accepts([], at: local))
  }

  @Test func onAWildcardTheMachinesOwnNameIsGood() throws {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, 255)
    let own = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let short = own.prefix { $0 != "." }
    for name in [own.uppercased(), String(short), "\(short).local"] {
      #expect(HTTPHosts(of: Endpoint(host: "*", port: 1)).accepts([name], at: "192.0.2.1"), "\(name)")
    }
    #expect(!HTTPHosts(of: Endpoint(host: "192.0.2.1", port: 1)).accepts([own], at: "192.0.2.1"))
  }

  /// What `/tiles/0/0/0` waits for.
  private let released = DispatchSemaphore(value: 0)

  /// A server with an asset, a folder and a route that takes its time.
  private func served(timeout: Duration = .seconds(10), _ body: (_ port: Int) async throws -> Void) async throws {
    defer { released.signal() }
    let asset = HTTPAsset(contentType: "text/css", bytes: Array("body { color: red }\n".utf8), gzipped: [1, 2, 3])
    let server = try await TestServer(
      hosts: HTTPHosts(of: Endpoint(host: "localhost", port: 0)),
      routes: [
        "/": .answer { _ in HTTPResponse(text: "root\n") },
        "/style.css": .answer { asset.response(to: $0) }.adding([("X-Policy", "p")]),
        "/no-smaller.css": .answer {
          HTTPAsset(contentType: "text/css", bytes: [1, 2, 3], gzipped: [4, 5, 6]).response(to: $0)
        },
        "/tiles/": .blocking { [released] request in
          if request.path == "/tiles/0/0/0" {
            released.wait()
            released.signal()
          }
          return HTTPResponse(text: "tile \(request.path)\n")
        },
        "/query": .answer { HTTPResponse(text: "\($0.value(of: "since") ?? "none")\n") },
      ]
    ) { $0.timeout = timeout }
    try await body(server.port)
    await server.close()
  }

  private func answer(
    _ port: Int, _ path: String, host: String = "localhost", _ fields: String...
  ) async throws -> String {
    let client = try Client.tcp(port)
    client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
    return await client.rest()
  }

  @Test func aStrangersNameIsRefusedOnEveryPath() async throws {
    try await served { (port: Int) async throws in
      for path in ["/", "/style.css", "/tiles/1/2/3", "/nothing"] {
        #expect(try await answer(port, path, host: "evil.example").hasPrefix("HTTP/1.1 421 "))
      }
      let client = try Client.tcp(port)
      client.send("GET / HTTP/1.0\r\n\r\n")
      #expect(await client.rest().hasPrefix("HTTP/1.1 421 "))
    }
  }

  @Test func assetsAreValidatedAndCompressed() async throws {
    try await served { (port: Int) async throws in
      let plain = try await answer(port, "/style.css")
      #expect(plain.hasPrefix("HTTP/1.1 200 ") && plain.hasSuffix("\r\n\r\nbody { color: red }\n"))
      #expect(plain.contains("X-Policy: p\r\n") && plain.contains("X-Content-Type-Options: nosniff\r\n"))
      let tag = try #require(plain.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }).dropFirst(6)
      let small = try await answer(port, "/style.css", "Accept-Encoding: br, gzip;q=0.5")
      #expect(small.contains("Content-Encoding: gzip\r\n") && small.contains("Content-Length: 3\r\n"))
      #expect(!small.contains("ETag: \(tag)\r\n"), "another representation has another tag")
      #expect(try await answer(port, "/style.css", "Accept-Encoding: *").contains("Content-Encoding: gzip"))
      #expect(try await !answer(port, "/no-smaller.css", "Accept-Encoding: gzip").contains("Content-Encoding"))
      for refusal in ["gzip;q=0", "gzip; q=0.0", "identity", "x-gzip-not"] {
        #expect(try await !answer(port, "/style.css", "Accept-Encoding: \(refusal)").contains("Content-Encoding"))
      }
      for known in ["\(tag)", "\"other\", \(tag)", "W/\(tag)", "*"] {
        let answer = try await answer(port, "/style.css", "If-None-Match: \(known)")
        #expect(answer.hasPrefix("HTTP/1.1 304 ") && answer.hasSuffix("\r\n\r\n"))
      }
      #expect(try await answer(port, "/style.css", "If-None-Match: \"other\"").hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test(arguments: [
    "/../etc/passwd", "/style.css/../../etc/passwd", "//etc/passwd", "/%2e%2e/etc/passwd", "/style.css/",
    "/style.css%00", "/./style.css", "/STYLE.CSS", "http://localhost/style.css", "/tiles", "style.css", "*",
  ])
  func onlyExactPathsAreServed(path: String) async throws {
    try await served { (port: Int) async throws in
      let answer = try await answer(port, path)
      #expect(answer.hasPrefix("HTTP/1.1 404 ") || answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
      #expect(!answer.contains("root:"))
    }
  }

  @Test func whatTakesItsTimeHoldsUpNobody() async throws {
    try await served { (port: Int) async throws in
      let gone = try Client.tcp(port)
      gone.send("GET /tiles/0/0/0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      gone.endSending()
      #expect(try await answer(port, "/").hasSuffix("root\n"))
      released.signal()
      #expect(try await answer(port, "/tiles/1/2/3").hasSuffix("tile /tiles/1/2/3\n"))
      #expect(try await answer(port, "/tiles/a/../b").hasSuffix("tile /tiles/a/../b\n"))
      #expect(await gone.rest().hasSuffix("tile /tiles/0/0/0\n"), "a client that has ended its side is answered, too")
    }
  }

  @Test func whatTakesItsTimeMayTakeLongerThanAClientMay() async throws {
    try await served(timeout: .milliseconds(200)) { (port: Int) async throws in
      let waiting = try Client.tcp(port)
      waiting.send("GET /tiles/0/0/0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      // One that came later and asks for nothing is closed first, so that the time is over for the other as well.
      #expect(await (try Client.tcp(port)).rest() == "")
      released.signal()
      #expect(await waiting.rest().hasSuffix("tile /tiles/0/0/0\n"))
    }
  }

  @Test(arguments: [
    ("", "none"), ("?since=2024-02-24T07%3A36%3A03Z", "2024-02-24T07:36:03Z"), ("?a=b&since=x", "x"), ("?since", ""),
    ("?since=%zz%4", "%zz%4"),
    ("?since=x%41", "xA"), ("?sinces=1", "none"), ("?since=+1", "+1"), ("?since=a=b", "a=b"),
  ])
  func valuesOfTheQueryAreDecoded(query: String, value: String) async throws {
    try await served { (port: Int) async throws in
      #expect(try await answer(port, "/query\(query)").hasSuffix("\r\n\r\n\(value)\n"))
    }
  }
}
