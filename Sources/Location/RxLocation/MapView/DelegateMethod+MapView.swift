public import HeadlessMap
public import RxBinding

extension DelegateMethod
where Delegate == any MapViewDelegate, Arguments == (mapView: MapView, region: CoordinateRegion, animated: Bool) {
  /// `mapView(_:regionWillChangeAnimated:)`; the region is the one that is shown still.
  public static var regionWillChange: Self { Self() }

  /// `mapView(_:regionDidChangeAnimated:)`; the region is the new one.
  public static var regionDidChange: Self { Self() }
}

extension DelegateMethod
where Delegate == any MapViewDelegate, Arguments == (mapView: MapView, region: CoordinateRegion) {
  /// `mapViewDidChangeVisibleRegion(_:)`; the region is the new one.
  public static var didChangeVisibleRegion: Self { Self() }
}
