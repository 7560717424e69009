/// A time for a person, such as "0.25 s" or "15 s".
public func secondsText(_ seconds: Double) -> String {
  let rounded = (seconds * 100).rounded() / 100
  return (Int(exactly: rounded).map(String.init) ?? String(rounded)) + " s"
}
