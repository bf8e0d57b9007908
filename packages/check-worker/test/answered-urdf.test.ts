/** Answers are written into a URDF where MuJoCo reads them; everything else, including lines, stays unchanged. */

import { expect, it } from 'vitest'
import { answeredUrdf } from '../src/urdf/answered-urdf.ts'

const answered = (text: string, base: string | null, discardVisual: boolean | null = null) =>
  answeredUrdf(new TextEncoder().encode(text), 'r.urdf', { base, discardVisual })

const links =
  '<link name="a"/>\n\n<link name="b"/>\n<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>'

it('changes nothing if there is no answer to apply', () => {
  expect(answered(`<robot name="r">${links}</robot>`, 'fixed').text).toBeNull()
})

it('connects the root link to the world by a free joint with a unique name', () => {
  const { text, baseJoint } = answered(`<robot name="r">${links.replace('"j"', '"floating_base"')}</robot>`, 'floating')
  expect(baseJoint).toBe('floating_base_')
  expect(text).toContain(
    '<joint name="floating_base_" type="floating"><parent link="world"></parent><child link="a"></child></joint>',
  )
})

it.each([
  ['a link named world', `<link name="world"/>${links}`, 'ties the robot to a link named world'],
  ['two roots', `<link name="c"/>${links}`, '2 root links'],
])('does not guess what floats in a robot with %s', (_, inside, why) => {
  const { text, needs } = answered(`<robot name="r">${inside}</robot>`, 'floating')
  expect(text).toBeNull()
  expect(needs).toEqual([
    expect.objectContaining({ field: 'base', severity: 'blocking', why: expect.stringContaining(why) }),
  ])
})

it('does not change a robot that already floats', () => {
  const { text, needs } = answered(`<robot name="r">${links.replace('revolute', 'floating')}</robot>`, 'floating')
  expect({ text, needs }).toEqual({ text: null, needs: [] })
})

it('sets discardvisual in the only compiler element that a URDF may have', () => {
  expect(answered(`<robot name="r">${links}</robot>`, null, false).text).toContain(
    '<mujoco><compiler discardvisual="false"></compiler></mujoco>',
  )
  const own = `<robot name="r"><mujoco><option/><compiler meshdir="m" discardvisual="true"/></mujoco>${links}</robot>`
  const { text } = answered(own, null, false)
  expect(text).toContain('<compiler meshdir="m" discardvisual="false"></compiler>')
  expect(text?.match(/<compiler/g)).toHaveLength(1)
})

it('keeps lines and unusual characters unchanged', () => {
  const source = `<?xml version="1.0"?>\n<!-- a\ncomment -->\n<robot name="&lt;a&quot; &amp;x;">\n${links}\n</robot>`
  const text = answered(source, null, true).text ?? ''
  const lineOf = (document: string, part: string) => document.slice(0, document.indexOf(part)).split('\n').length
  for (const part of ['<robot', 'name="b"', 'name="j"']) expect(lineOf(text, part)).toBe(lineOf(source, part))
  expect(text).toContain('<robot name="&lt;a&quot; &amp;x;">')
})

it('reads what MuJoCo drops: speeds and the mass of the base', () => {
  const { velocities, massKg } = answered(
    `<robot name="r"><link name="a"><inertial><mass value="2.5"/></inertial></link>
      <link name="b"><inertial><mass value=".5"/></inertial></link>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit velocity="3"/></joint>
      <joint name="k" type="fixed"><limit velocity="0"/></joint></robot>`,
    null,
  )
  expect([...velocities]).toEqual([['j', 3]])
  expect(massKg).toBe(3)
})
