import { readFileSync } from 'node:fs'
import type { ModelReading } from '@hub/mjcf/reading'
import { gradeOf } from '@hub/mjcf/verdict/check'
import { cpuWithin } from '@hub/testing/cpu'
import { describe, expect, it } from 'vitest'
import { armReading, goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { checkCodes } from '../../src/cards/check-codes.ts'
import { face, judge, one, told } from '../support/card-verdicts.ts'

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

  it('card.thumbnails fails for each still that is not a file of the repo', () => {
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
