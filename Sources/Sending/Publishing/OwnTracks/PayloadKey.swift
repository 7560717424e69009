import CSodium
import FoundationEssentials
import Records

/// A secret that senders and readers of messages share: OwnTracks' private payloads, which are libsodium's secret
/// boxes. The broker and others that see the messages learn only their topics and lengths.
public struct PayloadKey: Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  private static let isInitialized = sodium_init() >= 0

  /// The size limit of a secret in bytes.
  public static let limit = Int(crypto_secretbox_KEYBYTES)

  /// Creates a key from a secret, padded with zeros; `nil` for an empty or too long secret.
  public init?(_ secret: [UInt8]) {
    guard Self.isInitialized, 1...Self.limit ~= secret.count else { return nil }
    bytes = secret + [UInt8](repeating: 0, count: Self.limit - secret.count)
  }

  /// Returns a message of OwnTracks' type encrypted that contains the payload.
  public func encrypted(_ payload: [UInt8]) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: Self.nonceLength)
    randombytes_buf(&nonce, nonce.count)
    return encrypted(payload, nonce: nonce)
  }

  /// - Parameter nonce: 24 bytes, used for this message only.
  func encrypted(_ payload: [UInt8], nonce: [UInt8]) -> [UInt8] {
    var box = [UInt8](repeating: 0, count: payload.count + Self.overhead)
    // It fails only for payloads that exceed any memory.
    _ = crypto_secretbox_easy(&box, payload, UInt64(payload.count), nonce, bytes)
    return RecordBuffer.bytes(capacity: 64 + box.count * 2) { buffer in
      buffer.appendObject {
        $0.appendMember("_type", "encrypted")
        $0.appendMember("data", Data(nonce + box).base64EncodedString())
      }
    }
  }

  /// Decrypts the text of the member `data`; `nil` when it was not encrypted with this key.
  func decrypted(_ data: String) -> [UInt8]? {
    guard let bytes = Data(base64Encoded: data).map(Array.init), bytes.count >= Self.nonceLength + Self.overhead else {
      return nil
    }
    let box = Array(bytes[Self.nonceLength...])
    var payload = [UInt8](repeating: 0, count: box.count - Self.overhead)
    let code = crypto_secretbox_open_easy(
      &payload, box, UInt64(box.count), Array(bytes[..<Self.nonceLength]), self.bytes)
    return code == 0 ? payload : nil
  }

  /// Two numbers for a text, which say nothing about the secret. They are the same at any time.
  package func hash(of text: String) -> (UInt64, UInt64) {
    var hash = [UInt8](repeating: 0, count: 16)
    let text = Array(text.utf8)
    // It fails only for other lengths.
    _ = crypto_generichash(&hash, hash.count, text, UInt64(text.count), bytes, bytes.count)
    let numbers = [hash[..<8], hash[8...]].map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    return (numbers[0], numbers[1])
  }

  /// Does not contain the secret.
  public var description: String { "a secret" }

  private static let nonceLength = Int(crypto_secretbox_NONCEBYTES)
  private static let overhead = Int(crypto_secretbox_MACBYTES)
}
