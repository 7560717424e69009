import GPSD
import Glibc
import Output

/// One line of what `doctor` says.
struct Diagnosis {
  var step: String
  var outcome: GPSDFinding.Outcome
  var message: String
  var mend: String?

  init(_ finding: GPSDFinding) {
    step = finding.step.rawValue
    outcome = finding.outcome
    message = finding.message
    mend = finding.mend
  }

  init(step: String, _ outcome: GPSDFinding.Outcome, _ message: String, mend: String? = nil) {
    self.step = step
    self.outcome = outcome
    self.message = message
    self.mend = mend
  }

  /// For a person.
  var text: String {
    let word =
      switch outcome {
      case .ok: "ok       "
      case .warning: "warning  "
      case .failure: "FAILED   "
      }
    return word + step + ": " + message + (mend.map { "\n         mend: " + $0 } ?? "")
  }

  /// For a machine: one JSON object.
  var json: String {
    var members = [("type", "doctor"), ("step", step), ("outcome", outcome.rawValue), ("message", message)]
    if let mend { members.append(("mend", mend)) }
    return "{" + members.map { "\"\($0)\":\(Self.quoted($1))" }.joined(separator: ",") + "}"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension Diagnosis {
  /// Whether the daemon could open a region socket, or has.
  static func ofRegionSocket(_ address: RegionSocketAddress) -> Diagnosis {
    guard case .unix(let path) = address else {
      return Diagnosis(step: "region socket", .ok, "\(address) is tried when the daemon starts")
    }
    var status = stat()
    if lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK {
      return Diagnosis(
        step: "region socket", .failure, "\(path) is there and no socket", mend: "name another path or remove it")
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard access(folder, W_OK | X_OK) == 0 else {
      return Diagnosis(
        step: "region socket", .failure, "\(path): \(folder): \(String(cString: strerror(errno)))",
        mend: "create the folder, or give this user the right to write to it")
    }
    return Diagnosis(step: "region socket", .ok, "\(path) can be opened")
  }
}
