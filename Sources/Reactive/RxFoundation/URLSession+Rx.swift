public import Foundation
public import Rx

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Why a request has failed, when it is not the session's own error (RxCocoa).
public enum RxCocoaURLError: Error, Sendable, CustomDebugStringConvertible {
  /// There is neither an answer nor an error.
  case unknown
  /// The answer is not one of HTTP.
  case nonHTTPResponse(response: URLResponse)
  /// The status is not one of success.
  case httpRequestFailed(response: HTTPURLResponse, data: Data?)
  /// The answer is not what it should be.
  case deserializationError(error: any Error)

  /// What happened, in words.
  public var debugDescription: String {
    switch self {
    case .unknown: "The request has neither a response nor an error."
    case .nonHTTPResponse(let response): "The response is not one of HTTP: \(response)"
    case .httpRequestFailed(let response, _): "The request failed with HTTP status \(response.statusCode)."
    case .deserializationError(let error): "The response cannot be read: \(error)"
    }
  }
}

extension Reactive where Base: URLSession {
  /// The answer to `request` with its body, whatever its status (RxCocoa). Each subscription makes the request, and
  /// disposal cancels it. Events come on the session's delegate queue. Fails with the session's error or
  /// ``RxCocoaURLError``.
  public func response(request: URLRequest) -> Observable<(response: HTTPURLResponse, data: Data)> {
    let session: URLSession = base
    return Observable.create { observer in
      let task = session.dataTask(with: request) { data, response, error in
        guard let response, let data else { return observer.onError(error ?? RxCocoaURLError.unknown) }
        guard let http = response as? HTTPURLResponse else {
          return observer.onError(RxCocoaURLError.nonHTTPResponse(response: response))
        }
        observer.onNext((http, data))
        observer.onCompleted()
      }
      task.resume()
      return Disposables.create(with: task.cancel)
    }
  }

  /// The body of the answer to `request`, as ``response(request:)``; fails when the status is not 200 to 299 (RxCocoa).
  public func data(request: URLRequest) -> Observable<Data> {
    response(request: request).map { response, data in
      guard 200..<300 ~= response.statusCode else {
        throw RxCocoaURLError.httpRequestFailed(response: response, data: data)
      }
      return data
    }
  }

  /// The body of the answer to `request` as text in UTF-8; as ``data(request:)``.
  public func string(request: URLRequest) -> Observable<String> {
    data(request: request).map { data in
      guard let text = String(data: data, encoding: .utf8) else {
        throw RxCocoaURLError.deserializationError(error: CocoaError(.fileReadInapplicableStringEncoding))
      }
      return text
    }
  }

  /// The JSON of the answer to `request`; as ``data(request:)`` (RxCocoa).
  ///
  /// RxCocoa's element is `Any`, which is not `Sendable`. This one is a `[String: any Sendable]`, an `[any Sendable]`,
  /// a `String`, a `Double`, an `Int`, a `Bool` or an `NSNull`; `as? [String: Any]` works as well. With a type of your
  /// own, `data(request:).decode(type:decoder:)` is shorter.
  public func json(request: URLRequest, options: JSONSerialization.ReadingOptions = []) -> Observable<any Sendable> {
    data(request: request).map { data in
      do {
        return sendable(try JSONSerialization.jsonObject(with: data, options: options))
      } catch {
        throw RxCocoaURLError.deserializationError(error: error)
      }
    }
  }

  /// The JSON at `url`; as ``json(request:options:)`` (RxCocoa).
  public func json(url: URL) -> Observable<any Sendable> { json(request: URLRequest(url: url)) }
}

extension JSONDecoder: DataDecoder {}

extension PropertyListDecoder: DataDecoder {}

/// A copy of what `JSONSerialization` has made, which no one else can change.
private func sendable(_ json: Any) -> any Sendable {
  switch json {
  case let object as [String: Any]: object.mapValues(sendable)
  case let array as [Any]: array.map(sendable)
  case let text as String: text
  case let number as NSNumber: sendable(number)
  default: NSNull()
  }
}

private func sendable(_ number: NSNumber) -> any Sendable {
  // JSONSerialization makes numbers of the type `char` of `true` and `false`.
  if String(cString: number.objCType) == "c" { return number.boolValue }
  return Int(exactly: number) ?? number.doubleValue
}
