/** Folders of robot files for one test file, and a check of a robot in one of them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openReadingPool } from '@hub/mjcf/processes/reading-pool'
import pino from 'pino'
import { afterAll } from 'vitest'
import { checkRobot, type RobotCheckResult } from '../../src/check-robot.ts'
import type { EngineLimits } from '../../src/engine/limits.ts'
import type { RobotCheckRequest } from '../../src/request.ts'
import type { Chromium } from '../../src/stills/find-chromium.ts'

/** A person's answers for most robots. */
const answers = { base: null, control_hz: 50, action: 'position', options: null } as const

type Answers = Partial<RobotCheckRequest> & Pick<RobotCheckRequest, 'entry'>

interface Machine {
  readonly limits?: EngineLimits
  readonly chromium?: Chromium
}

const noBrowser: Chromium = { missing: 'This test draws nothing.' }

export interface Checked extends RobotCheckResult {
  /** Status by code. */
  readonly statuses: Readonly<Record<string, string>>
  /** The check of a code. */
  check(code: string): RobotCheckResult['report']['checks'][number]
  readonly lines: readonly string[]
}

/** Removed, with the process that reads models, when the tests of the file are over. */
export function robotFolders() {
  const made: string[] = []
  const pool = openReadingPool({ log: pino({ level: 'silent' }), processes: 1 })
  afterAll(async () => {
    await pool.close()
    for (const folder of made) await rm(folder, { recursive: true, force: true })
  })
  return {
    pool,
    async folder(files: Readonly<Record<string, string>>): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), 'hub-check-robot-'))
      made.push(folder)
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), text)
      }
      return folder
    },
    async check(folder: string, given: Answers, { limits, chromium = noBrowser }: Machine = {}): Promise<Checked> {
      const lines: string[] = []
      const result = await checkRobot({
        folder,
        request: { ...answers, ...given },
        pool,
        checkId: 'check_1',
        checkedAt: new Date('2026-01-31T09:30:00Z'),
        log: (line) => lines.push(line),
        signal: new AbortController().signal,
        chromium,
        ...(limits ? { limits } : {}),
      })
      return {
        ...result,
        lines,
        statuses: Object.fromEntries(result.report.checks.map(({ code, status }) => [code, status])),
        check(code) {
          const found = result.report.checks.find((one) => one.code === code)
          if (!found) throw new Error(`The report has no ${code}.`)
          return found
        },
      }
    },
  }
}

/** A mesh with a volume, as Wavefront OBJ. */
export const tetrahedron = `v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n`
