/** A robot and a policy in folders of this machine, as a process of rollouts takes them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readPolicy } from '@hub/check-worker/policy/read-policy'
import { faceOf, type RobotFace } from '@hub/check-worker/policy/robot-face'
import { preparedModel } from '@hub/check-worker/prepared-model'
import { LocalError } from '@hub/client/internal'
import { walkFolder } from '@hub/client/walk'
import { isJsonObject, parseExact, withDoubles } from '@hub/formats/exact-json'
import { drivenContract } from '@hub/formats/policy/onnx-stamps'
import { localFiles } from '@hub/mjcf/folder/local-files'
import type { ReadingPool } from '@hub/mjcf/processes/reading-pool'
import { doubtOf } from '@hub/mjcf/verdict/model-checks'
import type { RolloutJob } from './protocol.ts'

type RobotPart = Pick<RolloutJob, 'files' | 'entry' | 'entryText' | 'face'> & Pick<RobotFace, 'fingerprint'>

/**
 * The robot of a folder. `card`: its card as JSON. Throws a `LocalError` for a card without an interface or a model,
 * and for a model that is not whole.
 */
export async function robotIn(
  folder: string,
  card: string,
  pool: ReadingPool,
  signal: AbortSignal,
): Promise<RobotPart> {
  const found = faceOf(card)
  const document = parseExact(card)
  const entry = isJsonObject(document) && typeof document.mjcf_path === 'string' ? document.mjcf_path : null
  if (!found) throw new LocalError(`The card of the robot has no interface, which a policy needs.`)
  if (entry === null) throw new LocalError('The card of the robot names no model: mjcf_path is missing.')
  const files = await localFiles(folder)
  const { reading, urdf } = await preparedModel(
    files,
    pool,
    { entry, base: found.face.base, control_hz: null, action: null, options: null },
    signal,
  )
  const doubt = doubtOf(reading)
  if (doubt !== null) throw new LocalError(`${entry} could not be read completely. ${doubt}`)
  const places = await files.placesOf(reading.files)
  return {
    files: reading.files.flatMap((path, at) => (places[at] ? [{ path, file: places[at] }] : [])),
    entry,
    entryText: urdf?.text ?? null,
    face: withDoubles(found.face) as RolloutJob['face'],
    fingerprint: found.fingerprint,
  }
}

interface PolicyPart {
  /** The ONNX file on this machine, and its path in the folder. */
  readonly file: string
  readonly path: string
  readonly contract: unknown
}

/** The policy of a folder: the ONNX file at `entry`, or the only one. Throws a `LocalError` where there is none. */
export async function policyIn(folder: string, entry: string | null): Promise<PolicyPart> {
  const path = entry ?? (await onlyModel(folder))
  const policy = await readPolicy(folder, path)
  if (!policy.onnx) throw new LocalError(`${path} is not an ONNX file: rollouts run ONNX alone.`)
  if (policy.onnx.externalFiles.length > 0)
    throw new LocalError(`${path} keeps weights in ${policy.onnx.externalFiles[0]}: rollouts run models of one file.`)
  return { file: join(folder, path), path, contract: withDoubles(drivenContract(policy.stamps)) }
}

async function onlyModel(folder: string): Promise<string> {
  const models = (await walkFolder(folder)).map(({ path }) => path).filter((path) => /\.onnx$/i.test(path))
  const [first] = models
  if (first === undefined) throw new LocalError(`${folder} has no ONNX file.`)
  if (models.length > 1)
    throw new LocalError(`${folder} has several policies; name one of them: ${models.slice(0, 8).join(', ')}.`)
  return first
}

/** The text of a file of a folder; null where it is not there. */
export const textIn = (folder: string, name: string): Promise<string | null> =>
  readFile(join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new LocalError(`${name} cannot be read: ${error.message}`)
  })
