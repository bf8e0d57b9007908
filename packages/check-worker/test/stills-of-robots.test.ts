// @module-tag sampled
/**
 * Stills of real robots and of a very large one, and the limits of Chromium. Each start of it takes seconds of
 * processor time, so these run with `npm run test:torture` alone; the pictures stay in `test-output/stills`, to be
 * looked at.
 */
import { fork } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeScene, encodeScene } from '@hub/robot-view/scene/scene-bytes'
import { needs } from '@hub/testing/needs'
import { noRobots, sharedDir } from '@hub/testing/shared'
import { sampleSize } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { geom, scene } from '../../robot-view/test/support/scenes.ts'
import { engineLimits } from '../src/engine/limits.ts'
import { runEngine } from '../src/engine/run-engine.ts'
import { findChromium } from '../src/stills/find-chromium.ts'
import { stillsLimits } from '../src/stills/limits.ts'
import { renderStills } from '../src/stills/render-stills.ts'
import { robotFolders } from './support/robot-folder.ts'

const chromium = await findChromium(process.env.HUB_CHROMIUM, process.env.PATH)
const program = 'program' in chromium ? chromium.program : ''
const noDrawing = sampleSize(1, 0) === 0 ? 'in `npm run test:torture` alone' : 'missing' in chromium && chromium.missing
const shared = sharedDir()
const output = join(import.meta.dirname, '../../../test-output/stills')
const robots = robotFolders()
const log = () => undefined
const noSignal = new AbortController().signal

/** Where Chromium's folders are made: empty after each of its runs. */
let temporary: string
const before = process.env.TMPDIR
beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'hub-stills-test-'))
  process.env.TMPDIR = temporary
  await mkdir(output, { recursive: true })
})
afterAll(async () => {
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  await rm(temporary, { recursive: true, force: true })
})
const foldersOfChromium = () => readdirSync(temporary).filter((name) => /^hub-stills-(?!test)/.test(name))

describe('the stills of', needs(noDrawing, noRobots), () => {
  it.each([
    ['trossen_wx250s', 'scene.xml'],
    ['trs_so_arm100', 'scene.xml'],
    ['google_barkour_vb', 'scene.xml'],
    ['google_barkour_vb', 'scene_hfield_mjx.xml'],
    ['bitcraze_crazyflie_2', 'scene.xml'],
    ['so100_urdf', 'so100.urdf'],
  ])('%s/%s are both drawn', async (robot, entry) => {
    const { stills, lines } = await robots.check(
      join(shared ?? '', 'robots', robot),
      { entry, base: 'fixed' },
      { chromium },
    )
    expect(stills, lines.join('\n')).toHaveLength(2)
    for (const { name, bytes } of stills)
      await writeFile(join(output, `${robot}-${entry.replace(/\W/g, '-')}-${name}`), bytes)
  })
})

/** A wavy square as a binary STL of so many facets. */
function stl(side: number, phase: number): Buffer {
  const facets = 2 * side * side
  const bytes = Buffer.alloc(84 + 50 * facets)
  bytes.writeUInt32LE(facets, 80)
  const point = (x: number, y: number) => [
    x / side,
    y / side,
    0.1 * Math.sin((9 * x) / side + phase) * Math.cos((7 * y) / side),
  ]
  let at = 84
  const facet = (...corners: number[][]) => {
    for (const [index, value] of corners.flat().entries()) bytes.writeFloatLE(value, at + 12 + 4 * index)
    at += 50
  }
  for (let x = 0; x < side; x += 1)
    for (let y = 0; y < side; y += 1) {
      facet(point(x, y), point(x + 1, y), point(x + 1, y + 1))
      facet(point(x, y), point(x + 1, y + 1), point(x, y + 1))
    }
  return bytes
}

describe('a model of a million triangles', needs(noDrawing), () => {
  it('is drawn within the limits', async () => {
    const numbers = [0, 1, 2, 3, 4, 5]
    const meshes = numbers.map((at) => `<mesh name="m${at}" file="m${at}.stl" inertia="shell"/>`).join('')
    const bodies = numbers
      .map((at) => `<body pos="0 0 ${at / 4}"><geom type="mesh" mesh="m${at}" contype="0" conaffinity="0"/></body>`)
      .join('')
    const text = `<mujoco><asset>${meshes}</asset><worldbody>${bodies}</worldbody></mujoco>`
    const folder = await robots.folder({ 'model.xml': text })
    for (const at of numbers) await writeFile(join(folder, `m${at}.stl`), stl(300, at))
    const files = ['model.xml', ...numbers.map((at) => `m${at}.stl`)].map((path) => ({
      path,
      file: join(folder, path),
    }))
    // MuJoCo itself takes more to compile it than a check gives.
    const limits = { ...engineLimits, memoryMiB: 3072 }
    const job = { files, entry: 'model.xml', entryText: null, convertTo: null, pose: null, limits }
    const run = await runEngine({ ...job, scene: { maxBytes: stillsLimits.sceneBytes } }, log, noSignal)
    if (!run.scene || 'missing' in run.scene) throw new Error(`No scene: ${JSON.stringify(run)}`)
    const triangles = decodeScene(run.scene).meshes.reduce((sum, mesh) => sum + mesh.triangles.length / 3, 0)
    expect(triangles).toBe(1_080_000)
    const lines: string[] = []
    const stills = await renderStills({ scene: run.scene, program, signal: noSignal, log: (line) => lines.push(line) })
    expect(stills).toEqual({ light: expect.any(Uint8Array), dark: expect.any(Uint8Array) })
    process.stdout.write(`a million triangles: ${lines.join()}\n`)
  })
})

describe('Chromium', needs(noDrawing), () => {
  const small = encodeScene(scene([geom()]))

  it('draws the same picture of the same scene', async () => {
    const draw = () => renderStills({ scene: small, program, signal: noSignal, log })
    const first = await draw()
    expect(first).toHaveProperty('light')
    expect(await draw()).toEqual(first)
    expect(foldersOfChromium()).toEqual([])
  })

  it.each([
    ['time', { timeS: 1 }, 'longer than 1 s'],
    ['memory', { memoryMiB: 48 }, 'Chromium did not draw them'],
    ['picture', { pngBytes: 100 }, '100 is the limit'],
  ])('is ended at its limit of %s, and leaves nothing behind', async (_, changed, reason) => {
    const limits = { ...stillsLimits, ...changed }
    const stills = await renderStills({ scene: small, program, signal: noSignal, log, limits })
    expect(stills).toEqual({ skipped: expect.stringContaining(reason) })
    expect(foldersOfChromium()).toEqual([])
  })

  it('is ended when its caller stops waiting', async () => {
    const stop = new AbortController()
    const drawing = renderStills({ scene: small, program, signal: stop.signal, log })
    const group = await groupOfChromium()
    stop.abort(new Error('canceled'))
    await expect(drawing).rejects.toThrow('canceled')
    await vi.waitFor(() => expect(isAlive(group)).toBe(false), 100_000)
    expect(foldersOfChromium()).toEqual([])
  })

  it('ends with its worker', async () => {
    const file = join(temporary, 'scene')
    await writeFile(file, small)
    const worker = fork(join(import.meta.dirname, 'support/killed-drawer.ts'), [program, file], {
      env: { TMPDIR: temporary },
    })
    const group = await groupOfChromium()
    worker.kill('SIGKILL')
    await vi.waitFor(() => expect(isAlive(group)).toBe(false), 100_000)
    for (const name of foldersOfChromium()) await rm(join(temporary, name), { recursive: true })
  })
})

/** Of the Chromium that was just started. */
function groupOfChromium(): Promise<number> {
  return vi.waitFor(() => {
    const [folder] = foldersOfChromium()
    const file = join(temporary, folder ?? '', 'group')
    if (!folder || !existsSync(file)) throw new Error('Chromium was not started yet.')
    const group = Number(readFileSync(file, 'utf8'))
    if (group <= 1) throw new Error('Its group is not known yet.')
    return group
  }, 100_000)
}

function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}
