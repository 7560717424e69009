#include "simulated_disk.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { sector = 512 };

// A write that was not synced; without data the file was truncated to `offset`.
struct change {
  struct change *next;
  int64_t offset;
  int length;
  unsigned char data[];
};

struct file {
  struct file *next;
  char path[PATH_MAX];
  // What survives a power cut for certain.
  unsigned char *synced;
  int64_t size;
  bool is_named;  // The folder has the name for certain.
  bool is_deleted;
  struct change *first, **last;
};

struct disk {
  struct disk *next;
  const char *folder;
  uint64_t random;
  int64_t capacity, operations, cut_at, fail_at;
  bool fails_forever, is_cut;
  struct file *files;
};

// An open file of SQLite. The real one follows it in memory.
struct handle {
  sqlite3_file base;
  struct disk *disk;
  struct file *file;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct disk *disks;
static sqlite3_vfs vfs;
// The host's files, and those of a disk: no other process uses them, so their locks need no calls to the system.
static sqlite3_vfs *host, *own;

static sqlite3_file *real(sqlite3_file *base) { return (sqlite3_file *)((struct handle *)base + 1); }

static void *must(void *memory) {
  if (!memory) abort();
  return memory;
}

static uint64_t next_random(struct disk *disk) {
  uint64_t value = disk->random += 0x9E3779B97F4A7C15;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return value ^ value >> 31;
}

static struct disk *disk_of(const char *path) {
  for (struct disk *disk = disks; disk; disk = disk->next) {
    size_t length = strlen(disk->folder);
    if (path && !strncmp(path, disk->folder, length) && path[length] == '/') return disk;
  }
  return NULL;
}

static struct disk *disk_at(const char *folder) {
  for (struct disk *disk = disks; disk; disk = disk->next)
    if (!strcmp(disk->folder, folder)) return disk;
  abort();
}

// Counts an operation, and returns the error with which it fails.
static int operate(struct disk *disk, int error) {
  if (disk->is_cut) return error;
  int64_t number = disk->operations++;
  if (disk->cut_at >= 0 && number >= disk->cut_at) {
    disk->is_cut = true;
    return error;
  }
  if (disk->fail_at < 0 || number < disk->fail_at) return SQLITE_OK;
  if (!disk->fails_forever) disk->fail_at = -1;
  return error;
}

static void set_size(struct file *file, int64_t size) {
  if (size > file->size) {
    file->synced = must(realloc(file->synced, size));
    memset(file->synced + file->size, 0, size - file->size);
  }
  file->size = size;
}

static void apply(struct file *file, const struct change *change, int from, int to) {
  if (change->length == 0) return set_size(file, change->offset);
  if (change->offset + to > file->size) set_size(file, change->offset + to);
  memcpy(file->synced + change->offset + from, change->data + from, to - from);
}

static void note(struct file *file, int64_t offset, const void *data, int length) {
  struct change *change = must(malloc(sizeof *change + length));
  *change = (struct change){.offset = offset, .length = length};
  if (length) memcpy(change->data, data, length);
  *file->last = change;
  file->last = &change->next;
}

static void forget(struct file *file) {
  while (file->first) {
    struct change *change = file->first;
    file->first = change->next;
    free(change);
  }
  file->last = &file->first;
}

static void erase(struct file *file) {
  forget(file);
  file->size = 0;
  file->is_named = file->is_deleted = false;
}

// MARK: The methods of an open file

static int disk_close(sqlite3_file *base) { return real(base)->pMethods->xClose(real(base)); }

static int disk_read(sqlite3_file *base, void *data, int length, sqlite3_int64 offset) {
  return real(base)->pMethods->xRead(real(base), data, length, offset);
}

static int64_t used(struct disk *disk) {
  int64_t sum = 0;
  for (struct file *file = disk->files; file; file = file->next) {
    int64_t size = file->size;
    for (struct change *change = file->first; change; change = change->next)
      if (change->length == 0) size = change->offset;
      else if (change->offset + change->length > size) size = change->offset + change->length;
    if (!file->is_deleted) sum += size;
  }
  return sum;
}

static int disk_write(sqlite3_file *base, const void *data, int length, sqlite3_int64 offset) {
  struct handle *handle = (struct handle *)base;
  sqlite3_int64 size = 0;
  real(base)->pMethods->xFileSize(real(base), &size);
  pthread_mutex_lock(&mutex);
  int code = operate(handle->disk, SQLITE_IOERR_WRITE);
  int64_t capacity = handle->disk->capacity;
  if (!code && capacity >= 0 && offset + length > size && used(handle->disk) + offset + length - size > capacity)
    code = SQLITE_FULL;
  if (!code) code = real(base)->pMethods->xWrite(real(base), data, length, offset);
  if (!code) note(handle->file, offset, data, length);
  pthread_mutex_unlock(&mutex);
  return code;
}

static int disk_truncate(sqlite3_file *base, sqlite3_int64 size) {
  struct handle *handle = (struct handle *)base;
  pthread_mutex_lock(&mutex);
  int code = operate(handle->disk, SQLITE_IOERR_TRUNCATE);
  if (!code) code = real(base)->pMethods->xTruncate(real(base), size);
  if (!code) note(handle->file, size, NULL, 0);
  pthread_mutex_unlock(&mutex);
  return code;
}

static int disk_sync(sqlite3_file *base, int flags) {
  (void)flags;
  struct handle *handle = (struct handle *)base;
  struct file *file = handle->file;
  pthread_mutex_lock(&mutex);
  int code = operate(handle->disk, SQLITE_IOERR_FSYNC);
  if (!code) {
    for (struct change *change = file->first; change; change = change->next) apply(file, change, 0, change->length);
    forget(file);
    file->is_named = true;
    // Linux's file systems write changes of folders in their order, so a sync also keeps earlier deletions.
    for (struct file *other = handle->disk->files; other; other = other->next)
      if (other->is_deleted) other->is_named = false;
  }
  pthread_mutex_unlock(&mutex);
  return code;
}

static int disk_size(sqlite3_file *base, sqlite3_int64 *size) { return real(base)->pMethods->xFileSize(real(base), size); }
static int disk_lock(sqlite3_file *base, int level) { return real(base)->pMethods->xLock(real(base), level); }
static int disk_unlock(sqlite3_file *base, int level) { return real(base)->pMethods->xUnlock(real(base), level); }
static int disk_check(sqlite3_file *base, int *held) { return real(base)->pMethods->xCheckReservedLock(real(base), held); }
static int disk_sector(sqlite3_file *base) { return real(base)->pMethods->xSectorSize(real(base)); }
static int disk_device(sqlite3_file *base) { return real(base)->pMethods->xDeviceCharacteristics(real(base)); }

static int disk_control(sqlite3_file *base, int operation, void *argument) {
  // A hint to grow the file would bypass this disk.
  if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE) return SQLITE_OK;
  return real(base)->pMethods->xFileControl(real(base), operation, argument);
}

static int disk_map(sqlite3_file *base, int page, int size, int extends, void volatile **memory) {
  return real(base)->pMethods->xShmMap(real(base), page, size, extends, memory);
}
static int disk_shared_lock(sqlite3_file *base, int offset, int count, int flags) {
  return real(base)->pMethods->xShmLock(real(base), offset, count, flags);
}
static void disk_barrier(sqlite3_file *base) { real(base)->pMethods->xShmBarrier(real(base)); }
static int disk_unmap(sqlite3_file *base, int removes) { return real(base)->pMethods->xShmUnmap(real(base), removes); }

// Version 2: shared memory, but no mapped reads and writes, which this disk would not see.
static const sqlite3_io_methods methods = {
    2, disk_close, disk_read, disk_write, disk_truncate, disk_sync, disk_size, disk_lock, disk_unlock, disk_check,
    disk_control, disk_sector, disk_device, disk_map, disk_shared_lock, disk_barrier, disk_unmap, NULL, NULL};

// MARK: The methods of the disk

static struct file *file_of(struct disk *disk, const char *path) {
  for (struct file *file = disk->files; file; file = file->next)
    if (!strcmp(file->path, path)) return file;
  struct file *file = must(calloc(1, sizeof *file));
  snprintf(file->path, sizeof file->path, "%s", path);
  file->last = &file->first;
  // A file that was there before the disk is on it.
  FILE *stream = fopen(path, "rb");
  if (stream) {
    fseek(stream, 0, SEEK_END);
    file->size = ftell(stream);
    file->synced = must(malloc(file->size + 1));
    rewind(stream);
    if (fread(file->synced, 1, file->size, stream) != (size_t)file->size) abort();
    fclose(stream);
    file->is_named = true;
  }
  file->next = disk->files;
  return disk->files = file;
}

static int disk_open(sqlite3_vfs *self, sqlite3_filename path, sqlite3_file *base, int flags, int *actual) {
  (void)self;
  pthread_mutex_lock(&mutex);
  struct disk *disk = disk_of(path);
  struct file *file = disk ? file_of(disk, path) : NULL;
  pthread_mutex_unlock(&mutex);
  // Another file behaves exactly as on the host's disk.
  if (!disk) return host->xOpen(host, path, base, flags, actual);
  struct handle *handle = (struct handle *)base;
  memset(real(base), 0, host->szOsFile);
  int code = own->xOpen(own, path, real(base), flags, actual);
  *handle = (struct handle){.base.pMethods = code ? NULL : &methods, .disk = disk, .file = file};
  // A file that is created again is another one, and the old one cannot come back.
  if (!code && file->is_deleted) erase(file);
  return code;
}

static int disk_delete(sqlite3_vfs *self, const char *path, int syncs) {
  (void)self;
  pthread_mutex_lock(&mutex);
  struct disk *disk = disk_of(path);
  int code = disk ? operate(disk, SQLITE_IOERR_DELETE) : SQLITE_OK;
  if (disk && !code) {
    // Without a sync of the folder the deleted file may come back.
    struct file *file = file_of(disk, path);
    file->is_deleted = true;
    if (syncs || !file->is_named) {
      erase(file);
      file->is_deleted = true;
    }
  }
  pthread_mutex_unlock(&mutex);
  return code ? code : host->xDelete(host, path, syncs);
}

static void install(void) {
  host = sqlite3_vfs_find(NULL);
  own = must(sqlite3_vfs_find("unix-excl"));
  vfs = *host;
  vfs.zName = "simulated-disk";
  vfs.szOsFile = sizeof(struct handle) + host->szOsFile;
  vfs.xOpen = disk_open;
  vfs.xDelete = disk_delete;
  sqlite3_vfs_register(&vfs, 1);
}

void simulated_disk_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
}

void simulated_disk_add(const char *folder, uint64_t seed) {
  pthread_mutex_lock(&mutex);
  struct disk *disk = must(calloc(1, sizeof *disk));
  *disk = (struct disk){.next = disks, .folder = folder, .random = seed, .capacity = -1, .cut_at = -1, .fail_at = -1};
  disks = disk;
  pthread_mutex_unlock(&mutex);
}

static void forget_files(struct disk *disk) {
  while (disk->files) {
    struct file *file = disk->files;
    disk->files = file->next;
    forget(file);
    free(file->synced);
    free(file);
  }
}

void simulated_disk_remove(const char *folder) {
  pthread_mutex_lock(&mutex);
  struct disk *disk = disk_at(folder), **link = &disks;
  while (*link != disk) link = &(*link)->next;
  *link = disk->next;
  forget_files(disk);
  free(disk);
  pthread_mutex_unlock(&mutex);
}

// Leaves what a power cut left: for each disk either none, all, the first or a random part of the writes after the last
// sync.
static void settle(struct disk *disk, struct file *file) {
  uint64_t kind = next_random(disk) % 4, left = next_random(disk) % 64;
  for (struct change *change = file->first; change; change = change->next) {
    if (kind == 0 || (kind == 1 && left-- == 0)) break;
    if (change->length == 0) {
      if (kind < 3 || next_random(disk) % 2) apply(file, change, 0, 0);
      continue;
    }
    for (int from = 0; from < change->length; from += sector) {
      int to = from + sector < change->length ? from + sector : change->length;
      if (kind < 3 || next_random(disk) % 2) apply(file, change, from, to);
    }
  }
  bool exists = file->is_named && (!file->is_deleted || next_random(disk) % 2);
  if (!file->is_named && !file->is_deleted) exists = next_random(disk) % 2;
  unlink(file->path);
  if (!exists) return;
  FILE *stream = must(fopen(file->path, "wb"));
  if (fwrite(file->synced, 1, file->size, stream) != (size_t)file->size || fclose(stream)) abort();
}

void simulated_disk_restore(const char *folder) {
  char shared[PATH_MAX + 8];
  pthread_mutex_lock(&mutex);
  struct disk *disk = disk_at(folder);
  for (struct file *file = disk->files; file; file = file->next) {
    settle(disk, file);
    snprintf(shared, sizeof shared, "%s-shm", file->path);
    unlink(shared);
  }
  forget_files(disk);
  disk->is_cut = false;
  disk->cut_at = disk->fail_at = -1;
  pthread_mutex_unlock(&mutex);
}

void simulated_disk_continue(const char *folder) {
  pthread_mutex_lock(&mutex);
  disk_at(folder)->is_cut = false;
  disk_at(folder)->cut_at = -1;
  pthread_mutex_unlock(&mutex);
}

void simulated_disk_set_capacity(const char *folder, int64_t bytes) {
  pthread_mutex_lock(&mutex);
  disk_at(folder)->capacity = bytes;
  pthread_mutex_unlock(&mutex);
}

void simulated_disk_fail(const char *folder, int64_t count, bool forever) {
  pthread_mutex_lock(&mutex);
  struct disk *disk = disk_at(folder);
  disk->fail_at = count < 0 ? -1 : disk->operations + count;
  disk->fails_forever = forever;
  pthread_mutex_unlock(&mutex);
}

int64_t simulated_disk_operations(const char *folder) {
  pthread_mutex_lock(&mutex);
  int64_t operations = disk_at(folder)->operations;
  pthread_mutex_unlock(&mutex);
  return operations;
}

void simulated_disk_cut(const char *folder, int64_t count) {
  pthread_mutex_lock(&mutex);
  disk_at(folder)->cut_at = disk_at(folder)->operations + count;
  pthread_mutex_unlock(&mutex);
}

bool simulated_disk_is_cut(const char *folder) {
  pthread_mutex_lock(&mutex);
  bool is_cut = disk_at(folder)->is_cut;
  pthread_mutex_unlock(&mutex);
  return is_cut;
}
