import Rx
import RxTestSupport
import Testing

/// Operators with an asynchronous function. A `Door` is such a function that ends when it is told to.
@Suite(.inTurn) @MainActor struct AsyncMapTests {
  private actor Door {
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private(set) var begun: [Int] = []
    private(set) var cancelled: [Int] = []

    func pass(_ number: Int) async throws -> Int {
      begun.append(number)
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiting[number] = $0 }
      } onCancel: {
        Task { await self.cancel(number) }
      }
      try Task.checkCancellation()
      if number < 0 { throw TestError.first }
      return number * 10
    }

    func open(_ number: Int) { waiting.removeValue(forKey: number)?.resume() }

    private func cancel(_ number: Int) {
      cancelled.append(number)
      open(number)
    }
  }

  private let door = Door()
  private let source = PublishSubject<Int>()
  private let log = Recorder<String>()

  @Test func latestCancelsTheTaskBefore() async {
    log.subscribe(to: source.flatMapLatest { [door] in try await door.pass($0) })
    source.onNext(1)
    #expect(await eventually { await door.begun == [1] })
    source.onNext(2)
    #expect(await eventually { await door.cancelled == [1] })
    #expect(await eventually { await door.begun == [1, 2] })
    await door.open(2)
    #expect(await eventually { log.values == ["20"] })
    source.onCompleted()
    #expect(log.values == ["20", "completed", "disposed"])
  }

  @Test func mergedResultsComeWhenTheyAreThere() async {
    log.subscribe(to: source.flatMap { [door] in try await door.pass($0) })
    source.onNext(1)
    source.onNext(2)
    #expect(await eventually { await door.begun.sorted() == [1, 2] })
    await door.open(2)
    #expect(await eventually { log.values == ["20"] })
    await door.open(1)
    #expect(await eventually { log.values == ["20", "10"] })
  }

  @Test func concatenatedTasksRunOneAfterTheOther() async {
    log.subscribe(to: source.concatMap { [door] in try await door.pass($0) })
    source.onNext(1)
    source.onNext(2)
    source.onCompleted()
    #expect(await eventually { await door.begun == [1] })
    await door.open(1)
    #expect(await eventually { await door.begun == [1, 2] })
    await door.open(2)
    #expect(await eventually { log.values == ["10", "20", "completed", "disposed"] })
  }

  @Test func theFirstTaskKeepsOthersAway() async {
    let subscription = log.subscribe(to: source.flatMapFirst { [door] in try await door.pass($0) })
    source.onNext(1)
    #expect(await eventually { await door.begun == [1] })
    source.onNext(2)
    await door.open(1)
    #expect(await eventually { log.values == ["10"] })
    source.onNext(3)
    #expect(await eventually { await door.begun == [1, 3] })
    subscription.dispose()
    #expect(await eventually { await door.cancelled == [3] })
  }

  @Test func anErrorEndsTheSequence() async {
    log.subscribe(to: source.flatMapLatest { [door] in try await door.pass($0) })
    source.onNext(-1)
    #expect(await eventually { await door.begun == [-1] })
    await door.open(-1)
    #expect(await eventually { log.values == ["error(first)", "disposed"] })
    #expect(!source.hasObservers)
  }
}
