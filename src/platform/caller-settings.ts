/** What callers may use besides their requests a minute. */
import type { Environment } from './config-environment.ts'

/** 0: as much as they like. */
export interface CallerSettings {
  /** Processes that serve the port, and what each has its part of; with 1 the hub is one process. */
  readonly workers: number
  /** Of rows that an account writes to the database. */
  readonly writtenBytesPerDay: number
  /** Of an account, on the processor of an instance. */
  readonly processorMsPerMinute: number
  /** Of all callers together: bodies on their way, and answers that are not read. */
  readonly heldBytes: number
  /** Of the files of one archive; 0: there are none. */
  readonly archiveBytes: number
}

export const callerSettings = (values: Environment): CallerSettings => ({
  writtenBytesPerDay: values.WRITTEN_BYTES_PER_DAY,
  processorMsPerMinute: values.ACCOUNT_PROCESSOR_S * 1000,
  heldBytes: Math.ceil(values.HELD_BYTES / values.WORKERS),
  archiveBytes: values.ARCHIVE_MAX_BYTES,
  workers: values.WORKERS,
})
