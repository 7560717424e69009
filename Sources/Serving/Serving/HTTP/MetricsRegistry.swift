import Synchronization

/// The metrics of a program, and their text in Prometheus' exposition format 0.0.4.
///
/// Names follow Prometheus' conventions: the program's prefix, base units in the name, `_total` for counters. Metrics
/// with the same name, which differ in their labels, are registered with the same help.
package final class MetricsRegistry: Sendable {
  private enum Kind: String, Sendable { case counter, gauge }

  private struct Sample: Sendable {
    var labels: String
    var read: @Sendable () -> Double?
  }

  private struct Family: Sendable {
    var name: String
    var help: String
    var kind: Kind
    var samples: [Sample]
  }

  private let families = Mutex<[Family]>([])

  package init() {}

  package typealias Labels = KeyValuePairs<String, String>

  package func counter(_ name: String, help: String, labels: Labels = [:]) -> MetricsCounter {
    let counter = MetricsCounter()
    add(name, help, .counter, labels) { Double(counter.value) }
    return counter
  }

  package func gauge(_ name: String, help: String, labels: Labels = [:]) -> MetricsGauge {
    let gauge = MetricsGauge()
    add(name, help, .gauge, labels) { gauge.value }
    return gauge
  }

  /// Registers a counter that is kept elsewhere; `read` is called on the endpoint's thread at each request.
  package func counter(_ name: String, help: String, labels: Labels = [:], read: @escaping @Sendable () -> Double?) {
    add(name, help, .counter, labels, read)
  }

  /// Registers a gauge that is kept elsewhere or computed; `read` is called on the endpoint's thread at each request.
  /// If it returns `nil`, the metric is left out.
  package func gauge(_ name: String, help: String, labels: Labels = [:], read: @escaping @Sendable () -> Double?) {
    add(name, help, .gauge, labels, read)
  }

  package func text() -> String {
    var text = ""
    for family in families.withLock({ $0 }) {
      let samples = family.samples.compactMap { sample in sample.read().map { (sample.labels, $0) } }
      guard !samples.isEmpty else { continue }
      text += "# HELP \(family.name) \(Self.escaped(family.help, quote: false))\n"
      text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
      for (labels, value) in samples { text += "\(family.name)\(labels) \(Self.number(value))\n" }
    }
    return text
  }

  private func add(
    _ name: String, _ help: String, _ kind: Kind, _ labels: Labels, _ read: @escaping @Sendable () -> Double?
  ) {
    let pairs = labels.map { "\($0.key)=\"\(Self.escaped($0.value, quote: true))\"" }.joined(separator: ",")
    let sample = Sample(labels: pairs.isEmpty ? "" : "{\(pairs)}", read: read)
    families.withLock { families in
      if let index = families.firstIndex(where: { $0.name == name }) {
        families[index].samples.append(sample)
      } else {
        families.append(Family(name: name, help: help, kind: kind, samples: [sample]))
      }
    }
  }

  private static func escaped(_ text: String, quote: Bool) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quote: result += "\\\""
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    if let whole = Int64(exactly: value) { return String(whole) }
    return String(value)
  }
}

/// A counter that only grows. Any thread; an atomic addition.
package final class MetricsCounter: Sendable {
  private let count = Atomic<UInt64>(0)

  init() {}

  package func increment(by amount: Int = 1) {
    if amount > 0 { count.wrappingAdd(UInt64(amount), ordering: .relaxed) }
  }

  package var value: UInt64 { count.load(ordering: .relaxed) }
}

/// A number that goes up and down, or is unknown. Any thread; an atomic store.
package final class MetricsGauge: Sendable {
  // NaN stands for unknown; a gauge is never set to it.
  private let bits = Atomic<UInt64>(Double.nan.bitPattern)

  package init() {}

  /// The value; `nil` while it is unknown, and then the metric is absent.
  package var value: Double? {
    get {
      let value = Double(bitPattern: bits.load(ordering: .relaxed))
      return value.isNaN ? nil : value
    }
    set { bits.store((newValue ?? .nan).bitPattern, ordering: .relaxed) }
  }
}
