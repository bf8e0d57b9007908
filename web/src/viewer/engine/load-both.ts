/** MuJoCo and the files of a model, which come at the same time: a page is told what it still waits for. */
import type { Stage } from '../protocol.ts'

type Tell = (stage: Stage, doneBytes: number, totalBytes: number) => void

interface Loads<Engine, Model> {
  /** `tell`: bytes of MuJoCo that have come, and all of them. */
  readonly engine: (tell: (doneBytes: number, totalBytes: number) => void) => Promise<Engine>
  readonly model: (tell: Tell) => Promise<Model>
  readonly tell: Tell
}

/**
 * Rejects as the first of both that does. Where both still come, the files of the model are told: they are what is the
 * model's own. Files that are there while MuJoCo is not are no more what is waited for.
 */
export async function loadBoth<Engine, Model>({ engine, model, tell }: Loads<Engine, Model>) {
  const began = performance.now()
  const times = { engineMs: -1, filesMs: -1 }
  let come: readonly [doneBytes: number, totalBytes: number] = [0, 0]
  let isModelTold = false
  tell('engine', 0, 0)
  const [first, second] = await Promise.all([
    engine((...bytes) => {
      come = bytes
      if (!isModelTold) tell('engine', ...come)
    }).finally(() => {
      times.engineMs = performance.now() - began
    }),
    model((...told) => {
      isModelTold = true
      tell(...told)
    }).finally(() => {
      times.filesMs = performance.now() - began
      isModelTold = false
      if (times.engineMs < 0) tell('engine', ...come)
    }),
  ])
  return { engine: first, model: second, ...times }
}
