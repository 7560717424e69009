import Foundation

/// The contents of a file as text; empty when it cannot be read.
package func contents(_ path: String) -> String {
  (try? String(decoding: Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)) ?? ""
}
