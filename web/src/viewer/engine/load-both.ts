/** MuJoCo and the files of a model, which come at the same time: a page is told what it still waits for. */
import type { Stage } from '../protocol.ts'

type Tell = (stage: Stage, doneBytes: number, totalBytes: number) => void

interface Loads<Engine, Model> {
  readonly engine: () => Promise<Engine>
  readonly model: (tell: Tell) => Promise<Model>
  readonly tell: Tell
}

/** Rejects as the first of both that does. Files that are there while MuJoCo is not are no more what is waited for. */
export async function loadBoth<Engine, Model>({ engine, model, tell }: Loads<Engine, Model>) {
  const began = performance.now()
  const times = { engineMs: -1, filesMs: -1 }
  tell('engine', 0, 0)
  const [first, second] = await Promise.all([
    engine().finally(() => {
      times.engineMs = performance.now() - began
    }),
    model(tell).finally(() => {
      times.filesMs = performance.now() - began
      if (times.engineMs < 0) tell('engine', 0, 0)
    }),
  ])
  return { engine: first, model: second, ...times }
}
