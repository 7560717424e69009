public import Rx

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ObservableType {
  /// The events of a sequence and their times since the subscription, as one list when the sequence has ended. An error
  /// is an event of the list.
  ///
  ///     let trace = locations.recorded(scheduler: manager.rx.clock)
  ///
  /// - Parameters:
  ///   - resolution: The seconds of a tick, to which times are rounded.
  ///   - scheduler: The times are those of its clock, read where the sequence delivers.
  public func recorded(resolution: Double = 1, scheduler: any SchedulerType) -> Observable<[Recorded<Event<Element>>]> {
    .deferred {
      let start = scheduler.now
      return self.materialize()
        .map { Recorded(time: Int((scheduler.now.timeIntervalSince(start) / resolution).rounded()), value: $0) }
        .toArray()
        .asObservable()
    }
  }
}

extension Array {
  /// The source text of a test in which these events happen again: a marble string, or a list of events where several
  /// in one tick leave no room for a string. It tests nothing yet: put the operators that failed behind `source`, and
  /// write down what they should send.
  ///
  /// - Parameters:
  ///   - name: The name of the test function.
  ///   - source: The expression in Swift for an element, which also decides which elements are equal.
  public func marbleTest<Value>(
    named name: String, _ source: (Value) -> String = { String(reflecting: $0) }
  ) -> String where Element == Recorded<Event<Value>> {
    // An element's letter is that of the first one with the same expression.
    var expressions: [String] = []
    let signs: [(time: Int, sign: String)] = map { record in
      switch record.value {
      case .next(let value):
        let text = source(value)
        let index = expressions.firstIndex(of: text) ?? expressions.count
        if index == expressions.count { expressions.append(text) }
        return (record.time, Self.letter(index))
      case .completed: return (record.time, "|")
      case .error: return (record.time, "#")
      }
    }
    let names = expressions.indices.map { Self.letter($0) }
    let values = zip(names, expressions).map { "    \"\($0)\": \($1),\n" }.joined()
    let (setUp, events, expected) =
      if let diagram = Self.diagram(signs), names.allSatisfy({ $0.count == 1 }) {
        (
          "let values: [Character: \(Value.self)] = [\n\(values)  ]",
          "try scheduler.createColdObservable(\"\(diagram)\", values: values)",
          "(try .marbles(\"\(diagram)\", values: values))"
        )
      } else {
        (
          "let events: [Recorded<Event<\(Value.self)>>] = [\n\(lines(source))  ]",
          "scheduler.createColdObservable(events)",
          "events.map { Recorded(time: $0.time + 200, value: $0.value) }"
        )
      }
    return """
      @Test func \(name)() throws {
        let scheduler = TestScheduler(initialClock: 0)
        \(setUp)
        let source = \(events)
        let result = scheduler.start(disposed: \((last?.time ?? 0) + 1 + TestScheduler.Defaults.subscribed)) { source }
        #expect(result.events == \(expected))
      }

      """
  }

  /// a to z, A to Z, then longer names, which no marble string can have.
  private static func letter(_ index: Int) -> String {
    let letters = Array<Character>("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return index < letters.count ? String(letters[index]) : "v\(index)"
  }

  /// The marble string; `nil` if the events of a tick take more room than there is before the next.
  private static func diagram(_ signs: [(time: Int, sign: String)]) -> String? {
    var text = ""
    var rest = signs[...]
    while let time = rest.first?.time {
      let group = rest.prefix { $0.time == time }.map(\.sign)
      guard text.count <= time, time <= 10_000 else { return nil }
      text += String(repeating: "-", count: time - text.count)
      text += group.count == 1 ? group[0] : "(\(group.joined()))"
      rest = rest.dropFirst(group.count)
    }
    return text
  }

  private func lines<Value>(_ source: (Value) -> String) -> String where Element == Recorded<Event<Value>> {
    map { record in
      switch record.value {
      case .next(let value): "    .next(\(record.time), \(source(value))),\n"
      case .completed: "    .completed(\(record.time)),\n"
      case .error: "    .error(\(record.time), MarbleFailure()),\n"
      }
    }.joined()
  }
}
