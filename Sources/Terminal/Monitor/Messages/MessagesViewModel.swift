import FoundationEssentials
import LocationKit
import Rx
import RxBinding
import TerminalKit

/// The events, newest first: losses and recoveries, crossings, and remarks of the source.
struct MessagesViewModel {
  struct Input {
    let status: Observable<LocationSourceStatus>
    let location: Observable<Location>
    let error: Observable<LocationError>
    let doubts: Observable<Doubts>
    let crossing: Observable<RegionCrossing>
    let end: Observable<Void>
    let remarks: Observable<(Message.Level, String)>
  }

  struct Output {
    /// The newest hundred, newest first.
    let messages: Driver<[Message]>
    /// The last message about the source and the fix.
    let notice: Driver<Message?>
  }

  let name: String
  let isReplay: Bool
  /// The current time, for messages before the first fix.
  let now: @Sendable () -> Date?

  func transform(input: Input) -> Output {
    // Uses the receiver's time if there is one, so that a recording gives the same messages whenever it is played.
    let time = input.location.map { $0.timestamp }.startWith(nil)
    let notices = Observable.merge(sourceNotices(input), fixNotices(input), doubtNotices(input))
      .withLatestFrom(time) { [now] in Message(time: $1 ?? now(), level: $0.0, text: $0.1) }
      .share()
    let crossings = input.crossing.map { crossing in
      Message(
        time: crossing.location.timestamp, level: .warning,
        text: "\(crossing.state == .inside ? "entered" : "left") \(crossing.region.identifier)")
    }
    let remarks = input.remarks.withLatestFrom(time) { [now] in Message(time: $1 ?? now(), level: $0.0, text: $0.1) }
    let messages = Observable.merge(notices, crossings, remarks)
      .scan([Message]()) { Array(([$1] + $0).prefix(100)) }
      .startWith([])
    return Output(
      messages: messages.asDriver(onErrorJustReturn: []),
      notice: notices.map { $0 }.startWith(nil).asDriver(onErrorJustReturn: nil))
  }

  /// One message for each loss of the source, however many retries follow, and one for its return.
  private func sourceNotices(_ input: Input) -> Observable<(Message.Level, String)> {
    let name = name
    let status = input.status.map { status -> (isConnected: Bool?, reason: String) in
      switch status {
      case .connected: (true, "")
      case .waiting(let reason, _): (false, reason)
      case .idle, .connecting, .finished: (nil, "")
      }
    }
    .filter { $0.isConnected != nil }
    .distinctUntilChanged { $0.isConnected == $1.isConnected }
    // Only a source that was there before is lost.
    let changes = status.enumerated().map { index, status -> (Message.Level, String) in
      if status.isConnected == true { return (.good, "\(name) is connected") }
      return (.loss, index > 0 ? "\(name) is lost: \(status.reason)" : "no gpsd at \(name): \(status.reason)")
    }
    let end = input.end.map { (Message.Level.plain, "\(name) has ended") }
    return Observable.merge(changes, end)
  }

  /// One message for each loss of the fix, and one for its return.
  private func fixNotices(_ input: Input) -> Observable<(Message.Level, String)> {
    let losses = input.error.filter { $0.code == .locationUnknown }.map { (false, "the fix is lost: \($0.message)") }
    let fixes = input.location.map { _ in (true, "there is a fix") }
    // The failures of a live connection repeat its status; a recording has no such status.
    let failures = input.error.filter { [isReplay] in $0.code != .locationUnknown && (isReplay || $0.code != .network) }
      .map { (Message.Level.warning, $0.message) }
    let changes = Observable.merge(losses, fixes)
      .distinctUntilChanged { $0.0 == $1.0 }
      .map { (hasFix, text) -> (Message.Level, String) in (hasFix ? .good : .loss, text) }
    return Observable.merge(changes, failures)
  }

  /// One message for each doubt that begins, and one when all have ended.
  private func doubtNotices(_ input: Input) -> Observable<(Message.Level, String)> {
    input.doubts.scan((before: Doubts(), now: Doubts())) { ($0.now, $1) }
      .flatMap { before, now -> Observable<(Message.Level, String)> in
        if now.isEmpty { return .just((.good, "the fix is no longer in doubt")) }
        return .from(now.subtracting(before).sentences.map { (.warning, "the fix is in doubt: \($0)") })
      }
  }
}

struct Message: Sendable, Equatable {
  enum Level: Sendable {
    case good, plain, warning, loss
  }

  var time: Date?
  var level: Level
  var text: String

  var style: Style {
    switch level {
    case .good: .color(.green)
    case .plain: .plain
    case .warning: .color(.yellow)
    case .loss: Style(color: .red, bold: true)
    }
  }

  var line: String { (time.map { UTCText.time($0) + "  " } ?? "") + text }
}
