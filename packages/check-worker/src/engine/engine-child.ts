/** The engine process: compiles and steps one model, reports its findings part by part, and exits. */
import { readFileSync } from 'node:fs'
import { compileModel, putFile } from '@hub/robot-view/physics/compile'
import type { ModelFacts } from '@hub/robot-view/physics/model-facts'
import { type Model, openMujoco } from '@hub/robot-view/physics/mujoco'
import { posed } from '@hub/robot-view/physics/posed'
import { readFacts } from '@hub/robot-view/physics/read-facts'
import { readScene } from '@hub/robot-view/physics/read-scene'
import { encodeScene } from '@hub/robot-view/scene/scene-bytes'
import type { EngineJob, FromEngine } from './protocol.ts'
import { writeScene } from './scene-pipe.ts'
import { simulate } from './simulate.ts'

/** A limit for MuJoCo's output: a model can make it print at every step. */
const MAX_LINES = 500
const MAX_LINE_CHARS = 2_000

const SAVED = '/saved.xml'

const say = (message: FromEngine) => void process.send?.(message)

let lines = 0
const engine = await openMujoco((text) => {
  lines += 1
  if (lines <= MAX_LINES) say({ kind: 'log', line: text.slice(0, MAX_LINE_CHARS) })
})
const { mujoco, files, isOutOfMemory } = engine

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
  for (const { path, file } of job.files) putFile(files, path, readFileSync(file))
  if (job.entryText !== null) putFile(files, job.entry, job.entryText)
  let model = compile(job.entry, 'source')
  if (!model) return
  if (job.convertTo !== null) {
    mujoco.mj_saveLastXML(SAVED, model)
    const text = files.readFile(SAVED, { encoding: 'utf8' })
    model.delete()
    putFile(files, job.convertTo, text)
    say({ kind: 'converted', text })
    // The published model must itself compile, from its final path.
    model = compile(job.convertTo, 'converted')
    if (!model) return
  }
  const facts = readFacts(mujoco, files, model)
  say({ kind: 'compiled', facts })
  say({ kind: 'stepped', simulation: simulate({ mujoco, model, facts, pose: job.pose, limits: job.limits }) })
  // Last, so that nothing that goes wrong with a picture touches a verdict.
  if (job.scene !== null) draw(model, facts, job.pose, job.scene.maxBytes)
}

function draw(model: Model, facts: ModelFacts, pose: EngineJob['pose'], maxBytes: number): void {
  try {
    const { data } = posed({ mujoco, model, facts, pose })
    const bytes = encodeScene(readScene(engine, model, data, maxBytes))
    data.delete()
    writeScene(bytes)
    say({ kind: 'drawn', sceneBytes: bytes.length })
  } catch (error) {
    say({ kind: 'undrawn', why: error instanceof Error ? error.message : String(error) })
  }
}

function compile(path: string, stage: 'source' | 'converted'): Model | null {
  const compiled = compileModel(engine, path)
  if ('model' in compiled) return compiled.model
  say({ kind: 'refused', error: compiled.refused, stage })
  return null
}
