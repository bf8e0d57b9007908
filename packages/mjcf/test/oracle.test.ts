/** The reference for the reader must itself distinguish a rejection from a crash, and one model from the next. */
import { afterAll, expect, it } from 'vitest'
import { openOracle } from './oracle/mujoco.ts'

const oracle = openOracle({ limitMs: 5_000 })
afterAll(() => oracle.close())

const judge = (files: Record<string, string>) => oracle.judge({ files, entry: 'main.xml' })

it('reports how MuJoCo compiled a model, and which files it read', async () => {
  const judgement = await judge({
    'main.xml': '<mujoco model="m"><include file="parts/arm.xml"/><keyframe><key/><key name="up"/></keyframe></mujoco>',
    'parts/arm.xml': `<mujoco><worldbody><body name="arm"><freejoint name="root"/><geom size=".1"/>
      <body><joint name="elbow" type="slide"/><geom size=".1"/></body></body></worldbody></mujoco>`,
    'parts/unused.xml': '<mujoco/>',
  })
  expect(judgement).toEqual({
    verdict: 'compiles',
    compiled: {
      model: 'm',
      joints: [
        { name: 'root', type: 'free', root: 0 },
        { name: 'elbow', type: 'slide', root: 0 },
      ],
      roots: [{ name: 'arm', floating: true }],
      base: 'floating',
      keyframes: [null, 'up'],
      names: { bodies: ['arm'], sites: [], cameras: [], actuators: [] },
      sizes: { nq: 8, nv: 7, nu: 0, na: 0 },
      files: ['main.xml', 'parts/arm.xml'],
    },
  })
})

it("passes on MuJoCo's error message", async () => {
  const judgement = await judge({ 'main.xml': '<mujoco><foo/></mujoco>' })
  expect(judgement).toMatchObject({ verdict: 'refused', error: expect.stringContaining('unrecognized element') })
})

it('is case-sensitive in paths, as a disk is', async () => {
  const judgement = await judge({ 'main.xml': '<mujoco><include file="A.xml"/></mujoco>', 'a.xml': '<mujoco/>' })
  expect(judgement).toMatchObject({ verdict: 'refused', error: expect.stringContaining("opening file 'A.xml'") })
})

it('has no verdict on a model that crashes MuJoCo, and continues with the next one', async () => {
  const deep = `${'<body>'.repeat(400)}${'</body>'.repeat(400)}`
  expect(await judge({ 'main.xml': `<mujoco><worldbody>${deep}</worldbody></mujoco>` })).toMatchObject({
    verdict: 'none',
  })
  expect(await judge({ 'main.xml': '<mujoco><worldbody/></mujoco>' })).toMatchObject({ verdict: 'compiles' })
})
