import Rx
import RxTestSupport

/// The events that `source` sends while it is being subscribed to, and its end, as lines.
func log<Element: Sendable>(_ source: Observable<Element>) -> [String] {
  let log = Recorder<String>()
  log.subscribe(to: source).dispose()
  return log.values
}

func log<Element: Sendable>(_ maybe: Maybe<Element>) -> [String] {
  let log = Recorder<String>()
  maybe.subscribe(
    onSuccess: { log.record("success \($0)") }, onError: { log.record("error \($0)") },
    onCompleted: { log.record("completed") }, onDisposed: { log.record("disposed") }
  ).dispose()
  return log.values
}

func log<Element: Sendable>(_ single: Single<Element>) -> [String] {
  let log = Recorder<String>()
  single.subscribe(
    onSuccess: { log.record("success \($0)") }, onFailure: { log.record("failure \($0)") },
    onDisposed: { log.record("disposed") }
  ).dispose()
  return log.values
}

func log(_ completable: Completable) -> [String] {
  let log = Recorder<String>()
  completable.subscribe(
    onCompleted: { log.record("completed") }, onError: { log.record("error \($0)") },
    onDisposed: { log.record("disposed") }
  ).dispose()
  return log.values
}

func log<Element: Sendable>(_ infallible: Infallible<Element>) -> [String] {
  let log = Recorder<String>()
  infallible.subscribe(
    onNext: { log.record("\($0)") }, onCompleted: { log.record("completed") }, onDisposed: { log.record("disposed") }
  ).dispose()
  return log.values
}
