/** The engine process: compiles and steps one model, reports its findings part by part, and exits. */
import { readFileSync, writeSync } from 'node:fs'
import { encodeScene } from '../../robot-scene/scene-bytes.ts'
import type { ModelFacts } from './model-facts.ts'
import { type Model, openMujoco } from './mujoco.ts'
import { posed } from './posed.ts'
import { type EngineJob, type FromEngine, SCENE_FD } from './protocol.ts'
import { readFacts } from './read-facts.ts'
import { readScene } from './read-scene.ts'
import { simulate } from './simulate.ts'

/** A limit for MuJoCo's output: a model can make it print at every step. */
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
    // The published model must itself compile, from its final path.
    model = compile(job.convertTo, 'converted')
    if (!model) return
  }
  const facts = readFacts(mujoco, files, model)
  say({ kind: 'compiled', facts })
  say({ kind: 'stepped', simulation: simulate(mujoco, model, facts, job.pose, job.limits) })
  // Last, so that nothing that goes wrong with a picture touches a verdict.
  if (job.scene !== null) draw(model, facts, job.pose, job.scene.maxBytes)
}

function draw(model: Model, facts: ModelFacts, pose: EngineJob['pose'], maxBytes: number): void {
  try {
    const { data } = posed(mujoco, model, facts, pose)
    const bytes = encodeScene(readScene(model, data, maxBytes))
    data.delete()
    for (let at = 0; at < bytes.length; ) at += writeSync(SCENE_FD, bytes, at)
    say({ kind: 'drawn', sceneBytes: bytes.length })
  } catch (error) {
    say({ kind: 'undrawn', why: error instanceof Error ? error.message : String(error) })
  }
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
    const message = error.message.replace(refusal, '').replaceAll(`${ROOT}/`, '').replaceAll(/\s+/g, ' ').trim()
    say({ kind: 'refused', error: message, stage })
    return null
  }
}
