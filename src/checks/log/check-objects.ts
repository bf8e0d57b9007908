/** Objects of checks in the store, under `robot-checks/{check_id}/`. */
import type { JobObjectKind } from '../../work/job-objects.ts'

export const CHECK_PREFIX = 'robot-checks/'

/** `files/` is the prefix of artifacts in the spec. The names of artifacts are repo paths, which are in their rows. */
export const checkObjects = {
  logs: { prefix: CHECK_PREFIX, folder: 'logs', extension: 'log', contentType: 'text/plain; charset=utf-8' },
  files: { prefix: CHECK_PREFIX, folder: 'files', extension: 'bin', contentType: 'application/octet-stream' },
} as const satisfies Readonly<Record<string, JobObjectKind>>
