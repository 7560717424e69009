enum Failure: Error, Equatable {
  case offline
}
