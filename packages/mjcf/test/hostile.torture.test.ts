// @module-tag long
/**
 * Hostile models: each is read within 2 seconds and 200 MB, with MuJoCo's verdict if it has one, else with a clear
 * fault.
 */
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { oneIn } from '@hub/testing/torture'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { copiesCases } from './hostile/copies-cases.ts'
import { expansionCases } from './hostile/expansion-cases.ts'
import { fileCases } from './hostile/file-cases.ts'
import type { HostileCase } from './hostile/hostile-case.ts'
import type { ReadOutcome } from './hostile/read-child.ts'
import { xmlCases } from './hostile/xml-cases.ts'
import { openOracle } from './oracle/mujoco.ts'

const LIMIT_MS = 2_000
const LIMIT_MB = 200

const oracle = openOracle({ limitMs: 4_000 })
const folder = mkdtempSync(join(tmpdir(), 'hostile-'))
afterAll(async () => {
  await oracle.close()
  rmSync(folder, { recursive: true })
})

/** Of a hundred processes the first compiles the reader. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(inject('runDir'), 'compiled-reader') }

/** A process of its own for each, since the most memory that a process ever had never goes down. */
function readInChild(place: string, entry: string): Promise<ReadOutcome> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'hostile/read-child.ts'), [place, entry], { execArgv: [], env })
    const timer = setTimeout(() => child.kill('SIGKILL'), 100_000)
    child.once('message', (outcome) => resolve(outcome as ReadOutcome))
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      reject(new Error(`the reader ended with ${signal ?? code}`))
    })
  })
}

let made = 0
function written(files: ReturnType<HostileCase['files']>): string {
  const place = join(folder, String(made++))
  for (const [path, data] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), data)
  }
  return place
}

const groups = { documents: xmlCases, files: fileCases, expansions: expansionCases, copies: copiesCases }
const hostileCases = Object.entries(groups).flatMap(([group, cases]) => cases.map((hostile) => ({ group, ...hostile })))

describe('a hostile model', () => {
  it.each(oneIn(7, hostileCases))('of $group: $name', async (hostile) => {
    const files = hostile.files()
    const { entry = 'main.xml', verdict } = hostile
    const place = written(files)
    let { complaints, outside, ms, megabytes } = await readInChild(place, entry)
    // A neighbor on the machine's cores can make one reading twice as long.
    for (let again = 0; again < 2 && ms >= LIMIT_MS; again += 1)
      ({ complaints, outside, ms, megabytes } = await readInChild(place, entry))

    if (verdict === 'accepted') expect(complaints).toEqual([])
    else expect(complaints).toContainEqual(expect.stringMatching(verdict))
    expect(outside).toEqual([])
    expect(ms).toBeLessThan(LIMIT_MS)
    expect(megabytes).toBeLessThan(LIMIT_MB)

    if (hostile.judged === false) return
    const expected = complaints.length === 0 ? 'compiles' : 'refused'
    let judgement = await oracle.judge({ files, entry })
    // A model before may have harmed the process that judged this one.
    if (judgement.verdict !== 'none' && judgement.verdict !== expected)
      judgement = await oracle.judge({ files, entry }, { afresh: true })
    const said = judgement.verdict === 'refused' ? judgement.error : ''
    if (judgement.verdict !== 'none') expect(judgement.verdict, said).toBe(expected)
  })
})
