import NIOCore
import NIOHTTP1

/// One connection: one request, one answer, the end. Confined to its event loop.
final class HTTPConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let routes: [String: HTTPServer.Route]
  private let timeout: TimeAmount
  private var isAnswered = false
  private var alarm: Scheduled<Void>?
  /// How many bytes of the answer were not taken yet when the alarm was last set.
  private var waiting = Int.max

  init(routes: [String: HTTPServer.Route], timeout: TimeAmount) {
    self.routes = routes
    self.timeout = timeout
  }

  func channelActive(context: ChannelHandlerContext) {
    setAlarm(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    alarm?.cancel()
    alarm = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // What follows the head is read, so that closing does not reset the connection under the answer, and ignored.
    guard case .head(let head) = unwrapInboundIn(data), !isAnswered else { return }
    let request = HTTPRequest(head)
    guard let route = routes[request.path] else {
      let paths = routes.keys.sorted().joined(separator: ", ")
      return answer(HTTPResponse(status: 404, text: "there is nothing here, only at \(paths)\n"), to: head, context)
    }
    guard head.method == .GET || head.method == .HEAD else {
      var response = HTTPResponse(status: 405, text: "only GET and HEAD\n")
      response.fields.append(("Allow", "GET, HEAD"))
      return answer(response, to: head, context)
    }
    answer(route(request), to: head, context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // What follows a request is ignored, however wrong it is; the loop itself closes a connection that fails.
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
    // A client that sends no more and has no answer by now never asked.
    if !isAnswered { context.close(promise: nil) }
  }

  private func answer(_ response: HTTPResponse, to request: HTTPRequestHead?, _ context: ChannelHandlerContext) {
    isAnswered = true
    setAlarm(context)
    var headers = HTTPHeaders(response.fields.map { ($0.name, $0.value) })
    headers.replaceOrAdd(name: "Content-Length", value: String(response.body.count))
    headers.replaceOrAdd(name: "Connection", value: "close")
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if request?.method != .HEAD {
      context.write(
        wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: response.body)))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      // The client ends the connection when it has the answer, or has ended its side before; else the alarm does.
      context.close(mode: .output, promise: nil)
    }
  }

  /// Closes the connection when it has asked nothing, or taken nothing of the answer, by the end of the timeout.
  private func setAlarm(_ context: ChannelHandlerContext) {
    alarm?.cancel()
    alarm = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { [self] in
      let left = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      guard isAnswered, left > 0, left < waiting else { return context.close(promise: nil) }
      waiting = left
      setAlarm(context)
    }
  }
}

/// Lets the first bytes of a connection through to the decoder, and no others: the head must be among them.
final class HTTPHeadLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private var left: Int
  private var isOver = false

  init(bytes: Int) {
    left = bytes
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if left > 0, let head = bytes.readSlice(length: min(left, bytes.readableBytes)) {
      left -= head.readableBytes
      context.fireChannelRead(wrapInboundOut(head))
    }
    guard bytes.readableBytes > 0, !isOver else { return }
    isOver = true
    // Once there is an answer, this is what follows a request and is ignored.
    context.fireErrorCaught(HTTPParserError.headerOverflow)
  }
}
