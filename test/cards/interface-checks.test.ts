import { describe, expect, it } from 'vitest'
import { armReading, goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { face, judge, one, told } from '../support/card-verdicts.ts'

describe('interface.joint_order', () => {
  it.each([
    ['a joint twice', ['shoulder', 'elbow', 'shoulder'], ['shoulder'], 2, null],
    ['a joint that is not there, with the nearest one', ['shouldr', 'elbow'], ['shouldr'], 0, 'Did you mean shoulder?'],
    ['a ball joint', ['shoulder', 'ball'], ['ball'], 1, /Remove it/],
    ['an actuator', ['shoulder', 'shoulder_motor'], ['shoulder_motor'], 1, 'Did you mean shoulder?'],
  ])('fails for %s', (_what, joint_order, names, index, hint) => {
    const check = one('interface.joint_order', face({ joint_order }))
    expect([check.status, check.names, check.loc]).toEqual(['fail', names, ['interface', 'joint_order', index]])
    if (hint !== null) expect(check.hint).toMatch(hint)
  })

  it('names every offender at once, each with its own place', () => {
    const check = one('interface.joint_order', face({ joint_order: ['a1', 'elbow', 'b2', 'elbow'] }))
    expect(check.names).toEqual(['elbow', 'a1', 'b2'])
    expect(check.data?.faults).toHaveLength(3)
  })

  it('is skipped where the joints could not be decided, unless all are known or one stands there twice', () => {
    const open = armReading({ undecided: [{ about: 'joints', reason: 'A plugin makes joints.' }] })
    expect(one('interface.joint_order', goodCard(), open).status).toBe('pass')
    const unknown = one('interface.joint_order', face({ joint_order: ['maybe'] }), open)
    expect([unknown.status, unknown.message]).toEqual(['skip', 'A plugin makes joints.'])
    expect(one('interface.joint_order', face({ joint_order: ['maybe', 'maybe'] }), open).status).toBe('fail')
  })

  it('runs while a mesh is missing', () => {
    const missing = [{ path: 'x', alternatives: [], kind: 'mesh', file: 'arm.xml', line: 1 }]
    expect(one('interface.joint_order', face({ joint_order: ['nowhere'] }), armReading({ missing })).status).toBe(
      'fail',
    )
  })
})

describe('interface.base', () => {
  const cube = { name: 'cube', floating: true }
  const robot = { name: 'robot', floating: true }
  const beside = (...roots: { name: string; floating: boolean }[]) => armReading({ roots, base: 'floating' })

  it('is that of the body above the joints, not of a separate free object', () => {
    expect(one('interface.base', goodCard(), beside({ name: 'base', floating: false }, cube)).status).toBe('pass')
    expect(told('interface.base', face({ base: 'floating' }), beside({ name: 'base', floating: false }, cube))).toEqual(
      ['fail', ['base'], 'interface.base'],
    )
    expect(one('interface.base', face({ base: 'floating' }), beside(robot)).status).toBe('pass')
    expect(told('interface.base', goodCard(), beside(robot))).toEqual(['fail', ['robot'], 'interface.base'])
  })

  it('of a robot without joints is that of its only kind of body', () => {
    const drone = (base: string) => face({ base, joint_order: [], actuation: [], parts: [] })
    expect(one('interface.base', drone('floating'), beside(robot)).status).toBe('pass')
    expect(one('interface.base', drone('fixed'), beside(robot)).status).toBe('fail')
    expect(one('interface.base', drone('floating'), armReading()).status).toBe('fail')
    expect(one('interface.base', drone('fixed'), beside({ name: 'base', floating: false }, cube)).status).toBe('skip')
  })

  it('is not guessed where nothing tells it', () => {
    expect(one('interface.base', face({ joint_order: ['nowhere'] })).status).toBe('skip')
    expect(one('interface.base', face({ base: 'tracked' })).status).toBe('skip')
    expect(
      one('interface.base', goodCard(), armReading({ undecided: [{ about: 'base', reason: 'A plugin.' }] })).message,
    ).toBe('A plugin.')
  })

  it('warns of a height that only a floating base has', () => {
    expect(told('interface.base', face({ init_base_height_m: 0.3 }))).toEqual([
      'warn',
      ['init_base_height_m'],
      'interface.init_base_height_m',
    ])
  })
})

describe('what an interface says of its joints', () => {
  it.each([
    ['interface.default_pose', { default_pose: { elbw: 0 } }, ['elbw'], 'interface.default_pose.elbw'],
    [
      'interface.actuation',
      { actuation: [{ joints: ['wrist'], mode: 'position' }] },
      ['wrist'],
      'interface.actuation.0.joints.0',
    ],
    [
      'interface.actuation',
      {
        actuation: [
          { joints: ['elbow'], mode: 'position' },
          { joints: ['shoulder', 'elbow'], mode: 'torque' },
        ],
      },
      ['elbow'],
      'interface.actuation.1.joints.1',
    ],
    [
      'interface.actuation',
      { actuation: [{ joints: ['elbow', 'elbow'], mode: 'position' }] },
      ['elbow'],
      'interface.actuation.0.joints.1',
    ],
    [
      'interface.action',
      { action: { semantics: 'position', scale: 1, scale_per_joint: { elbow: 1, wrist: 2 } } },
      ['wrist'],
      'interface.action.scale_per_joint.wrist',
    ],
    [
      'interface.parts',
      { parts: [{ name: 'arm', kind: 'arm', joints: ['elbow', 'wrist'] }] },
      ['wrist'],
      'interface.parts.0.joints.1',
    ],
  ])('fails %s for a joint that is not in joint_order or driven twice', (code, change, names, loc) => {
    expect(told(code, face(change))).toEqual(['fail', names, loc])
  })

  it('is held against joint_order and not the model, so that it needs none', () => {
    const card = goodCard({ mjcf_path: null, interface: goodInterface({ default_pose: { nowhere: 1 } }) })
    expect(one('interface.default_pose', card, null).status).toBe('fail')
  })

  it('takes names that objects have of themselves for names', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
      expect(one('interface.default_pose', face({ default_pose: { [name]: 0 } })).names).toEqual([name])
      expect(one('interface.joint_order', face({ joint_order: [name] })).names).toEqual([name])
    }
  })

  it('warns of a pose outside the limits of the card', () => {
    const card = goodCard({
      limits: { elbow: { lower: 0, upper: 1 } },
      interface: goodInterface({ default_pose: { elbow: 1.5, shoulder: 99 } }),
    })
    expect(told('interface.default_pose', card)).toEqual(['warn', ['elbow'], 'interface.default_pose.elbow'])
  })
})

describe('what an interface says of the model', () => {
  const effector = (change: Record<string, unknown>) =>
    face({ end_effectors: [{ name: 'g', in_mjcf: true, ...change }] })

  it.each([
    ['interface.default_keyframe', face({ default_keyframe: 'hme' }), ['hme'], 'interface.default_keyframe'],
    ['interface.end_effectors', effector({ site: 'hand' }), ['hand'], 'interface.end_effectors.0.site'],
    ['interface.end_effectors', effector({ body: 'tip' }), ['tip'], 'interface.end_effectors.0.body'],
    [
      'interface.end_effectors',
      effector({ gripper_joint: 'claw' }),
      ['claw'],
      'interface.end_effectors.0.gripper_joint',
    ],
    ['interface.feet', face({ feet: ['hand', 'tip', 'shoulder'] }), ['shoulder'], 'interface.feet.2'],
  ])('fails %s for what the model lacks', (code, document, names, loc) => {
    expect(told(code, document)).toEqual(['fail', names, loc])
  })

  it('passes for existing parts, and for a tool marked as not in the model', () => {
    expect(one('interface.default_keyframe', face({ default_keyframe: 'home' })).status).toBe('pass')
    expect(one('interface.end_effectors', effector({ site: 'tip', body: 'hand', gripper_joint: 'ball' })).status).toBe(
      'pass',
    )
    expect(one('interface.end_effectors', effector({ in_mjcf: false, site: 'nowhere', body: 'nowhere' })).status).toBe(
      'pass',
    )
  })

  it('is skipped where the keyframes could not be decided', () => {
    const open = armReading({ undecided: [{ about: 'keyframes', reason: 'Unknown.' }] })
    expect(one('interface.default_keyframe', face({ default_keyframe: 'other' }), open).status).toBe('skip')
    expect(one('interface.default_keyframe', face({ default_keyframe: 'home' }), open).status).toBe('pass')
  })
})

describe('an interface may leave out', () => {
  const { version, base, joint_order, control_rate_hz, actuation, action } = goodInterface()
  const least = { version, base, joint_order, control_rate_hz, actuation, action }
  const names = ['proprioception', 'parts', 'end_effectors', 'feet', 'cameras', 'command_space', 'safety']

  it('its lists, its command space and its safety: nothing fails or warns for it', () => {
    for (const inner of [least, { ...least, ...Object.fromEntries(names.map((name) => [name, null])) }]) {
      const checks = judge({ dof: 2, mjcf_path: 'arm.xml', interface: inner })
      expect(checks.filter(({ status }) => status === 'fail' || status === 'warn')).toEqual([])
    }
  })

  it('in_mjcf, which holds a name against the model unless it is false', () => {
    for (const in_mjcf of [undefined, null, true])
      expect(
        one('interface.end_effectors', face({ end_effectors: [{ name: 'g', site: 'top', in_mjcf }] })).status,
      ).toBe('fail')
  })

  it('not a member that the schema refuses: the check says so', () => {
    for (const [code, change] of [
      ['interface.feet', { feet: [7] }],
      ['interface.cameras', { cameras: 'none' }],
      ['interface.ranges', { safety: {} }],
      ['interface.default_pose', { default_pose: [] }],
      ['interface.default_keyframe', { default_keyframe: '' }],
    ] as const) {
      const { status, message } = one(code, face(change))
      expect([code, status, message]).toEqual([
        code,
        'skip',
        `interface.${Object.keys(change)[0]} does not match the schema.`,
      ])
    }
    for (const [code, change] of [
      ['card.limits', { limits: 7 }],
      ['card.thumbnails', { thumbnail_paths: { light: 'a.png' } }],
      ['mjcf.exists', { mjcf_path: '../arm.xml' }],
      ['interface.joint_order', { mjcf_path: '../arm.xml' }],
    ] as const) {
      const { status, message } = one(code, { ...goodCard(), ...change }, null)
      expect([code, status, message]).toEqual([code, 'skip', `${Object.keys(change)[0]} does not match the schema.`])
    }
  })
})
