/// Something that makes values of data (RxSwift's `DataDecoder`): Foundation's `JSONDecoder` in the module RxFoundation, or
/// any other format's.
///
///     struct LineDecoder: DataDecoder {
///       func decode<Item: Decodable>(_ type: Item.Type, from data: String) throws -> Item { … }
///     }
public protocol DataDecoder<Input>: Sendable {
  /// The data to decode.
  associatedtype Input

  /// The value of the given type that `data` says.
  func decode<Item: Decodable>(_ type: Item.Type, from data: Input) throws -> Item
}

extension ObservableType {
  /// The values that `decoder` makes of the elements; what it throws ends the sequence (RxSwift's `decode`).
  public func decode<Item: Decodable & Sendable, Decoder: DataDecoder>(
    type: Item.Type, decoder: Decoder
  ) -> Observable<Item> where Decoder.Input == Element {
    map { try decoder.decode(type, from: $0) }
  }
}
