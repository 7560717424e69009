@main
enum RxLocationD {
  static func main() {}
}
