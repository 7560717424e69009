import Rx
import RxTestSupport
import Testing

/// The forms that take an object call their closures with it while it is there, and do not keep it.
@Suite(.leavesNoResources, .inTurn) struct WithObjectTests {
  private struct Form: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What is recorded of 1 and the completion, and of 1 and an error.
    let completed, failed: String
    let subscribe: @Sendable (Observable<Int>, Captured, Recorder<String>) -> any Disposable
  }

  @Test(arguments: [
    Form(testDescription: "observable", completed: "1 | -", failed: "1 first -") { source, owner, log in
      source.subscribe(
        with: owner, onNext: { log.record("\($1)") }, onError: { log.record("\($1)") },
        onCompleted: { _ in log.record("|") }, onDisposed: { _ in log.record("-") })
    },
    Form(testDescription: "single", completed: "1 -", failed: "first -") { source, owner, log in
      source.asSingle().subscribe(
        with: owner, onSuccess: { log.record("\($1)") }, onFailure: { log.record("\($1)") },
        onDisposed: { _ in log.record("-") })
    },
    Form(testDescription: "maybe", completed: "1 -", failed: "first -") { source, owner, log in
      source.asMaybe().subscribe(
        with: owner, onSuccess: { log.record("\($1)") }, onError: { log.record("\($1)") },
        onCompleted: { _ in log.record("|") }, onDisposed: { _ in log.record("-") })
    },
    Form(testDescription: "empty maybe", completed: "| -", failed: "first -") { source, owner, log in
      source.filter { _ in false }.asMaybe().subscribe(
        with: owner, onSuccess: { log.record("\($1)") }, onError: { log.record("\($1)") },
        onCompleted: { _ in log.record("|") }, onDisposed: { _ in log.record("-") })
    },
    Form(testDescription: "completable", completed: "| -", failed: "first -") { source, owner, log in
      source.ignoreElements().asCompletable().subscribe(
        with: owner, onCompleted: { _ in log.record("|") }, onError: { log.record("\($1)") },
        onDisposed: { _ in log.record("-") })
    },
    Form(testDescription: "infallible", completed: "1 | -", failed: "1 9 | -") { source, owner, log in
      source.asInfallible(onErrorJustReturn: 9).subscribe(
        with: owner, onNext: { log.record("\($1)") }, onCompleted: { _ in log.record("|") },
        onDisposed: { _ in log.record("-") })
    },
    Form(testDescription: "bind", completed: "1", failed: "1 9") { source, owner, log in
      source.catchAndReturn(9).bind(with: owner, onNext: { log.record("\($1)") })
    },
  ])
  private func theObjectIsUsedWhileItIsThere(form: Form) {
    for (end, expected) in [(Event<Int>.completed, form.completed), (.error(TestError.first), form.failed)] {
      let (source, owner, log) = (PublishSubject<Int>(), Captured(), Recorder<String>())
      _ = form.subscribe(source, owner, log)
      source.onNext(1)
      source.on(end)
      withExtendedLifetime(owner) { #expect(log.values.joined(separator: " ") == expected) }
    }
    let (source, log) = (PublishSubject<Int>(), Recorder<String>())
    var owner: Captured? = Captured()
    weak let held = owner
    _ = owner.map { form.subscribe(source, $0, log) }
    owner = nil
    #expect(held == nil)
    source.onNext(1)
    source.onCompleted()
    #expect(log.values == [])
  }
}
