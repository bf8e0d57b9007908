/**
 * Flags of a compiled model. The package binds no array of booleans (reading one throws, as of 3.14), but prints all of
 * them, one line for each object, in order.
 */
import type { MemoryFiles, Model, Mujoco } from './mujoco.ts'

const PRINTED = '/printed-model.txt'

/**
 * The values of `flag` of all `count` objects that have it, in order; null if that is ambiguous, since a name in the
 * model looks like a flag.
 */
export type PrintedFlags = (flag: string, count: number) => readonly boolean[] | null

/** Prints the model once; a model of 3 MB is 1 MB of text and takes 50 ms. */
export function printedFlags(mujoco: Mujoco, files: MemoryFiles, model: Model): PrintedFlags {
  mujoco.mj_printFormattedModel(model, PRINTED, '%g')
  const text = files.readFile(PRINTED, { encoding: 'utf8' })
  files.unlink(PRINTED)
  return (flag, count) => {
    const values = [...text.matchAll(new RegExp(`^ +${flag} +([01]) *$`, 'gm'))].map(([, value]) => value === '1')
    return values.length === count ? values : null
  }
}
