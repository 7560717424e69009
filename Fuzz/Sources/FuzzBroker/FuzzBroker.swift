@testable import Publishing

/// libFuzzer's entry: the version, the size of the pieces in which the bytes come, and the bytes of a broker. Decoding must
/// neither crash nor hang, must not keep more than its limit, and must not depend on the pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  let version = first & 1 == 0 ? MQTTVersion.v311 : .v5
  let rest = Array(bytes.dropFirst())
  precondition(packets(rest, version, in: max(1, rest.count)) == packets(rest, version, in: Int(first >> 1) + 1))
  return 0
}

/// The packets, and whether they end with a breach of the rules.
private func packets(_ bytes: [UInt8], _ version: MQTTVersion, in size: Int) -> Result {
  var (decoder, result) = (MQTTDecoder(version), Result())
  for start in stride(from: 0, to: bytes.count, by: size) {
    bytes[start..<min(bytes.count, start + size)].withUnsafeBytes { decoder.append($0) }
    precondition(decoder.size <= MQTTDecoder.limit + bytes.count)
    do throws(MQTTBreach) {
      while let packet = try decoder.next() { result.packets.append(packet) }
    } catch {
      result.isBroken = true
      return result
    }
  }
  return result
}

private struct Result: Equatable {
  var packets: [MQTTPacket] = []
  var isBroken = false
}
