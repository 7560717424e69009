/// How many there are of a thing: "1 record", "2 records".
///
/// - Parameters:
///   - number: How many.
///   - one: What one of them is called, perhaps with what is said of it: "record was".
///   - several: What others are called; without it `one` with an s.
public func counted(_ number: Int, _ one: String, _ several: String? = nil) -> String {
  "\(number) \(number == 1 ? one : several ?? one + "s")"
}
