import Foundation
import Journal
import LocationKit
import TestSupport
import Testing

@testable import Publishing

@Suite(.startsPrograms) struct PayloadKeyTests {
  private static let secret = "mysecreTpass01"
  private static let key = PayloadKey(Array(secret.utf8))
  private static let payload = Array(#"{"_type":"lwt","tst":7}"#.utf8)

  /// Computed by another implementation of XSalsa20 and Poly1305.
  private static let known = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXY2ZgSQNcaJ91IItuTJ4dndv2hFEi673vdntVkRgfaJwu5Wswu3Ho"

  @Test func encryptedMessagesHaveOwnTracksFormat() throws {
    let key = try #require(Self.key)
    let message = key.encrypted(Self.payload, nonce: Array(0..<24))
    #expect(String(decoding: message, as: UTF8.self) == #"{"_type":"encrypted","data":"\#(Self.known)"}"#)
    #expect(key.decrypted(Self.known) == Self.payload)
  }

  @Test func messagesOfAnotherKeyAreNotRead() throws {
    let key = try #require(Self.key)
    #expect(key.encrypted(Self.payload) != key.encrypted(Self.payload), "a nonce must not come twice")
    #expect(key.decrypted(dataMember(key.encrypted([]))) == [])
    let other = try #require(PayloadKey([1]))
    #expect(other.decrypted(Self.known) == nil)
    for text in ["", "?", "AAEC", "B" + Self.known.dropFirst(), String(Self.known.dropLast(4)), Self.known + "AAAA"] {
      #expect(key.decrypted(text) == nil, "\(text)")
    }
    // A secret must not show in a message that somebody prints.
    #expect(!"\(key) \(Optional(key) as Any)".contains("109"))
  }

  @Test(.enabled(if: Python.has("nacl"))) func pyNaClReadsMessagesAndIsRead() throws {
    let key = try #require(Self.key)
    let program = """
      import base64, json, sys
      from nacl.secret import SecretBox
      box = SecretBox(sys.argv[1].encode().ljust(32, b"\\0"))
      text = box.decrypt(base64.b64decode(json.load(sys.stdin)["data"]))
      print(base64.b64encode(box.encrypt(text + b"!")).decode())
      """
    let message = String(decoding: key.encrypted(Self.payload), as: UTF8.self)
    let answer = try Python.run(program, [Self.secret], input: message)
    #expect(key.decrypted(answer.trimmingCharacters(in: .newlines)) == Self.payload + Array("!".utf8), "\(answer)")
  }

  @Test func everyMessageIsEncrypted() async throws {
    let folder = TemporaryFolder()
    let path = try folder.write(Self.secret, to: "key")
    #expect(chmod(path, 0o600) == 0)
    let broker = try RealBroker()
    let subscriber = try BrokerSubscriber(broker, "owntracks/#")
    let proxy = try Proxy(to: broker.port)
    let publisher = try TestPublisher(port: proxy.port, fixes(1) + [.crossing(crossing(.inside, 1))], fences: [home]) {
      $0.session.encryptionKeyFile = path
    }
    #expect(await eventually { publisher.cursor == 2 })
    proxy.cut()
    // A waypoint and all of them, a location, a transition, and what the broker says of one that has gone.
    #expect(await eventually { subscriber.messages.count == 5 })
    let texts = subscriber.messages.map { message in
      Self.key?.decrypted(message.json["data"] as? String ?? "").map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    #expect(subscriber.messages.allSatisfy { Set($0.json.keys) == ["_type", "data"] })
    for type in ["waypoint", "waypoints", "location", "transition", "lwt"] {
      #expect(texts.contains { $0.hasPrefix("{\"_type\":\"\(type)\"") }, "\(type): \(texts)")
    }
    await publisher.end()
  }
}

func dataMember(_ message: [UInt8]) -> String { members(of: message)["data"] as? String ?? "" }
