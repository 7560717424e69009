import Collecting
import FoundationEssentials
import LocationKit
import Publishing

private let filters = ["owntracks/+/+", "#", "+/fleet/#"].compactMap(TopicFilter.init)
private let key = PayloadKey(Array("a key".utf8))

/// libFuzzer's entry: a line with a topic and the bytes of a message. Decoding must neither crash nor hang, and must
/// never return an invalid position or time, or a value that is not finite.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let cut = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0
  let topic = String(decoding: bytes[..<cut], as: UTF8.self)
  let payload = Array(bytes[cut...].dropFirst(bytes.isEmpty ? 0 : 1))
  let devices = filters.map { $0.device(of: topic) }
  precondition(devices.allSatisfy { $0 != "" }, "a device has a name")
  guard let device = devices.lazy.compactMap({ $0 }).first else { return 0 }
  guard let message = try? DeviceMessage(payload, from: device, key: key) else { return 0 }
  switch message {
  case .location(let location): check(location, of: device)
  case .transition(let crossing): check(crossing.location, of: device)
  case .card(let name): precondition(!name.isEmpty)
  case .other: break
  }
  return 0
}

private func check(_ location: Location, of device: String) {
  precondition(location.coordinate.isValid)
  precondition(location.sourceInformation?.deviceIdentifier == device)
  guard let time = location.timestamp?.timeIntervalSince1970 else { preconditionFailure("a location has a time") }
  precondition((0..<4_102_444_800).contains(time))
  for value in [
    location.altitude, location.horizontalAccuracy, location.verticalAccuracy, location.speed, location.climb,
  ] {
    if let value { precondition(value.isFinite) }
  }
  if let course = location.course { precondition(course >= 0 && course < 360) }
}
