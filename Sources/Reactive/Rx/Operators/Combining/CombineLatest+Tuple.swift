extension ObservableType where Element == any Sendable {
  /// The latest elements, at each one once all have one (RxSwift's `combineLatest`).
  public static func combineLatest<O1: ObservableType, O2: ObservableType>(
    _ source1: O1, _ source2: O2
  ) -> Observable<(O1.Element, O2.Element)> {
    .join(.latest) { inputs in
      let (s1, s2) = (inputs.add(source1), inputs.add(source2))
      return { try (s1.take(), s2.take()) }
    }
  }

  /// The latest elements, at each one once all have one (RxSwift's `combineLatest`).
  public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
    _ source1: O1, _ source2: O2, _ source3: O3
  ) -> Observable<(O1.Element, O2.Element, O3.Element)> {
    .join(.latest) { inputs in
      let (s1, s2, s3) = (inputs.add(source1), inputs.add(source2), inputs.add(source3))
      return { try (s1.take(), s2.take(), s3.take()) }
    }
  }

  /// The latest elements, at each one once all have one (RxSwift's `combineLatest`).
  public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType>(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4
  ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element)> {
    .join(.latest) { inputs in
      let (s1, s2, s3, s4) = (inputs.add(source1), inputs.add(source2), inputs.add(source3), inputs.add(source4))
      return { try (s1.take(), s2.take(), s3.take(), s4.take()) }
    }
  }

  /// The latest elements, at each one once all have one (RxSwift's `combineLatest`).
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5
  ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element)> {
    .join(.latest) { inputs in
      let (s1, s2, s3, s4, s5) = (
        inputs.add(source1), inputs.add(source2), inputs.add(source3), inputs.add(source4), inputs.add(source5)
      )
      return { try (s1.take(), s2.take(), s3.take(), s4.take(), s5.take()) }
    }
  }

  /// The latest elements, at each one once all have one (RxSwift's `combineLatest`).
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
    O6: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6
  ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element)> {
    .join(.latest) { inputs in
      let (s1, s2, s3, s4, s5, s6) = (
        inputs.add(source1), inputs.add(source2), inputs.add(source3), inputs.add(source4), inputs.add(source5),
        inputs.add(source6)
      )
      return { try (s1.take(), s2.take(), s3.take(), s4.take(), s5.take(), s6.take()) }
    }
  }

  /// The latest elements, at each one once all have one (RxSwift's `combineLatest`).
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
    O6: ObservableType, O7: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7
  ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)> {
    .join(.latest) { inputs in
      let (s1, s2, s3, s4, s5, s6, s7) = (
        inputs.add(source1), inputs.add(source2), inputs.add(source3), inputs.add(source4), inputs.add(source5),
        inputs.add(source6), inputs.add(source7)
      )
      return { try (s1.take(), s2.take(), s3.take(), s4.take(), s5.take(), s6.take(), s7.take()) }
    }
  }

  /// The latest elements, at each one once all have one (RxSwift's `combineLatest`).
  public static func combineLatest<
    O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
    O6: ObservableType, O7: ObservableType, O8: ObservableType
  >(
    _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
    _ source8: O8
  ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element)> {
    .join(.latest) { inputs in
      let (s1, s2, s3, s4, s5, s6, s7, s8) = (
        inputs.add(source1), inputs.add(source2), inputs.add(source3), inputs.add(source4), inputs.add(source5),
        inputs.add(source6), inputs.add(source7), inputs.add(source8)
      )
      return { try (s1.take(), s2.take(), s3.take(), s4.take(), s5.take(), s6.take(), s7.take(), s8.take()) }
    }
  }
}
