/** Files of a model in the engine's memory, and the model that MuJoCo makes of them. */
import type { LoadedMujoco, MemoryFiles, Model } from './mujoco.ts'

const ROOT = '/model'

/** All else that is thrown comes from a module that has lost its footing. */
const refusal = /^MuJoCo Error: (?:Loading error: )?(?:Error: )?/

/** Puts a file of the repo where `compileModel` finds it. */
export function putFile(files: MemoryFiles, path: string, data: string | Uint8Array): void {
  const full = `${ROOT}/${path}`
  files.mkdirTree(full.slice(0, full.lastIndexOf('/')))
  files.writeFile(full, data)
}

/** Frees the memory of a file: a compiled model holds what it needs of it. */
export function dropFile(files: MemoryFiles, path: string): void {
  files.unlink(`${ROOT}/${path}`)
}

/** A model that the caller deletes, or MuJoCo's reason for its refusal, with paths of the repo. */
export type Compiled = { readonly model: Model } | { readonly refused: string }

/**
 * Compiles the MJCF or URDF at a path of the repo. Throws where the engine itself fails: it is of no use afterwards.
 */
export function compileModel({ mujoco, isOutOfMemory }: LoadedMujoco, path: string): Compiled {
  try {
    return { model: mujoco.MjModel.from_xml_path(`${ROOT}/${path}`) }
  } catch (error) {
    if (!(error instanceof Error) || !refusal.test(error.message) || isOutOfMemory()) throw error
    const message = error.message.replace(refusal, '').replaceAll(`${ROOT}/`, '').replaceAll(/\s+/g, ' ').trim()
    return { refused: message }
  }
}
