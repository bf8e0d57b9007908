/**
 * Includes and contained models against MuJoCo: models of files in nested folders that name each other in many
 * spellings, rightly and wrongly. Same verdict, same files, same order of what was included. Others whenever the reader
 * changes; HUB_TEST_SEED repeats a run.
 */

import { type Random, randomFrom } from '@hub/testing/random'
import { testSeed } from '@hub/testing/torture'
import { afterAll, expect, it } from 'vitest'
import { Faults } from '../src/fault.ts'
import { type LoadedModel, loadModel } from '../src/load/load-model.ts'
import { baseNameOf, folderOf } from '../src/paths.ts'
import { memoryFiles } from './memory-files.ts'
import { openOracle } from './oracle/mujoco.ts'

const seed = testSeed()
const oracle = openOracle({ limitMs: 5_000 })
afterAll(() => oracle.close())

/** One of the ways to write `to` in a file of the folder `from` of a model whose main file is in `main`. */
function spelled(to: string, from: string, main: string, random: Random): string {
  const upFrom = (folder: string) => `${'../'.repeat(folder.split('/').filter(Boolean).length)}${to}`
  const tail = to.split('/').slice(-2)
  return random.pick([
    to,
    baseNameOf(to),
    `./${baseNameOf(to)}`,
    `none/../${baseNameOf(to)}`,
    upFrom(from),
    upFrom(main),
    tail.join('/'),
    tail.join('\\'),
  ])
}

/**
 * Each file has one body of unnamed joints whose types spell its number, so that the order of joints shows the order of
 * files.
 */
function body(number: number): string {
  const joints = [1, 2, 4, 8].map((bit) => `<joint type="${number & bit ? 'slide' : 'hinge'}"/>`)
  return `<worldbody><body>${joints.join('')}<geom size="1"/></body></worldbody>`
}

/** Files name later ones only; read otherwise than meant, few of them go round in a circle. */
function filesOf(random: Random): { files: Record<string, string>; entry: string } {
  const folders = ['', 's/', 's/t/', 'u/']
  const drawn = Array.from(
    { length: random.int(2, 8) },
    () => `${random.pick(folders)}${random.pick(['a', 'b', 'c', 'd'])}.xml`,
  )
  const paths = [...new Set(drawn)]
  const entry = paths[0] ?? ''
  const texts = paths.map((path, at) => {
    const name = () => spelled(random.pick(paths.slice(at + 1)), folderOf(path), folderOf(entry), random)
    const maybe = (chance: number, text: () => string) => (at + 1 < paths.length && random.chance(chance) ? text() : '')
    const include = () => `<include file="${name()}"/>`
    const model = maybe(0.15, () => `<asset><model file="${name()}"/></asset>`)
    const content = [
      maybe(0.6, include),
      maybe(0.15, include),
      model,
      body(at + 1),
      maybe(0.6, include),
      maybe(0.15, include),
    ]
    return [path, `<mujoco>${content.join('')}</mujoco>`] as const
  })
  return { files: Object.fromEntries(texts), entry }
}

function filesRead(model: LoadedModel): string[] {
  return [model.path, ...model.includes, ...[...model.models.values()].flatMap(filesRead)]
}

async function loaded(files: Record<string, string>, entry: string) {
  const faults = new Faults()
  const model = await loadModel(memoryFiles(files), entry, faults)
  const circle = faults.items.some(({ names }) => names.length > 1 && names[0] === names.at(-1))
  if (faults.items.length > 0 || model.report.missing.length > 0) return { circle, read: null }
  const bodies = model.root.children.filter(({ name }) => name === 'worldbody').flatMap(({ children }) => children)
  const joints = bodies.flatMap(({ children }) => children.filter(({ name }) => name === 'joint'))
  const types = joints.map(({ attributes }) => attributes.get('type'))
  return { circle, read: { files: [...new Set(filesRead(model))].sort(), types } }
}

it(`loads 200 models as MuJoCo does (HUB_TEST_SEED=${seed})`, async () => {
  const random = randomFrom(seed)
  let compiles = 0
  for (let count = 0; count < 200; count++) {
    const { files, entry } = filesOf(random.fork())
    const { circle, read } = await loaded(files, entry)
    // A cycle that MuJoCo does not detect overflows its stack, and its later results are undefined.
    if (circle) continue
    const judgement = await oracle.judge({ files, entry })
    if (judgement.verdict === 'none') continue
    const { compiled } = judgement.verdict === 'compiles' ? judgement : { compiled: null }
    const theirs = compiled && { files: compiled.files, types: compiled.joints.map(({ type }) => type) }
    expect(read, JSON.stringify({ entry, files, judgement }, null, 2)).toEqual(theirs)
    if (compiled) compiles++
  }
  expect(compiles).toBeGreaterThan(20)
})
