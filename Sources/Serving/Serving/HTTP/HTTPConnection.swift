import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// One connection: one request, one answer, then the end. It is confined to its event loop.
final class HTTPConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let server: HTTPConnections
  let isRefused: Bool
  private var isAnswered = false
  private var isDone = false
  private var work: HTTPWork?
  private var alarm: Scheduled<Void>?
  /// The number of unsent bytes of the answer when the alarm was last set.
  private var left = Int.max
  private var isStream = false
  private var context: ChannelHandlerContext?

  init(_ server: HTTPConnections, isRefused: Bool) { (self.server, self.isRefused) = (server, isRefused) }

  /// Whether the connection waits for the client, which has not sent a request, or has its answer and has not closed.
  var waitsForClient: Bool { !isAnswered || isDone }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) { setAlarm(context) }

  func channelInactive(context: ChannelHandlerContext) {
    alarm?.cancel()
    alarm = nil
    if let work { server.leave(work) }
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // The bytes after the head are read and ignored, because unread bytes would reset the connection before the answer
    // arrives.
    guard case .head(let head) = unwrapInboundIn(data), !isAnswered else { return }
    if isRefused { return refuse("too many connections; try again later\n", head, context) }
    let request = HTTPRequest(head)
    guard server.hosts.accepts(request.fields("Host"), at: context.localAddress?.ipAddress) else {
      let text = "this server has another name; use a name or address that it listens on\n"
      return answer(HTTPResponse(status: 421, text: text), to: head, context)
    }
    guard let route = server.route(request.path) else {
      return answer(
        HTTPResponse(status: 404, text: "there is nothing here; the paths are \(server.paths)\n"), to: head, context)
    }
    let methods: [HTTPMethod] = if case .command = route { [.POST] } else { [.GET, .HEAD] }
    guard methods.contains(head.method) else {
      let names = methods.map(\.rawValue)
      var response = HTTPResponse(status: 405, text: "only \(names.joined(separator: " and "))\n")
      response.fields.append(("Allow", names.joined(separator: ", ")))
      return answer(response, to: head, context)
    }
    switch route {
    case .answer(let body): answer(body(request), to: head, context)
    case .command(let body):
      guard request.isOfThisSite else {
        let text = "only this server's own pages may give commands\n"
        return answer(HTTPResponse(status: 403, text: text), to: head, context)
      }
      answer(body(request), to: head, context)
    case .blocking(let body):
      isAnswered = true
      alarm?.cancel()
      NIOThreadPool.singleton.runIfActive(eventLoop: context.eventLoop) { body(request) }.assumeIsolated()
        .whenSuccess { [self] response in
          // The client may have left in the meantime.
          if let context = self.context { answer(response, to: head, context) }
        }
    case .computed(let weight, let body): compute(body, request, weight(request), head, context)
    case .events(let events): begin(events, request, head, context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Errors after the request are ignored; the loop itself closes a connection that fails.
    guard !isAnswered else { return }
    guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
    let status =
      switch error {
      case .headerOverflow: HTTPResponseStatus.requestHeaderFieldsTooLarge
      case .invalidVersion: HTTPResponseStatus.httpVersionNotSupported
      default: HTTPResponseStatus.badRequest
      }
    answer(HTTPResponse(status: Int(status.code), text: "\(status.code) \(status.reasonPhrase)\n"), to: nil, context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
    // A client that has closed its sending side without an answer never sent a request. A client of an event stream, or
    // of an answer that is being computed, has left: TCP does not distinguish that from a client that still reads.
    if !isAnswered || isStream || work != nil { context.close(promise: nil) }
  }

  private func compute(
    _ body: @escaping @Sendable (HTTPRequest) -> HTTPResponse, _ request: HTTPRequest, _ weight: Double,
    _ head: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    let work = HTTPWork(weight: weight)
    var request = request
    request.work = work
    let isTaken = server.begin(work) { [self, request] in
      let response = context.eventLoop.makePromise(of: HTTPResponse?.self)
      response.futureResult.assumeIsolated().whenSuccess { [self] response in
        server.end(work)
        self.work = nil
        // The client may have left in the meantime.
        if let response, let context = self.context { answer(response, to: head, context) }
      }
      do {
        try Thread.start { response.succeed(request.goesOn() ? body(request) : nil) }
      } catch {
        let failure = HTTPResponse(status: 503, text: "cannot compute this: \(error)\n")
        context.eventLoop.execute { response.succeed(failure) }
      }
    }
    guard isTaken else { return refuse("too many such requests at once; try again later\n", head, context) }
    (isAnswered, self.work) = (true, work)
    alarm?.cancel()
  }

  private func refuse(_ text: String, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    var response = HTTPResponse(status: 503, text: text)
    response.fields.append(("Retry-After", "10"))
    answer(response, to: head, context)
  }

  private func answer(_ response: HTTPResponse, to request: HTTPRequestHead?, _ context: ChannelHandlerContext) {
    isAnswered = true
    setAlarm(context)
    var headers = HTTPHeaders(response.fields)
    headers.replaceOrAdd(name: "X-Content-Type-Options", value: "nosniff")
    headers.replaceOrAdd(name: "Content-Length", value: String(response.body.count))
    headers.replaceOrAdd(name: "Connection", value: "close")
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if request?.method != .HEAD {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      // The client closes the connection when it has the answer, or has closed its side before; otherwise the alarm
      // does.
      self.isDone = true
      context.close(mode: .output, promise: nil)
    }
  }

  /// Closes the connection if it has sent no request, or read nothing of the answer, by the end of the timeout.
  private func setAlarm(_ context: ChannelHandlerContext) {
    alarm?.cancel()
    alarm = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(server.limits.timeout)) { [self] in
      let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      guard isAnswered && waiting > 0 && waiting < left else { return context.close(promise: nil) }
      left = waiting
      setAlarm(context)
    }
  }

  // MARK: Event streams

  private func begin(
    _ events: HTTPEvents, _ request: HTTPRequest, _ head: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    guard head.method == .GET else {
      return answer(HTTPResponse(contentType: "text/event-stream", body: []), to: head, context)
    }
    guard server.beginStream(on: context.channel) else {
      return refuse("too many clients follow the events; try again later\n", head, context)
    }
    (isAnswered, isStream) = (true, true)
    alarm?.cancel()
    var fields = events.fields
    fields += [
      ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
      // A proxy would buffer events.
      ("X-Accel-Buffering", "no"), ("Connection", "close"),
    ]
    // HTTP/1.0 has no chunks: the end of the connection ends the answer.
    let version = head.version.minor == 0 ? HTTPVersion.http1_0 : .http1_1
    context.writeAndFlush(
      wrapOutboundOut(.head(HTTPResponseHead(version: version, status: .ok, headers: HTTPHeaders(fields)))),
      promise: nil)
    do {
      try events.addClient(context.channel, request[field: "Last-Event-ID"])
    } catch {
      context.close(promise: nil)
    }
  }
}

/// Passes only the first bytes of a connection to the decoder; they must contain the head.
final class HTTPHeadLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private var left: Int
  private var isOver = false

  init(bytes: Int) { left = bytes }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if left > 0, let head = bytes.readSlice(length: min(left, bytes.readableBytes)) {
      left -= head.readableBytes
      context.fireChannelRead(wrapInboundOut(head))
    }
    guard bytes.readableBytes > 0, !isOver else { return }
    isOver = true
    // After an answer these are bytes that follow the request and are ignored.
    context.fireErrorCaught(HTTPParserError.headerOverflow)
  }
}
