import LocationKit
import Platform
import Rx
import RxBinding

/// The view model of the dialog that makes a fence at the receiver's position.
struct NewFenceViewModel {
  struct Input {
    let name: Driver<String>
    /// The metres that the user typed.
    let radius: Driver<String>
  }

  struct Output {
    /// Whether the input is a valid fence.
    let isValid: Driver<Bool>
    /// The fence; `nil` while the input is not a valid fence.
    let fence: Driver<CircularRegion?>
    /// A message about missing input.
    let hint: Driver<String>
  }

  let center: LocationCoordinate2D
  /// The names that are in use.
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
