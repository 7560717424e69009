/// One event.
public struct ServerEvent: Sendable {
  /// The kind of event; a text of the program.
  public var name: StaticString
  /// One line.
  public var data: [UInt8]

  /// Creates an event.
  public init(_ name: StaticString, data: [UInt8]) {
    self.name = name
    self.data = data
  }

  /// The bytes of the event on the connection.
  func message(id: String) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(data.count + 96)
    message += "id: \(id)\nevent: \(name)\ndata: ".utf8
    message += data
    message += "\n\n".utf8
    return message
  }
}
