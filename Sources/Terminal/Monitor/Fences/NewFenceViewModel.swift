import LocationKit
import Platform
import Rx
import RxBinding

/// The dialog that makes a fence where the receiver is.
struct NewFenceViewModel {
  struct Input {
    let name: Driver<String>
    /// Metres, as they are written.
    let radius: Driver<String>
  }

  struct Output {
    /// Whether the input is a valid fence.
    let isValid: Driver<Bool>
    /// The fence; `nil` while the input is not a valid fence.
    let fence: Driver<CircularRegion?>
    /// The input that is still missing.
    let hint: Driver<String>
  }

  let center: LocationCoordinate2D
  /// The names that are taken.
  let names: Set<String>

  @MainActor
  func transform(input: Input) -> Output {
    let (center, names) = (center, names)
    let name = input.name.map { $0.isEmpty || names.contains($0) ? nil : $0 }
    let radius = input.radius.map { text in
      Double(decimal: text).flatMap { $0 > 0 && $0 <= CircularRegion.maximumRadius ? $0 : nil }
    }
    let fence = Driver.combineLatest(name, radius) { name, radius -> CircularRegion? in
      guard let name, let radius else { return nil }
      return CircularRegion(center: center, radius: radius, identifier: name)
    }
    let hint = Driver.combineLatest(name, radius, input.name) { name, radius, written in
      if name == nil { return written.isEmpty ? "It needs a name." : "There is a fence of that name." }
      return radius == nil ? "The radius is a number of metres above 0." : ""
    }
    return Output(isValid: fence.map { $0 != nil }, fence: fence, hint: hint)
  }
}
