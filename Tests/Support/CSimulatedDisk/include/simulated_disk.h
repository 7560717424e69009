// A disk for SQLite that keeps writes without a sync apart, and loses or tears them when its power is cut.
#include <stdbool.h>
#include <stdint.h>

/// Makes the disk the default of SQLite in this process. Files outside the folders of a disk are not affected.
void simulated_disk_install(void);

/// Puts the files of a folder on a disk. The files exist on the host's disk, too, where the program sees all writes.
///
/// - Parameters:
///   - folder: The absolute path without a slash at its end. The caller keeps it until `simulated_disk_remove`.
///   - seed: What a power cut loses.
void simulated_disk_add(const char *folder, uint64_t seed);
void simulated_disk_remove(const char *folder);

/// The bytes that fit on the disk; negative for no limit.
void simulated_disk_set_capacity(const char *folder, int64_t bytes);

/// Lets writes and syncs fail: after `count` more of them, either one or all that follow.
void simulated_disk_fail(const char *folder, int64_t count, bool forever);

/// The writes, syncs and deletions so far.
int64_t simulated_disk_operations(const char *folder);

/// Cuts the power after `count` more writes, syncs and deletions. From then on all of them fail.
void simulated_disk_cut(const char *folder, int64_t count);
bool simulated_disk_is_cut(const char *folder);

/// Turns the power on again, after the program has closed its files: each file has what was synced, and a random part of
/// what was not, down to sectors of 512 bytes.
void simulated_disk_restore(const char *folder);

/// Lets the program's next run continue with everything that was written, as after a kill.
void simulated_disk_continue(const char *folder);
