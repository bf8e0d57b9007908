/** The letters of a root element: MuJoCo has the last word. */
import { afterAll, describe, expect, it } from 'vitest'
import { agreedReading } from './agreed-reading.ts'
import { openOracle } from './oracle/mujoco.ts'

const oracle = openOracle()
afterAll(() => oracle.close())

const mjcf = (root: string) =>
  `<${root}><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody></${root}>`
const urdf = (root: string) => `<${root} name="r"><link name="a"/></${root}>`
const including = '<mujoco><include file="part.xml"/></mujoco>'
const containing = '<mujoco><asset><model name="m" file="part.xml"/></asset></mujoco>'

describe('a root is accepted or rejected as in MuJoCo', () => {
  it.each(['mujoco', 'MuJoCo', 'MUJOCO', 'Mujoco', 'mujoco2'])(
    '<%s>, as entry, included and contained',
    async (root) => {
      await agreedReading(oracle, { 'main.xml': mjcf(root) })
      await agreedReading(oracle, { 'main.xml': including, 'part.xml': mjcf(root) })
      await agreedReading(oracle, { 'main.xml': containing, 'part.xml': mjcf(root) })
    },
  )

  it.each(['robot', 'Robot', 'ROBOT'])('<%s>, as entry and contained', async (root) => {
    await agreedReading(oracle, { 'main.xml': urdf(root) })
    await agreedReading(oracle, { 'main.xml': containing, 'part.xml': urdf(root) })
  })
})

it('of MJCF in another letter case is reported with its place, together with other faults', async () => {
  const text = mjcf('MuJoCo').replace('<geom', '<geom material="none"')
  const { faults, format, joints } = await agreedReading(oracle, { 'main.xml': `\n${text}` })
  expect(faults.map(({ kind, line, names }) => [kind, line, names])).toEqual([
    ['schema', 2, ['MuJoCo']],
    ['reference', 2, ['none']],
  ])
  expect([format, joints.map(({ name }) => name)]).toEqual(['mjcf', ['j']])
})
