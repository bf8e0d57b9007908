/** What the palette finds, and what it asks for. */
import { newId } from '@hub/formats/ids'
import { expect, it } from 'vitest'
import { answersOf, once, pagesFor, peopleFor, runsFor, variablesFor } from '../../web/src/app/palette/found.ts'
import { typedAfter } from '../../web/src/app/palette/use-palette.ts'

it('finds pages by their title, and those of members only for them', () => {
  expect(pagesFor('audit', true)).toEqual([{ path: '/settings/audit', title: 'Audit log', about: 'page' }])
  expect(pagesFor('audit', false)).toEqual([])
  expect(pagesFor('', true).length).toBeGreaterThan(pagesFor('', false).length)
  expect(pagesFor('nothing like it', true)).toEqual([])
})

it('finds runs by a part of their name or id, of the newest', () => {
  const runs = {
    nodes: [
      { id: 'run_1', displayName: 'act lab/Arm 1', status: 'RUNNING' as const },
      { id: 'run_2', displayName: 'pi0 lab/hand', status: 'FAILED' as const },
    ],
  }
  expect(runsFor('arm', runs)).toEqual([{ path: '/runs/run_1', title: 'act lab/Arm 1', about: 'run, running' }])
  expect(runsFor('run_2', runs).map(({ path }) => path)).toEqual(['/runs/run_2'])
  expect([runsFor('', runs), runsFor('arm', null)]).toEqual([[], []])
})

it('shows repos, people and a run as the hub answers, each once', () => {
  const found = answersOf({
    repos: { nodes: [{ id: 'repo_1', fullName: 'lab/arm', kind: 'ROBOT' }] },
    account: { id: 'org_1', handle: 'lab', name: 'The Lab', kind: 'ORG' },
    run: { id: 'run_1', displayName: 'act' },
  })
  expect(found).toEqual([
    { path: '/runs/run_1', title: 'act', about: 'run' },
    { path: '/@lab', title: '@lab (The Lab)', about: 'organization' },
    { path: '/lab/arm', title: 'lab/arm', about: 'robot' },
  ])
  expect(once([...found, ...found])).toEqual(found)
  expect(answersOf({ repos: null, account: null })).toEqual([])
})

it('finds orgs and their people by the beginning of a handle or of a word of the name, each once', () => {
  const ada = { id: 'user_1', handle: 'ada', name: 'Ada Lovelace' }
  const bob = { id: 'user_2', handle: 'bob', name: null }
  const members = (...users: (typeof ada | typeof bob)[]) => ({ nodes: users.map((user) => ({ user })) })
  const viewer = {
    orgs: [
      { id: 'org_1', handle: 'lab', name: 'The Lab', members: members(ada, bob) },
      { id: 'org_2', handle: 'adapt', name: null, members: members(ada) },
    ],
  }
  const ofAda = { path: '/@ada', title: '@ada (Ada Lovelace)', about: 'person' }
  const found = (q: string) => peopleFor(q, viewer).map(({ path }) => path)
  expect(peopleFor('love', viewer)).toEqual([ofAda])
  expect([found('AD'), found('b'), found('la'), found('velace')]).toEqual([
    ['/@adapt', '/@ada'],
    ['/@bob'],
    ['/@lab'],
    [],
  ])
  expect([peopleFor('', viewer), peopleFor('ada', null)]).toEqual([[], []])
})

it('asks for a handle without its @, and for a run only by a whole id', () => {
  expect(variablesFor(' @Ada ')).toEqual({ q: 'Ada', handle: 'ada', runId: 'Ada', withRun: false })
  const id = newId('run')
  expect(variablesFor(id)).toMatchObject({ runId: id, withRun: true })
  expect(variablesFor('run_1').withRun).toBe(false)
})

it('keeps what is typed before its box is there', () => {
  const key = (name: string, held = {}) => ({ key: name, ctrlKey: false, metaKey: false, altKey: false, ...held })
  const after = (text: string, ...keys: string[]) =>
    keys.reduce((before, name) => typedAfter(before, key(name)) ?? before, text)
  expect(after('', 'a', 'r', 'n', 'Backspace', 'm', ' ', 'é', 'Enter', 'Shift', 'Tab')).toBe('arm é')
  expect(typedAfter('arm', key('Escape'))).toBeNull()
  expect([typedAfter('arm', key('Tab')), typedAfter('arm', key('r', { ctrlKey: true }))]).toEqual([
    undefined,
    undefined,
  ])
})
