/** The engine process: compiles and steps one model, says what it finds part by part, and ends. */
import { readFileSync } from 'node:fs'
import { openMujoco } from './mujoco.ts'
import type { EngineJob, FromEngine } from './protocol.ts'
import { readFacts } from './read-facts.ts'
import { simulate } from './simulate.ts'

/** Of MuJoCo's words: a model can make it say something at every step. */
const MAX_LINES = 500
const MAX_LINE_CHARS = 2_000

const ROOT = '/model'
const SAVED = '/saved.xml'

/** All else that is thrown comes from a module that has lost its footing. */
const refusal = /^MuJoCo Error: (?:Loading error: )?(?:Error: )?/

const say = (message: FromEngine) => void process.send?.(message)

let lines = 0
const { mujoco, files, isOutOfMemory } = await openMujoco((text) => {
  lines += 1
  if (lines <= MAX_LINES) say({ kind: 'log', line: text.slice(0, MAX_LINE_CHARS) })
})

process.once('disconnect', () => process.exit())
process.once('message', (job: EngineJob) => {
  try {
    check(job)
  } catch (error) {
    const memory = isOutOfMemory() || /bad_alloc/.test(String(error))
    say({ kind: 'failed', error: String(error), memory })
  }
  process.disconnect()
})
say({ kind: 'ready', version: mujoco.mj_versionString() })

function check(job: EngineJob): void {
  for (const { path, file } of job.files) put(path, readFileSync(file))
  if (job.entryText !== null) put(job.entry, job.entryText)
  let model = compile(job.entry, 'source')
  if (!model) return
  if (job.convertTo !== null) {
    mujoco.mj_saveLastXML(SAVED, model)
    const text = files.readFile(SAVED, { encoding: 'utf8' })
    model.delete()
    put(job.convertTo, text)
    say({ kind: 'converted', text })
    // What is published must itself compile, from where it will lie.
    model = compile(job.convertTo, 'converted')
    if (!model) return
  }
  const facts = readFacts(mujoco, files, model)
  say({ kind: 'compiled', facts })
  say({ kind: 'stepped', simulation: simulate(mujoco, model, facts, job.pose, job.limits) })
}

function put(path: string, data: string | Uint8Array): void {
  const full = `${ROOT}/${path}`
  files.mkdirTree(full.slice(0, full.lastIndexOf('/')))
  files.writeFile(full, data)
}

function compile(path: string, stage: 'source' | 'converted') {
  try {
    return mujoco.MjModel.from_xml_path(`${ROOT}/${path}`)
  } catch (error) {
    if (!(error instanceof Error) || !refusal.test(error.message) || isOutOfMemory()) throw error
    const told = error.message.replace(refusal, '').replaceAll(`${ROOT}/`, '').replaceAll(/\s+/g, ' ').trim()
    say({ kind: 'refused', error: told, stage })
    return null
  }
}
