import Foundation
import LocationKit
import Rx
import RxBinding
import RxLocation
import TestSupport
import Testing

@testable import Monitor

@MainActor @Suite(.inTurn) struct MessagesViewModelTests {
  private let statuses = PublishSubject<LocationSourceStatus>()
  private let locations = PublishSubject<Location>()
  private let errors = PublishSubject<LocationError>()
  private let doubts = PublishSubject<Doubts>()
  private let end = PublishSubject<Void>()
  private let others = PublishSubject<(Message.Level, String)>()
  private let bag = DisposeBag()

  private func output(isReplay: Bool = false, now: Date? = nil) -> MessagesViewModel.Output {
    MessagesViewModel(name: "localhost:2947", isReplay: isReplay, now: { now }).transform(
      input: .init(
        status: statuses.asObservable(), location: locations.asObservable(), error: errors.asObservable(),
        doubts: doubts.asObservable(), crossing: .never(), end: end.asObservable(), remarks: others.asObservable()))
  }

  private func lines(_ output: MessagesViewModel.Output) -> BehaviorRelay<[String]> {
    let lines = BehaviorRelay<[String]>(value: [])
    output.messages.map { $0.map(\.line) }.drive(lines).disposed(by: bag)
    return lines
  }

  @Test func eachLossIsSaidOnce() {
    let lines = lines(output())
    statuses.onNext(.connecting)
    statuses.onNext(.connected(devices: []))
    statuses.onNext(.waiting(reason: "connection refused", retryIn: 1))
    statuses.onNext(.connecting)
    statuses.onNext(.waiting(reason: "connection refused", retryIn: 2))
    errors.onNext(LocationError(.network, "no gpsd: connection refused"))
    errors.onNext(LocationError(.locationUnknown, "no fix for 10 s"))
    errors.onNext(LocationError(.locationUnknown, "no fix for 10 s"))
    statuses.onNext(.connected(devices: []))
    locations.onNext(fix())
    locations.onNext(fix(1))
    #expect(
      lines.value == [
        "12:00:00  there is a fix", "localhost:2947 is connected", "the fix is lost: no fix for 10 s",
        "localhost:2947 is lost: connection refused", "localhost:2947 is connected",
      ])
  }

  @Test func aSourceThatWasNeverThereIsNotLost() {
    let lines = lines(output())
    statuses.onNext(.waiting(reason: "connection refused", retryIn: 1))
    statuses.onNext(.waiting(reason: "connection refused", retryIn: 2))
    statuses.onNext(.connected(devices: []))
    statuses.onNext(.waiting(reason: "connection refused", retryIn: 1))
    #expect(
      lines.value == [
        "localhost:2947 is lost: connection refused", "localhost:2947 is connected",
        "no gpsd at localhost:2947: connection refused",
      ])
  }

  @Test func eachDoubtIsSaidOnce() {
    let lines = lines(output())
    doubts.onNext(.date)
    doubts.onNext([.date, .receiver])
    doubts.onNext(.receiver)
    doubts.onNext([])
    #expect(
      lines.value == [
        "the fix is no longer in doubt", "the fix is in doubt: the receiver reports jamming or a fault of its antenna",
        "the fix is in doubt: the date is impossible",
      ])
  }

  @Test func theNoticeIsTheLastOfThem() {
    let notices = output().notice.recorded(in: bag)
    var last: Message? { notices.values.last ?? nil }
    #expect(last == nil)
    errors.onNext(LocationError(.locationUnknown, "no fix"))
    #expect(last?.level == .loss)
    others.onNext((.warning, "something else"))
    #expect(last?.level == .loss)
    locations.onNext(fix())
    #expect(last?.level == .good)
    end.onNext(())
    #expect(last?.text == "localhost:2947 has ended")
  }

  @Test func aRecordingThatCannotBeReadSaysWhy() {
    let lines = lines(output(isReplay: true))
    errors.onNext(LocationError(.network, "drive.nmea: input/output error"))
    #expect(lines.value == ["drive.nmea: input/output error"])
  }

  @Test func theFixHasTheTimeOfMessages() {
    let lines = lines(output(now: fix(-3600).timestamp))
    others.onNext((.plain, "before"))
    locations.onNext(fix())
    others.onNext((.plain, "after"))
    #expect(lines.value == ["12:00:00  after", "12:00:00  there is a fix", "11:00:00  before"])
  }

  @Test func aHundredAreKept() {
    let lines = lines(output())
    for number in 0..<150 { others.onNext((.plain, "message \(number)")) }
    #expect(lines.value.count == 100)
    #expect(lines.value.first == "message 149")
  }
}
