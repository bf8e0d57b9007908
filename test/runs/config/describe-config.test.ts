import { describe, expect, it } from 'vitest'
import { leavesOf } from '../../../src/runs/config/config-leaf.ts'
import { declaredKeys } from '../../../src/runs/config/declared.ts'
import { describeConfig } from '../../../src/runs/config/describe-config.ts'
import { groupConfig } from '../../../src/runs/config/diff-config.ts'

function grouped(value: unknown) {
  const reading = leavesOf(value)
  if ('fault' in reading) throw new Error(reading.fault)
  return groupConfig(reading.leaves)
}

const described = (child: unknown, parent: unknown, declared: readonly string[] = []) =>
  describeConfig(grouped(child), parent === null ? null : grouped(parent), declared)
const counts = (child: unknown, parent: unknown) => {
  const diff = described(child, parent).diff
  return diff && [diff.changedKeys, diff.unchangedKeys, diff.parentHasNoRecord, diff.childHasNoRecord]
}

const unresolved = '\u0024{agent.seed}'

describe('a diff counts [changed, unchanged, no record of the parent, no record of the child]', () => {
  it.each<[string, unknown, unknown, number[]]>([
    ['an equal key', { lr: 1 }, { lr: 1 }, [0, 1, 0, 0]],
    ['another value', { lr: 1 }, { lr: 2 }, [1, 0, 0, 0]],
    ['a key of the child alone', { lr: 1 }, {}, [0, 0, 1, 0]],
    ['a key of the child alone beside an equal one', { lr: 1, gamma: 1 }, { gamma: 1 }, [0, 1, 1, 0]],
    ['a key of the parent alone', { gamma: 1 }, { lr: 1, gamma: 1 }, [0, 1, 0, 1]],
    ['null and a value', { lr: null }, { lr: 1 }, [1, 0, 0, 0]],
    ['null and null', { lr: null }, { lr: null }, [0, 1, 0, 0]],
    ['a text and a number that read alike', { lr: '1' }, { lr: 1 }, [1, 0, 0, 0]],
    ['an empty list and an empty map', { lr: [] }, { lr: {} }, [1, 0, 0, 0]],
    ['a longer list', { lr: [1, 2, 3] }, { lr: [1, 2] }, [0, 2, 1, 0]],
    ['a leaf that became a map', { lr: { a: 1 } }, { lr: 1 }, [0, 0, 1, 1]],
    ['not a number, twice', { lr: Number.NaN }, { lr: Number.NaN }, [0, 1, 0, 0]],
    ['a child that does not say its value', { lr: unresolved }, { lr: 1 }, [0, 0, 0, 1]],
    ['a parent that does not say its value', { lr: 1 }, { lr: '???' }, [0, 0, 1, 0]],
    ['two that do not say their value, in the same words', { lr: unresolved }, { lr: unresolved }, [0, 0, 1, 1]],
    ['bookkeeping: not at all', { run_name: 'a', log_dir: 'b' }, { run_name: 'b', device: 'cpu' }, [0, 0, 0, 0]],
    [
      'long texts that differ past what is shown',
      { lr: `${'x'.repeat(500)}a` },
      { lr: `${'x'.repeat(500)}b` },
      [1, 0, 0, 0],
    ],
  ])('%s', (_what, child, parent, expected) => {
    expect(counts(child, parent)).toEqual(expected)
  })
})

describe('a diff', () => {
  it('is null without a parent, and its groups compare nothing', () => {
    const config = described({ sim: { dt: 1 }, run_name: 'a' }, null)
    expect(config.diff).toBeNull()
    expect(config.parentShape).toBeNull()
    expect(config.groups.map(({ id, total, compared, parentTotal }) => [id, total, compared, parentTotal])).toEqual([
      ['sim', 1, 0, 0],
      ['bookkeeping', 1, 0, 0],
    ])
  })

  it('names what changed, from what to what', () => {
    expect(described({ rewards: { alive: 2, fall: '1' } }, { rewards: { alive: 1, fall: 1 } }).diff?.entries).toEqual([
      {
        path: 'rewards.alive',
        kind: 'changed',
        from: '1',
        to: '2',
        inDeclaredChange: null,
        group: 'rewards',
        parentPath: 'rewards.alive',
      },
      {
        path: 'rewards.fall',
        kind: 'type_changed',
        from: '1',
        to: '1',
        inDeclaredChange: null,
        group: 'rewards',
        parentPath: 'rewards.fall',
      },
    ])
  })

  it('truncates values past 200 characters, never inside a character', () => {
    const [entry] = described({ x: '😀'.repeat(150) }, { x: 'y'.repeat(200) }).diff?.entries ?? []
    expect(entry?.from).toBe('y'.repeat(200))
    expect(entry?.to).toHaveLength(200)
    expect(entry?.to.endsWith('…')).toBe(true)
    expect(entry?.to.isWellFormed()).toBe(true)
  })

  it('lists 120 changes in the order of the groups, and counts the rest', () => {
    const config = (value: number) => ({
      misc: Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`m${at}`, value])),
      rewards: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`r${at}`, value])),
      log_dir: `${value}`,
    })
    const { diff, groups } = described(config(1), config(2))
    expect(diff).toMatchObject({ changedKeys: 190, truncated: 70 })
    expect(diff?.entries).toHaveLength(120)
    expect(diff?.entries.slice(0, 100).every(({ group }) => group === 'rewards')).toBe(true)
    expect(groups.map(({ id, changed, entries }) => [id, changed, entries.length])).toEqual([
      ['rewards', 100, 100],
      ['bookkeeping', 1, 1],
      ['other', 90, 20],
    ])
  })

  it('of 400 keys adds up: each key of each side is compared or has no record, in its group and in all', () => {
    const side = (shift: number) =>
      Object.fromEntries(
        ['rewards', 'sim', 'misc', 'run_name'].map((section) => [
          section,
          Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at + shift}`, at % 7 === 0 ? shift : 'same'])),
        ]),
      )
    const { diff, groups, total } = described(side(0), side(21))
    expect(total).toBe(400)
    for (const group of groups) {
      expect(group.compared).toBe(group.changed + group.unchanged)
      expect(group.total).toBe(group.compared + group.parentHasNoRecord)
      expect(group.parentTotal).toBe(group.compared + group.childHasNoRecord)
    }
    const counted = groups.filter((group) => group.counted)
    const sum = (member: 'changed' | 'unchanged' | 'parentHasNoRecord' | 'childHasNoRecord') =>
      counted.reduce((all, group) => all + group[member], 0)
    expect(counted).toHaveLength(3)
    expect(diff).toMatchObject({
      changedKeys: sum('changed'),
      unchangedKeys: sum('unchanged'),
      parentHasNoRecord: 63,
      childHasNoRecord: 63,
    })
    expect(sum('parentHasNoRecord')).toBe(63)
  })
})

describe('a group', () => {
  it('lists the first and the last unchanged key, the keys that only the run has, and a summary', () => {
    const own = Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`new${at}`, at]))
    const [group] = described(
      { sim: { a: 1, b: 2, c: 3, d: 5, ...own } },
      { sim: { a: 1, b: 2, c: 3, d: 4, e: 6 } },
    ).groups
    expect(group).toMatchObject({
      id: 'sim',
      name: 'Sim',
      counted: true,
      total: 49,
      parentTotal: 5,
      unchangedFirst: 'sim.a',
      unchangedLast: 'sim.c',
      ownTruncated: 5,
      summary: '1 of 4 compared keys changed; the parent has no record of 45; the run has no record of 1.',
      unchangedSummary: '3 unchanged.',
    })
    expect(group?.ownKeys).toHaveLength(40)
    expect(group?.ownKeys[0]).toEqual({ path: 'sim.new0', value: '0', group: 'sim' })
  })
})

describe('a manifest and a resolved config', () => {
  const manifest = {
    contract: { action: { scale: 0.5 }, joint_order: ['hip', 'knee'], owner: 'a' },
    training: { seed: 3, rewards: { alive: { weight: 2 } }, policy: { actor_hidden_dims: [128, 64] } },
  }
  const resolved = {
    env: {
      actions: { joint_pos: { scale: 0.25, joint_names: ['hip', 'knee'] } },
      rewards: { alive: { weight: 2 }, fall: { weight: -1 } },
      scene: { num_envs: 4096 },
    },
    agent: { seed: unresolved, policy: { actor_hidden_dims: [128, 32] } },
  }

  it.each([
    ['the run is the manifest', manifest, resolved],
    ['the parent is the manifest', resolved, manifest],
  ])('are compared in mapped keys alone, and the rest has no record: %s', (_what, child, parent) => {
    expect(counts(child, parent)).toEqual([2, 4, 2, 2])
    expect(described(child, parent)).toMatchObject({ comparison: 'cross_shape', diff: { comparison: 'cross_shape' } })
  })

  it('show each mapped pair and its rule; one that cannot be compared is neither changed nor unchanged', () => {
    const pairs = described(manifest, resolved).pairs
    expect(pairs.map(({ childPath, parentPath, changed, rule }) => [childPath, parentPath, changed, rule])).toEqual([
      ['contract.action.scale', 'env.actions.joint_pos.scale', true, 'action_scale'],
      ['contract.joint_order[0]', 'env.actions.joint_pos.joint_names[0]', false, 'joint_order'],
      ['contract.joint_order[1]', 'env.actions.joint_pos.joint_names[1]', false, 'joint_order'],
      ['training.rewards.alive.weight', 'env.rewards.alive.weight', false, 'rewards'],
      ['training.policy.actor_hidden_dims[0]', 'agent.policy.actor_hidden_dims[0]', false, 'network'],
      ['training.policy.actor_hidden_dims[1]', 'agent.policy.actor_hidden_dims[1]', true, 'network'],
      ['training.seed', 'agent.seed', null, 'seed'],
    ])
  })

  it('of one shape are compared path by path, without pairs', () => {
    expect(described(manifest, manifest)).toMatchObject({
      comparison: null,
      pairs: [],
      shape: 'manifest',
      parentShape: 'manifest',
    })
    expect(described(manifest, { training: { seed: 3 } }).comparison).toBeNull()
  })
})

describe('declared changes', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['are those that are stated', { declared_change: ['sim.dt', 'lr'], gamma: 1 }, null, ['sim.dt', 'lr']],
    ['are the keys of a stated map', { declared_change: { lr: 0.1 } }, null, ['lr']],
    ['are else what differs from the parent', { lr: 1, gamma: 2, tau: 3 }, { lr: 1, gamma: 1 }, ['gamma', 'tau']],
    ['go into maps', { ppo: { lr: 1, gamma: 2 } }, { ppo: { lr: 1, gamma: 1 } }, ['ppo.gamma']],
    ['are no bookkeeping', { run_name: 'b', notes: 'x' }, { run_name: 'a' }, []],
    ['are none without hyperparams', null, null, []],
    ['are no texts but keys', { declared_change: [1, null, '', 'lr', 'lr'] }, null, ['lr']],
  ])('%s', (_what, own, before, keys) => {
    expect(declaredKeys(own, before)).toEqual(keys)
  })

  const child = { agent: { gamma: 0.9, lr: 2, clip: unresolved }, sim: { dt: 1, x: { dt: 2 } } }
  const parent = { agent: { gamma: 0.9, lr: 1, clip: 3 }, sim: { dt: 1, x: { dt: 1 } } }

  it.each([
    ['agent.lr', 'moved', 'algorithm', '1 → 2'],
    ['lr', 'moved', 'algorithm', '1 → 2'],
    ['agent.gamma', 'not_moved', 'algorithm', 'Still 0.9.'],
    ['clip', 'cannot_compare', 'algorithm', 'The run has no record of it.'],
    ['agent', 'moved', 'algorithm', '1 of 3 keys changed.'],
    ['sim.dt', 'not_moved', 'sim', 'Still 1.'],
    ['dt', 'moved', 'sim', '1 of 2 keys changed.'],
    ['gam', 'cannot_compare', 'other', 'No key of either config has this name.'],
    ['rewards.alive', 'cannot_compare', 'rewards', 'No key of either config has this name.'],
  ])('%s: %s', (key, status, group, summary) => {
    expect(described(child, parent, [key]).declared).toEqual([{ key, status, group, summary }])
  })

  it('mark the changes that were declared', () => {
    const marked = described(child, parent, ['lr', 'gamma']).diff?.entries.map(({ path, inDeclaredChange }) => [
      path,
      inDeclaredChange,
    ])
    expect(marked).toEqual([
      ['agent.lr', true],
      ['sim.x.dt', false],
    ])
  })

  it('cannot be compared without a parent', () => {
    expect(described(child, null, ['lr']).declared[0]?.status).toBe('cannot_compare')
  })
})
