// @module-tag sampled
/** The stills of a robot check: what is drawn, by whom, and what happens where nothing can be drawn. MuJoCo runs for real, and Chromium where there is one. */
import { readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { findChromium } from '@hub/check-worker/stills/find-chromium'
import { claimedCheck } from '@hub/client/check-shapes'
import type { HubClient } from '@hub/client/internal'
import { newId } from '@hub/formats/ids'
import { decodeScene } from '@hub/robot-view/scene/scene-bytes'
import { needs } from '@hub/testing/needs'
import { describeOnce, itInTorture, itOnce, sampleSize } from '@hub/testing/torture'
import { describe, expect, it } from 'vitest'
import { engineLimits } from '../../packages/check-worker/src/engine/limits.ts'
import { runEngine } from '../../packages/check-worker/src/engine/run-engine.ts'
import { checkFiles } from '../../packages/check-worker/src/serve/check-files.ts'
import { judgeCheck } from '../../packages/check-worker/src/serve/judge-check.ts'
import { keepVerdict, keptVerdict } from '../../packages/check-worker/src/serve/verdict.ts'
import { stillsLimits } from '../../packages/check-worker/src/stills/limits.ts'
import { renderStills } from '../../packages/check-worker/src/stills/render-stills.ts'
import { readPng } from '../../packages/check-worker/test/support/png.ts'
import { robotFolders, tetrahedron } from '../../packages/check-worker/test/support/robot-folder.ts'
import { isArtifactName } from '../../src/checks/artifacts/artifact-name.ts'

const robots = robotFolders()
const chromium = await findChromium(process.env.HUB_CHROMIUM, process.env.PATH)
const noDrawing = sampleSize(1, 0) === 0 ? 'in `npm run test:torture` alone' : 'missing' in chromium && chromium.missing
const noSignal = new AbortController().signal

async function sceneBytesOf(files: Readonly<Record<string, string>>, maxBytes = stillsLimits.sceneBytes) {
  const folder = await robots.folder(files)
  const job = {
    files: Object.keys(files).map((path) => ({ path, file: join(folder, path) })),
    entry: 'model.xml',
    entryText: null,
    convertTo: null,
    pose: { swing: Math.PI / 2 },
    scene: { maxBytes },
    limits: { ...engineLimits, simulatedS: 0.01 },
  }
  const { scene, end } = await runEngine(job, () => undefined, noSignal)
  expect(end).toEqual({ why: 'done' })
  if (scene === null) throw new Error('No scene was made.')
  return scene
}

async function sceneOf(worldbody: string, assets = '', files: Readonly<Record<string, string>> = {}) {
  const text = `<mujoco model="&lt;script&gt;"><asset>${assets}</asset><worldbody>${worldbody}</worldbody></mujoco>`
  const bytes = await sceneBytesOf({ 'model.xml': text, ...files })
  if ('missing' in bytes) throw new Error(bytes.missing)
  // Whatever a model is called and says of itself stays behind.
  expect(Buffer.from(bytes).toString('latin1')).not.toContain('script')
  return decodeScene(bytes)
}

describe('the scene of a model', () => {
  itOnce(
    'has each shape that MuJoCo shows, in the frame of its body, at the pose of the check, and no text of the model',
    async () => {
      const { bodies, geoms } = await sceneOf(`<geom type="plane" size="1 1 .1"/>
      <body name="&lt;script&gt;" pos="0 0 1"><joint name="swing" axis="0 0 1"/>
        <geom type="capsule" size=".1 .2" pos=".5 0 0" rgba="1 0 0 .5"/><geom size=".1" group="3"/>
        <geom type="box" size=".1 .2 .3" rgba="0 0 0 0"/>
        <body pos="2 0 0"><geom type="cylinder" size=".1 .2"/></body></body>`)
      expect(geoms.map(({ shape, body }) => `${shape} of ${body}`)).toEqual([
        'plane of 0',
        'capsule of 1',
        'cylinder of 2',
      ])
      expect(geoms[1]).toMatchObject({ color: [1, 0, 0, 0.5], size: [expect.closeTo(0.1), expect.closeTo(0.2), 0] })
      expect(geoms[1]?.position).toEqual([0.5, 0, 0])
      expect(bodies.map(({ parent }) => parent)).toEqual([0, 0, 1])
      expect(bodies[2]?.position.map((value) => Number(value.toFixed(6)))).toEqual([0, 2, 1])
    },
  )

  itInTorture('shows all groups of a model that has nothing in those that are shown', async () => {
    const { geoms } = await sceneOf('<geom type="plane" size="1 1 .1"/><body><geom size=".1" group="3"/></body>')
    expect(geoms.map(({ shape }) => shape)).toEqual(['plane', 'sphere'])
  })

  itInTorture(
    'has one copy of a mesh, with the colour and the texture of its material, and a height field as a mesh',
    async () => {
      const asset = `<mesh name="t" file="t.obj"/><texture name="x" type="2d" builtin="flat" rgb1="1 .5 0" width="8" height="8"/>
      <material name="m" texture="x" rgba=".5 1 1 1"/>
      <hfield name="h" nrow="2" ncol="3" size="1 2 .5 .1" elevation="0 0 0 0 0 1"/>`
      const { geoms, meshes, textures } = await sceneOf(
        `<geom type="hfield" hfield="h"/>
      <body><geom type="mesh" mesh="t" material="m"/><geom type="mesh" mesh="t" material="m" rgba="0 0 1 1"/></body>`,
        asset,
        { 't.obj': tetrahedron },
      )
      expect(geoms.map(({ shape, mesh }) => `${shape} ${mesh}`)).toEqual(['hfield 0', 'mesh 1', 'mesh 1'])
      expect(geoms[1]?.color.map((value) => Number(value.toFixed(2)))).toEqual([0.5, 1, 1, 1])
      expect(geoms.map(({ wrap }) => wrap?.texture ?? null)).toEqual([null, 0, 0])
      expect([...(textures[0]?.pixels ?? [])].slice(0, 4)).toEqual([255, 127, 0, 255])
      expect(geoms[2]?.color).toEqual([0, 0, 1, 1])
      expect(meshes.map(({ positions, triangles }) => [positions.length / 3, triangles.length / 3])).toEqual([
        [6, 4],
        [4, 4],
      ])
      // The rows of an elevation begin with the farthest.
      expect([...(meshes[0]?.positions ?? [])].slice(6, 9)).toEqual([1, -2, 0.5])
    },
  )

  itInTorture('leaves out shapes for collisions over meshes that are there to be seen', async () => {
    const { geoms } = await sceneOf(
      `<body><geom type="mesh" mesh="t" contype="0" conaffinity="0" group="1"/><geom type="box" size=".2 .2 .2"/></body>
      <body><geom type="box" size=".2 .2 .2"/></body>`,
      '<mesh name="t" file="t.obj"/>',
      { 't.obj': tetrahedron },
    )
    expect(geoms.map(({ shape, body }) => `${shape} of ${body}`)).toEqual(['mesh of 1', 'box of 2'])
  })

  itInTorture(
    'is missing where its meshes are larger than a picture may take, and the check is not touched',
    async () => {
      const text = `<mujoco><asset><mesh name="t" file="t.obj"/></asset><worldbody><body><geom type="mesh" mesh="t"/></body></worldbody></mujoco>`
      expect(await sceneBytesOf({ 'model.xml': text, 't.obj': tetrahedron }, 64)).toEqual({
        missing: expect.stringContaining('4 triangles'),
      })
    },
  )
})

describeOnce('Chromium', () => {
  it('is the program of HUB_CHROMIUM, else the first one in PATH, else missing with the reason', async () => {
    const folder = await robots.folder({ 'bin/chromium-browser': '#!/bin/sh\n', 'plain/chromium': '' })
    const program = join(folder, 'bin/chromium-browser')
    await chmod(program, 0o755)
    expect(await findChromium(program, '')).toEqual({ program })
    expect(await findChromium(undefined, `relative:${folder}/plain:${folder}/bin`)).toEqual({ program })
    expect(await findChromium('', `${folder}/plain`)).toEqual({
      missing: expect.stringMatching(/^No chromium, .* in PATH: .*HUB_CHROMIUM.* \(apt install chromium\)\.$/),
    })
    expect(await findChromium('off', `${folder}/bin`)).toEqual({
      missing: 'HUB_CHROMIUM is off: unset it, or set it to the path of a Chromium (apt install chromium).',
    })
    expect(await findChromium('chromium', `${folder}/bin`)).toEqual({
      missing: expect.stringMatching(/absolute .* \(apt install chromium\)\.$/),
    })
  })

  it('that does not start leaves the stills out, and the check goes on', async () => {
    const folder = await robots.folder({
      'model.xml': '<mujoco><worldbody><body><geom size=".1"/></body></worldbody></mujoco>',
      'not-a-browser': '#!/bin/sh\nexit 3\n',
    })
    await chmod(join(folder, 'not-a-browser'), 0o755)
    const { stills, lines, statuses } = await robots.check(
      folder,
      { entry: 'model.xml' },
      { chromium: { program: join(folder, 'not-a-browser') } },
    )
    expect(stills).toEqual([])
    expect(statuses['sim.compiles']).toBe('pass')
    // Who waits for the seconds that a picture takes is told why.
    expect(lines).toContain('stills: drawing')
    expect(lines.filter((line) => line.startsWith('no stills: '))).toHaveLength(1)
  })
})

/** As the hub answers a claim. */
const robotCheck = {
  ...{ id: newId('check'), kind: 'robot', status: 'running', executor: 'worker', created_at: '2026-01-31T09:30:00Z' },
  ...{ entry: 'model.xml', control_hz: 50, action: 'position', sources: [] },
}

const robot = `<mujoco><worldbody><geom type="plane" size="5 5 .1" rgba="0 1 0 1"/>
  <body name="&lt;img src=x onerror=alert(1)&gt;" pos="0 0 .3"><geom type="box" size=".3 .3 .3" rgba=".9 .05 .05 1"/></body></worldbody></mujoco>`

// One start of Chromium, in the torture run, since each takes seconds of all cores; `stills-of-robots.test.ts` has more.
describe('the worker with Chromium', needs(noDrawing), () => {
  it('has a light and a dark still of the robot alone among its artifacts, whatever its names say', async () => {
    const files = checkFiles(await robots.folder({ 'check_1/sources/model.xml': robot }), 'check_1')
    const lines: string[] = []
    const judge = { client: {} as HubClient, pool: robots.pool, mirror: null, chromium }
    const check = claimedCheck.parse(robotCheck)
    const judging = { check, files, log: (line: string) => lines.push(line), signal: noSignal }
    await keepVerdict(files, await judgeCheck(judge, judging))
    const { artifacts } = await keptVerdict(files)
    const pictures = artifacts.filter(({ contentType }) => contentType === 'image/png')
    expect(
      pictures.map(({ name }) => name),
      lines.join('\n'),
    ).toEqual(['thumbnail.png', 'thumbnail-dark.png'])
    expect(pictures.every(({ name }) => isArtifactName(name, { kind: 'robot', entry: 'model.xml' }))).toBe(true)
    const [light, dark] = pictures.map(({ file }) => readPng(readFileSync(file)))
    if (!light || !dark) throw new Error('There are two stills.')
    for (const { width, height, pixel } of [light, dark]) {
      expect([width, height]).toEqual([1024, 768])
      const [red, green, blue] = pixel(512, 384)
      expect(red).toBeGreaterThan(2 * Math.max(green, blue))
    }
    expect(Math.min(...light.pixel(20, 20))).toBeGreaterThan(200)
    expect(Math.max(...dark.pixel(20, 20))).toBeLessThan(80)
  })
})

itOnce('stops drawing when nobody waits any longer', async () => {
  const signal = AbortSignal.abort(new Error('canceled'))
  const request = { scene: new Uint8Array(), program: '/bin/false', signal, log: () => undefined }
  await expect(renderStills(request)).rejects.toThrow('canceled')
})
