import Platform
import Records

struct Diagnosis: Equatable {
  enum Outcome: String {
    case ok
    /// Unusual, but not an obstacle.
    case warning
    /// No later step can succeed.
    case failure
  }

  var step: String
  var outcome: Outcome
  var message: String
  var hint: String?

  init(step: String, _ outcome: Outcome, _ message: String, hint: String? = nil) {
    (self.step, self.outcome, self.message, self.hint) = (step, outcome, message, hint)
  }

  /// A failure by the message of an error, which ends with the way out behind a semicolon, or else with this hint.
  init(step: String, refused message: String, hint: String) {
    let parts = message.split(separator: "; ", maxSplits: 1).map(String.init)
    self.init(step: step, .failure, parts.first ?? message, hint: parts.count > 1 ? parts[1] : hint)
  }

  static let resourceHint = "end other programs, or raise this user's limits of processes and memory"

  var text: String {
    let word =
      switch outcome {
      case .ok: "ok       "
      case .warning: "warning  "
      case .failure: "FAILED   "
      }
    return word + step + ": " + message + (hint.map { "\n         hint: " + $0 } ?? "")
  }

  var json: String {
    let bytes = RecordBuffer.bytes { buffer in
      buffer.appendObject {
        $0.appendMember("type", "doctor")
        $0.appendMember("step", step)
        $0.appendMember("outcome", outcome.rawValue)
        $0.appendMember("message", message)
        $0.appendMember("hint", hint)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
