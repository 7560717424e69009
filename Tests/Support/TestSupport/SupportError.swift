package struct SupportError: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
