import Glibc

/// Has a process that is spawned close everything from `lowest` on: an end of a pipe or socket that another test makes
/// at this moment, and has not marked yet, would keep that test waiting for its end for as long as the process runs.
///
/// glibc's `posix_spawn_file_actions_addclosefrom_np` is not in the Glibc module. To close what is not open is no error.
public func addCloseFrom(_ lowest: Int32, to actions: inout posix_spawn_file_actions_t) {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  for descriptor in lowest..<Int32(clamping: min(limit.rlim_cur, 4096)) {
    posix_spawn_file_actions_addclose(&actions, descriptor)
  }
}
