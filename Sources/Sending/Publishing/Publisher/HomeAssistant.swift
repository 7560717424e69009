import LocationKit
import Platform
import Records

/// Messages for Home Assistant's MQTT discovery: a device with a tracker, sensors of speed and accuracy and one sensor
/// for each fence, their states, and the availability of this client. Pure functions that return retained messages.
struct HomeAssistant {
  let topic: String
  /// The device's name; the topic's last level by default.
  var name: String?

  /// The availability message: the first of a session, and the broker's will.
  func availability(_ isThere: Bool) -> OutgoingMessage {
    OutgoingMessage(topic: availabilityTopic, Array((isThere ? "online" : "offline").utf8), isRetained: true)
  }

  /// The state of all entities: the location of the current fix, and whether the receiver is inside each fence.
  func state(_ location: Location?, fences: [String: Bool]) -> OutgoingMessage {
    let payload = RecordBuffer.bytes(capacity: 256) { buffer in
      buffer.appendObject { state in
        state.appendMember("fix", location != nil)
        if let location {
          state.appendMember("time", location.timestamp)
          state.appendMembers(of: location.coordinate)
          state.appendMember("gps_accuracy", location.horizontalAccuracy)
          state.appendMember("altitude", location.altitude)
          state.appendMember("vertical_accuracy", location.verticalAccuracy)
          state.appendMember("speed", location.speed)
          state.appendMember("course", location.course)
          state.appendMember("satellites", location.satellitesUsed)
          state.appendMember("status", location.quality?.status?.rawValue)
          state.appendMember("hdop", location.quality?.hdop)
        }
        state.appendObject("fences") { object in
          for fence in fences.sorted(by: { $0.key < $1.key }) { object.appendMember(named: fence.key, fence.value) }
        }
      }
    }
    return OutgoingMessage(topic: stateTopic, payload, isRetained: true)
  }

  func device() -> [OutgoingMessage] {
    [
      entity("device_tracker", "position", called: nil, needsFix: true) {
        $0.appendMember("json_attributes_topic", stateTopic)
        $0.appendMember("source_type", "gps")
      },
      measurement("speed", of: "speed", called: "Speed", in: "m/s"),
      measurement("accuracy", of: "gps_accuracy", called: "Accuracy", kind: "distance", in: "m", isDiagnostic: true),
      entity("binary_sensor", "fix", called: "Fix", needsFix: false) {
        $0.appendValue(stateTopic, "{{ 'ON' if value_json.fix else 'OFF' }}")
        $0.appendMember("device_class", "connectivity")
        $0.appendMember("entity_category", "diagnostic")
      },
    ]
  }

  private func measurement(
    _ object: String, of member: String, called name: String, kind: String? = nil, in unit: String,
    isDiagnostic: Bool = false
  ) -> OutgoingMessage {
    entity("sensor", object, called: name, needsFix: true) {
      $0.appendValue(stateTopic, "{{ value_json.\(member) | default('None') }}")
      $0.appendMember("device_class", kind ?? object)
      $0.appendMember("unit_of_measurement", unit)
      $0.appendMember("state_class", "measurement")
      if isDiagnostic { $0.appendMember("entity_category", "diagnostic") }
    }
  }

  /// The sensor of a fence, unknown until a fix decides it.
  func fence(_ name: String) -> OutgoingMessage {
    entity("binary_sensor", Self.object(ofFence: name), called: name, needsFix: false) {
      $0.appendValue(
        stateTopic, "{{ {true: 'ON', false: 'OFF'}.get(value_json.fences.get(\(Self.quoted(name))), 'None') }}")
      $0.appendMember("device_class", "presence")
    }
  }

  func withdrawal(ofFence name: String) -> OutgoingMessage {
    OutgoingMessage(topic: configurationTopic("binary_sensor", Self.object(ofFence: name)), [], isRetained: true)
  }

  private func entity(
    _ component: String, _ object: String, called entityName: String?, needsFix: Bool,
    _ members: (inout RecordBuffer) -> Void
  ) -> OutgoingMessage {
    let payload = RecordBuffer.bytes(capacity: 512) { buffer in
      buffer.appendObject { entity in
        // An entity without a name has the device's name.
        if entityName == nil { entity.appendNull("name") } else { entity.appendMember("name", entityName) }
        entity.appendMember("unique_id", "\(node)-\(object)")
        members(&entity)
        entity.appendKey("availability")
        let topics = needsFix ? [availabilityTopic, stateTopic] : [availabilityTopic]
        entity.appendArray(topics) { array, topic in
          array.appendObject {
            $0.appendMember("topic", topic)
            if topic == stateTopic {
              $0.appendMember("value_template", "{{ 'online' if value_json.fix else 'offline' }}")
            }
          }
        }
        entity.appendMember("availability_mode", "all")
        entity.appendObject("device") { device in
          device.appendArray("identifiers", [node]) { $0.appendJSONString($1) }
          device.appendMember("name", name ?? topic.split(separator: "/").last.map(String.init))
          device.appendMember("model", "rxlocationd")
        }
        entity.appendObject("origin") { $0.appendMember("name", "rxlocationd") }
      }
    }
    return OutgoingMessage(topic: configurationTopic(component, object), payload, isRetained: true)
  }

  // Not below the topic of locations, where readers of OwnTracks' messages store everything.
  private var stateTopic: String { "rxlocationd/\(topic)/state" }
  private var availabilityTopic: String { "rxlocationd/\(topic)/availability" }
  private var node: String { "rxlocationd-" + Self.identifier(topic) }

  private func configurationTopic(_ component: String, _ object: String) -> String {
    "homeassistant/\(component)/\(node)/\(object)/config"
  }

  private static func object(ofFence name: String) -> String { "fence-" + identifier(name) }

  /// Encodes a text in the characters that Home Assistant allows in topics. Different texts stay different.
  private static func identifier(_ text: String) -> String {
    // MQTT limits topics to 65,535 bytes, and these names need not be readable.
    if text.utf8.count > 1000 { return "_" + String(stableHash(Array(text.utf8)), radix: 16) }
    return text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        String(UnicodeScalar(byte))
      case UInt8(ascii: "/"): "-"
      default: "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }.joined()
  }

  private static func quoted(_ text: String) -> String {
    String(decoding: RecordBuffer.bytes(capacity: 64) { $0.appendJSONString(text) }, as: UTF8.self)
  }
}

extension RecordBuffer {
  fileprivate mutating func appendValue(_ topic: String, _ template: String) {
    appendMember("state_topic", topic)
    appendMember("value_template", template)
  }
}
