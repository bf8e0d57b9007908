/** Lets MuJoCo compile and step a prepared model, where there is something that it could compile. */

import type { LocalFiles } from '@hub/mjcf/folder/local-files'
import { doubtOf } from '@hub/mjcf/verdict/model-checks'
import type { EngineLimits } from './engine/limits.ts'
import type { EngineJob } from './engine/protocol.ts'
import { type EngineRun, runEngine } from './engine/run-engine.ts'
import type { PreparedModel } from './prepared-model.ts'
import type { RobotCheckRequest } from './request.ts'
import type { Trial } from './validate/simulation-checks.ts'

const MIB = 1024 * 1024

/** Each end of MuJoCo as the log says it. */
const endings: Readonly<Record<EngineRun['end']['why'], string>> = {
  done: 'compiled and stepped',
  refused: 'refused the model',
  time: 'ran out of time',
  memory: 'ran out of memory',
  crash: 'crashed',
}

/** MuJoCo sees only the files that the static reader found necessary. */
export async function tryModel({
  files,
  prepared: { reading, urdf, convertTo },
  request: { entry, options },
  limits,
  scene,
  log,
  signal,
}: {
  readonly files: LocalFiles
  readonly prepared: PreparedModel
  readonly request: RobotCheckRequest
  readonly limits: EngineLimits
  readonly scene: EngineJob['scene']
  readonly log: (line: string) => void
  readonly signal: AbortSignal
}): Promise<Trial> {
  const doubt = doubtOf(reading)
  if (doubt !== null) return { notRun: `${entry} could not be read completely, so MuJoCo was not run. ${doubt}` }
  const sizes = await files.sizesOf(reading.files, signal)
  const bytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  if (bytes > limits.filesBytes) {
    const [needed, given] = [Math.ceil(bytes / MIB), Math.floor(limits.filesBytes / MIB)]
    return { notRun: `The model needs ${needed} MiB of files; MuJoCo is given ${given} MiB at most.` }
  }
  const places = await files.placesOf(reading.files)
  const job = {
    files: reading.files.flatMap((path, at) => (places[at] ? [{ path, file: places[at] }] : [])),
    entry,
    entryText: urdf?.text ?? null,
    convertTo,
    pose: options?.default_pose ?? null,
    scene,
    limits,
  }
  const run = await runEngine(job, (line) => log(`mujoco: ${line}`), signal)
  log(`mujoco ${run.version ?? ''}: ${endings[run.end.why]}`)
  return { run, limits }
}
