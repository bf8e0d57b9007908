/** Models that need code besides MuJoCo. */
import { expect, it } from 'vitest'
import { readModel } from '../src/read-model.ts'
import { memoryFiles } from './memory-files.ts'

const arm = '<worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>'
const pid = '<extension><plugin plugin="mujoco.pid"><instance name="i"/></plugin></extension>'

it('a model with plugins is neither accepted nor rejected, and its MJCF is read', async () => {
  const files = {
    'main.xml': `<mujoco>${pid}${arm}<asset><model name="c" file="c.xml"/></asset>
      <actuator><plugin joint="j" plugin="mujoco.pid" instance="i"/></actuator></mujoco>`,
    'c.xml': '<mujoco><extension><plugin plugin="mujoco.sdf.bolt"/></extension></mujoco>',
  }
  const { faults, undecided, joints } = await readModel(memoryFiles(files), 'main.xml')
  expect(faults).toEqual([])
  expect(undecided.map(({ about }) => about)).toEqual(['model', 'model'])
  expect(undecided.map(({ reason }) => reason).join()).toMatch(/mujoco\.pid.*mujoco\.sdf\.bolt/)
  expect(joints).toMatchObject([{ name: 'j' }])
})

it('a model without plugins gets a verdict', async () => {
  const { undecided } = await readModel(memoryFiles({ 'main.xml': `<mujoco>${arm}</mujoco>` }), 'main.xml')
  expect(undecided).toEqual([])
})
