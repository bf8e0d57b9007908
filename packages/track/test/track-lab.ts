/** The folder of a tracked run in a temporary place, a new one for each test of the file that calls this. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { trackFiles } from '../src/track-folder.ts'
import { newTrackJournal, type TrackJournal } from '../src/track-journal.ts'

export function trackLab() {
  const said: string[] = []
  const lab = {
    base: '',
    files: undefined as unknown as ReturnType<typeof trackFiles>,
    said,
    logLine: (line: string) => void said.push(line),
    /** A new journal of a run that was started with this body. */
    journalOf: (body: Record<string, unknown> = {}): TrackJournal =>
      newTrackJournal(lab.files, {
        ...{ url: 'http://hub', start: { key: 'k', body }, outputRepo: null, cwd: lab.base, argv: [] },
        ...{ sources: [], eventFolders: [], systemEveryMs: 0 },
      }),
  }
  beforeEach(() => {
    lab.base = mkdtempSync(join(tmpdir(), 'hub-track-'))
    lab.files = trackFiles(lab.base)
    mkdirSync(lab.files.dir)
    said.length = 0
  })
  afterEach(() => rmSync(lab.base, { recursive: true, force: true }))
  return lab
}
