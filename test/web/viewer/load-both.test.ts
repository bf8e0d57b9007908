/** What a page is told while MuJoCo and the files of a model come at the same time. */
import { expect, it } from 'vitest'
import { loadBoth } from '../../../web/src/viewer/engine/load-both.ts'

type Told = readonly [stage: string, doneBytes: number, totalBytes: number]

function loading() {
  const told: Told[] = []
  const [engine, model] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  let come: (doneBytes: number, totalBytes: number) => void = () => undefined
  const both = loadBoth({
    engine(tell) {
      come = tell
      return engine.promise
    },
    model(tell) {
      tell('files', 1_500, 1_500)
      return model.promise
    },
    tell: (...one) => void told.push(one),
  })
  return { told, engine, model, both, come: (...bytes: [number, number]) => come(...bytes) }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

it('files that are there before MuJoCo are no more what a person waits for', async () => {
  const { told, engine, model, both } = loading()
  model.resolve('a model')
  await turn()
  expect(told).toEqual([
    ['engine', 0, 0],
    ['files', 1_500, 1_500],
    ['engine', 0, 0],
  ])
  engine.resolve('MuJoCo')
  expect(await both).toMatchObject({ engine: 'MuJoCo', model: 'a model' })
})

it('bytes of MuJoCo are told once the files are there, from where they are by then', async () => {
  const { told, engine, model, both, come } = loading()
  come(2_000, 9_000)
  expect(told.at(-1)).toEqual(['files', 1_500, 1_500])
  model.resolve('a model')
  await turn()
  expect(told.at(-1)).toEqual(['engine', 2_000, 9_000])
  come(9_000, 9_000)
  expect(told.at(-1)).toEqual(['engine', 9_000, 9_000])
  engine.resolve('MuJoCo')
  await both
})

it('where MuJoCo is there first, files are waited for', async () => {
  const { told, engine, model, both } = loading()
  engine.resolve('MuJoCo')
  await turn()
  model.resolve('a model')
  const { engineMs, filesMs } = await both
  expect(told.at(-1)?.[0]).toBe('files')
  expect(engineMs).toBeLessThanOrEqual(filesMs)
})

it('a fault of either is that of both', async () => {
  const { model, both } = loading()
  model.reject(new Error('No file.'))
  await expect(both).rejects.toThrow('No file.')
})
