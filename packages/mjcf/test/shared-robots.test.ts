/** Real robots: what the reader finds out about each is what MuJoCo made of it. */
import { readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { noRobots, sharedDir } from '@hub/testing/shared'
import { describe, expect, it } from 'vitest'
import type { ModelFiles } from '../src/model-files.ts'
import { readModel } from '../src/read-model.ts'

/** MuJoCo's result for one model; if it rejected the model, everything is null except the existing files. */
interface Expected {
  readonly compiles: boolean
  readonly format: string
  readonly model: string
  readonly base: string | null
  readonly files: readonly string[]
  readonly includes: readonly string[]
  readonly joints: readonly string[] | null
  readonly joint_types: readonly string[] | null
  readonly keyframes: readonly string[] | null
  readonly free_bodies: readonly { readonly body: string }[] | null
  readonly nq: number | null
  readonly nv: number | null
  readonly nu: number | null
}

const shared = sharedDir()
const robots = shared === null ? null : join(shared, 'robots')
const expected: Record<string, Expected> =
  robots === null ? {} : JSON.parse(readFileSync(join(robots, 'expected.json'), 'utf8'))
const cases = Object.entries(expected).map(([path, model]) => {
  const [folder = '', ...entry] = path.split('/')
  return { folder: join(robots ?? '', folder), entry: entry.join('/'), path, model }
})

function filesOf(folder: string): ModelFiles {
  const absent = () => null
  return {
    readFile: (path) => readFile(join(folder, path)).catch(absent),
    sizesOf: (paths) =>
      Promise.all(
        paths.map(async (path) => {
          const found = await stat(join(folder, path)).catch(absent)
          return found?.isFile() ? found.size : null
        }),
      ),
  }
}

describe('a real robot', needs(noRobots), () => {
  it('is available', () => {
    expect(cases.length).toBeGreaterThan(10)
  })

  it.each(cases.filter(({ model }) => model.compiles))(
    '$path is read as in MuJoCo',
    async ({ folder, entry, model }) => {
      const reading = await readModel(filesOf(folder), entry)
      const { nq, nv, nu } = reading.sizes ?? {}
      expect({ ...reading, nq, nv, nu }).toMatchObject({
        faults: [],
        missing: [],
        warnings: [],
        undecided: [],
        format: model.format,
        model: model.model,
        base: model.base,
        files: model.files,
        keyframes: model.keyframes,
        nq: model.nq,
        nv: model.nv,
        nu: model.nu,
      })
      const driven = reading.joints.filter(({ type }) => type === 'hinge' || type === 'slide')
      expect(driven.map(({ name }) => name)).toEqual(model.joints)
      expect(reading.joints.map(({ type }) => type)).toEqual(model.joint_types)
      const free = reading.roots.filter(({ floating }) => floating)
      expect(free.map(({ name }) => name)).toEqual(model.free_bodies?.map(({ body }) => body))
    },
  )

  it.each(cases.filter(({ model }) => !model.compiles))('$path is rejected, as in MuJoCo', async (refused) => {
    const { folder, entry, model } = refused
    const reading = await readModel(filesOf(folder), entry)
    expect(reading).toMatchObject({ base: null, format: model.format, model: model.model, files: model.files })
    expect(reading.faults.map(({ kind }) => kind)).toContain('path')
  })
})
