import { readFileSync } from 'node:fs'
import type { ModelReading } from '@hub/mjcf/reading'
import { gradeOf } from '@hub/mjcf/verdict/check'
import { cardChecks } from '@hub/robot-card/card-checks'
import { readCard } from '@hub/robot-card/read-card'
import { cpuWithin } from '@hub/testing/cpu'
import { describe, expect, it } from 'vitest'
import { armReading, goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { checkCodes } from '../../src/cards/check-codes.ts'

const judge = (document: unknown, reading: ModelReading | null = armReading(), stills: string[] = []) =>
  cardChecks(readCard(document), { reading, stills: new Set(stills) })

const one = (code: string, document: unknown, reading?: ModelReading | null) => {
  const found = judge(document, reading).filter((check) => check.code === code)
  const [only] = found
  if (!only || found.length > 1) throw new Error(`${found.length} checks of ${code}`)
  return only
}

const face = (change: Record<string, unknown>) => goodCard({ interface: goodInterface(change) })
const told = (code: string, document: unknown, reading?: ModelReading | null) => {
  const { status, names, loc } = one(code, document, reading)
  return [status, names, loc?.join('.') ?? null]
}

describe('the checks of a card', () => {
  it('are always all reported, in the order of the documentation', () => {
    const codes = Object.keys(checkCodes)
    const full = goodCard({
      thumbnail_paths: { light: 'a.png', dark: 'b.png' },
      limits: { elbow: { lower: 0, upper: 1 } },
    })
    for (const [document, reading] of [
      [full, armReading()],
      [goodCard({ mjcf_path: null, interface: null }), null],
      [{}, null],
      [7, null],
    ] as const) {
      const found = judge(document, reading).map(({ code }) => code)
      expect([...new Set(found)]).toEqual(codes)
    }
    const guide = readFileSync(new URL('../../docs/robot-cards.md', import.meta.url), 'utf8')
    for (const [code, { about, fix }] of Object.entries(checkCodes))
      expect(guide).toContain(`| \`${code}\` | ${about} | ${fix} |`)
  })

  it('pass for a card with nothing wrong', () => {
    const checks = judge(goodCard())
    expect(checks.filter(({ status }) => status === 'fail' || status === 'warn')).toEqual([])
    expect(gradeOf(checks)).toBe('pass')
  })

  it('make the worst of those that ran the grade', () => {
    expect(gradeOf([{ status: 'skip' }, { status: 'skip' }])).toBe('skip')
    expect(gradeOf([{ status: 'pass' }, { status: 'warn' }, { status: 'skip' }])).toBe('warn')
    expect(gradeOf([{ status: 'fail' }, { status: 'warn' }])).toBe('fail')
    expect(gradeOf([])).toBe('skip')
  })

  it('need a model only where they look at one', () => {
    const checks = judge(goodCard({ mjcf_path: null }), null)
    const skipped = checks.filter(({ status }) => status === 'skip').map(({ code }) => code)
    expect(skipped).toEqual([
      'mjcf.exists',
      'mjcf.parses',
      'assets.closure',
      'assets.readable',
      'interface.joint_order',
      'interface.base',
      'interface.default_pose',
      'interface.default_keyframe',
      'interface.end_effectors',
      'card.dof',
      'card.limits',
      'card.thumbnails',
    ])
  })

  it('skip what stands on a member that the schema refuses, and run the rest', () => {
    const document = { ...goodCard(), interface: { ...goodInterface({ feet: ['nowhere'] }), joint_order: 'shoulder' } }
    expect(told('interface.joint_order', document)).toEqual(['skip', [], null])
    expect(told('interface.feet', document)).toEqual(['fail', ['nowhere'], 'interface.feet.0'])
  })
})

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

describe('a model that was read only in part', () => {
  const cut = (change: Partial<ModelReading> = {}) => armReading({ unread: 'part.xml is missing.', ...change })
  const effector = (site: string) => face({ end_effectors: [{ name: 'g', site }] })

  it.each([
    ['interface.joint_order', goodCard(), face({ joint_order: ['shoulder', 'nowhere'] })],
    ['interface.default_keyframe', face({ default_keyframe: 'home' }), face({ default_keyframe: 'away' })],
    ['interface.end_effectors', effector('tip'), effector('top')],
    ['interface.feet', face({ feet: ['hand', 'tip'] }), face({ feet: ['hand', 'toe'] })],
  ])('%s passes for what is found and is skipped for what is not', (code, found, lost) => {
    expect(one(code, found, cut()).status).toBe('pass')
    const check = one(code, lost, cut())
    expect([check.status, check.message]).toEqual(['skip', 'part.xml is missing.'])
    expect(one(code, lost, armReading()).status).toBe('fail')
  })

  it('has what it was found to have: a joint twice or of another type in joint_order fails', () => {
    expect(told('interface.joint_order', face({ joint_order: ['elbow', 'elbow'] }), cut())[0]).toBe('fail')
    expect(told('interface.joint_order', face({ joint_order: ['nowhere', 'ball'] }), cut())).toEqual([
      'fail',
      ['ball'],
      'interface.joint_order.1',
    ])
  })

  it('may get a free joint from the part that is missing, and loses none to it', () => {
    const floating = cut({ roots: [{ name: 'base', floating: true }] })
    expect(one('interface.base', goodCard(), cut()).status).toBe('skip')
    expect(one('interface.base', face({ base: 'floating' }), cut()).status).toBe('skip')
    expect(one('interface.base', goodCard(), floating).status).toBe('fail')
    expect(one('interface.base', face({ base: 'floating' }), floating).status).toBe('pass')
  })

  it('is warned of for nothing that the missing part may bring', () => {
    expect(one('card.dof', goodCard({ dof: 17 }), cut()).status).toBe('skip')
    expect(one('card.limits', goodCard({ limits: { wrist: { lower: 0 } } }), cut()).status).toBe('pass')
  })

  it('for a cap is not guessed at either, and one of which nothing was read is not looked at', () => {
    const over = [{ kind: 'limit', message: 'Too much.', file: null, line: null, names: [], hint: null }] as const
    const lost = face({ joint_order: ['nowhere'] })
    expect(one('interface.joint_order', lost, armReading({ faults: over })).message).toBe('Too much.')
    expect(one('interface.joint_order', goodCard(), armReading({ format: null })).message).toBe(
      'arm.xml cannot be read.',
    )
  })
})

describe('a model with faults of its own', () => {
  const faulty = (kind: 'schema' | 'value' | 'reference') =>
    armReading({ faults: [{ kind, message: 'A fault.', file: 'arm.xml', line: 1, names: [], hint: null }] })

  it.each(['schema', 'value', 'reference'] as const)('of kind %s hides nothing else that is wrong', (kind) => {
    const card = face({ joint_order: ['shoulder', 'elbw'], base: 'floating', feet: ['toe'], default_keyframe: 'away' })
    const failing = judge(card, faulty(kind)).filter(({ status }) => status === 'fail')
    expect(failing.map(({ code }) => code)).toEqual([
      'mjcf.parses',
      'interface.joint_order',
      'interface.base',
      'interface.default_keyframe',
      'interface.actuation',
      'interface.parts',
      'interface.feet',
    ])
    expect(failing[1]?.message).toBe('elbw is not a joint of arm.xml as it stands.')
    expect(failing[1]?.hint).toBe('Did you mean elbow?')
  })

  it('still has what it has', () => {
    const failing = judge(goodCard(), faulty('schema')).filter(({ status }) => status === 'fail')
    expect(failing.map(({ code }) => code)).toEqual(['mjcf.parses'])
  })

  it('is called so only for faults of the document, not of its files', () => {
    const outside = armReading({
      faults: [{ kind: 'path', message: 'Out.', file: 'arm.xml', line: 1, names: ['../a.stl'], hint: null }],
    })
    const lost = judge(face({ joint_order: ['shoulder', 'elbow', 'elbw'] }), outside)
    const failing = lost.filter(({ status }) => status === 'fail')
    expect(failing.map(({ code, message }) => [code, message])).toEqual([
      ['assets.closure', 'arm.xml:1: Out.'],
      ['interface.joint_order', 'elbw is not a joint of arm.xml.'],
    ])
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

describe('numbers, words and paths', () => {
  it.each([
    [
      'interface.ranges',
      'fail',
      face({ command_space: { kind: 'velocity', ranges: { vx: [1, -1], vy: [0, 0] } } }),
      ['vx'],
      'interface.command_space.ranges.vx',
    ],
    [
      'interface.ranges',
      'warn',
      face({ safety: { soft_limit_factor: 1.1, safe_stop: 'hold' } }),
      ['soft_limit_factor'],
      'interface.safety.soft_limit_factor',
    ],
    [
      'interface.cameras',
      'warn',
      face({
        cameras: [
          { name: 'a', vla_slot: 'camera1' },
          { name: 'b', vla_slot: 'camera1' },
        ],
      }),
      ['camera1'],
      'interface.cameras.1.vla_slot',
    ],
    ['interface.cameras', 'warn', face({ cameras: [{ name: 'a' }, { name: 'a' }] }), ['a'], 'interface.cameras.1.name'],
    [
      'interface.vocabulary',
      'warn',
      face({ action: { semantics: 'positon', scale: 1 } }),
      ['positon'],
      'interface.action.semantics',
    ],
    [
      'interface.parts',
      'warn',
      face({
        parts: [
          { name: 'a', kind: 'arm', joints: [] },
          { name: 'a', kind: 'arm', joints: [] },
        ],
      }),
      ['a'],
      'interface.parts.1.name',
    ],
    ['card.limits', 'fail', goodCard({ limits: { elbow: { lower: 2, upper: 1 } } }), ['elbow'], 'limits.elbow'],
    [
      'card.limits',
      'warn',
      goodCard({ limits: { elbow: { lower: 1, upper: 1, effort: -1 } } }),
      ['elbow'],
      'limits.elbow.effort',
    ],
    ['card.limits', 'warn', goodCard({ limits: { wrist: { lower: 0 } } }), ['wrist'], 'limits.wrist'],
    ['card.dof', 'warn', goodCard({ dof: 17 }), ['dof'], 'dof'],
  ])('%s gives a %s', (code, status, document, names, loc) => {
    expect(told(code, document)).toEqual([status, names, loc])
  })

  it('card.thumbnails fails for each still that is no file of the repo', () => {
    const card = goodCard({ thumbnail_paths: { light: 'a.png', dark: 'b.png' } })
    const of = (stills: string[]) => judge(card, armReading(), stills).find(({ code }) => code === 'card.thumbnails')
    expect(of(['a.png', 'b.png'])?.status).toBe('pass')
    expect(of(['a.png'])).toMatchObject({ status: 'fail', names: ['b.png'], loc: ['thumbnail_paths', 'dark'] })
    expect(of([])?.names).toEqual(['a.png', 'b.png'])
  })

  it('stay quick for a card as large as a body may be', async () => {
    const names = Array.from({ length: 8_000 }, (_, at) => `joint_${at}`)
    const joints = names.map((name) => ({ name: `${name}_x`, type: 'hinge', root: 0 }) as const)
    const document = face({
      joint_order: [...names, ...names],
      actuation: [
        { joints: names, mode: 'position' },
        { joints: names, mode: 'position' },
      ],
      default_pose: Object.fromEntries(names.map((name) => [`${name}_y`, 0])),
    })
    let checks: ReturnType<typeof judge> = []
    const judging = () => {
      checks = judge(document, armReading({ joints }))
    }
    expect(await cpuWithin(1_500, judging)).toBeLessThan(1_500)
    const failing = checks.filter(({ status }) => status === 'fail')
    expect(failing[0]?.data?.faults).toHaveLength(100)
    expect(failing.map(({ names }) => names.length)).toEqual([8000, 8000, 8000, 2])
  })
})
