import Foundation
import Rx
import RxBlocking
import RxFoundation
import RxTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn) struct URLSessionTests {
  /// What the sequence of a request sends, if a server answers so.
  private func answer<Result>(
    _ body: String, status: String = "200 OK", _ ask: (URLRequest) -> Observable<Result>
  ) throws -> Result {
    let listener = try LoopbackSocket.listener()
    let server = Thread {
      guard let client = try? listener.accept(), client.receive() != nil else { return }
      client.send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
      _ = client.receive(within: 5)
    }
    server.start()
    let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(listener.port)/")))
    return try ask(request).toBlocking(timeout: 60).single()
  }

  private var rx: Reactive<URLSession> { URLSession.shared.rx }

  @Test func theAnswerIsThereWhateverItsStatus() throws {
    let (response, data) = try answer("gone", status: "404 Not Found") { rx.response(request: $0) }
    #expect(response.statusCode == 404)
    #expect(data == Data("gone".utf8))
  }

  @Test func dataAndText() throws {
    #expect(try answer("å") { rx.data(request: $0).debug() } == Data("å".utf8))
    #expect(try answer("å") { rx.string(request: $0) } == "å")
    let error = #expect(throws: RxCocoaURLError.self) { try answer("no", status: "500 No") { rx.data(request: $0) } }
    #expect(try answer("a", status: "299 Yes") { rx.string(request: $0) } == "a")
    #expect(throws: RxCocoaURLError.self) { try answer("a", status: "300 Choose") { rx.string(request: $0) } }
    guard case .httpRequestFailed(let response, let data?) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(response.statusCode == 500 && data == Data("no".utf8))
  }

  @Test func json() throws {
    let json = try answer(#"{"a": [1, 1.5, true, "x", null, 0, false]}"#) { rx.json(request: $0) }
    let object = try #require(json as? [String: Any])
    let array = try #require(object["a"] as? [any Sendable])
    #expect(array.map { "\(type(of: $0)) \($0)" }.prefix(4) == ["Int 1", "Double 1.5", "Bool true", "String x"])
    #expect(array.map { "\(type(of: $0)) \($0)" }.suffix(2) == ["Int 0", "Bool false"])
    #expect(array[4] is NSNull)
    let error = #expect(throws: RxCocoaURLError.self) { try answer("{") { rx.json(request: $0) } }
    guard case .deserializationError = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func decodes() throws {
    struct Place: Decodable, Equatable {
      let name: String
    }
    let places = try answer(#"[{"name": "Ulm"}]"#) {
      rx.data(request: $0).decode(type: [Place].self, decoder: JSONDecoder())
    }
    #expect(places == [Place(name: "Ulm")])
  }

  @Test func failsWithTheSessionsError() throws {
    let listener = try LoopbackSocket.listener()
    let port = listener.port
    listener.close()
    let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/")))
    #expect(throws: URLError.self) { try rx.response(request: request).toBlocking(timeout: 60).single() }
  }

  @Test func disposalCancelsTheRequest() async throws {
    let listener = try LoopbackSocket.listener()
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(listener.port)/")))
    request.timeoutInterval = 600
    let subscription = rx.response(request: request).subscribe(onNext: { _ in }, onError: { _ in })
    let client = try listener.accept()
    subscription.dispose()
    // The end of the connection, which the session's own timeout would bring later.
    #expect(await eventually { client.receive(within: 0.01)?.isEmpty == true })
  }
}

@Suite(.inTurn) struct OperationQueueSchedulerTests {
  @Test func actionsAreOperationsOfTheQueue() throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let scheduler = OperationQueueScheduler(operationQueue: queue, queuePriority: .high)
    let onQueue = Observable.of(1, 2, 3).observe(on: scheduler).map { ($0, OperationQueue.current === queue) }
    let elements = try onQueue.toBlocking(timeout: 60).toArray()
    #expect(elements.map(\.0) == [1, 2, 3])
    #expect(elements.filter { !$0.1 }.isEmpty)
  }

  @Test func theOperationsHaveThePriorityOfTheirScheduler() async {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let ran = Recorder<String>()
    for (name, priority) in [("low", Operation.QueuePriority.veryLow), ("high", .veryHigh)] {
      let scheduler = OperationQueueScheduler(operationQueue: queue, queuePriority: priority)
      scheduler.perform(name) { name in ran.record(name) }
    }
    queue.isSuspended = false
    #expect(await eventually { ran.values.count == 2 })
    #expect(ran.values == ["high", "low"])
  }

  @Test func whatWasCancelledDoesNotRun() async {
    let queue = OperationQueue()
    queue.isSuspended = true
    let ran = Recorder<Int>()
    let scheduler = OperationQueueScheduler(operationQueue: queue)
    let first = scheduler.perform(1) { element in ran.record(element) }
    scheduler.perform(2) { element in ran.record(element) }
    first.dispose()
    queue.isSuspended = false
    #expect(await eventually { !ran.values.isEmpty })
    #expect(ran.values == [2])
  }
}
