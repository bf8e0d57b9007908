/** What the palette finds for a text. Pure: what the hub answered is given. */
import { type PageName, pagePath } from '@hub/formats/page-paths'
import { repoParts } from '../../ui/repo-parts.ts'
import type { PalettePeopleQuery, PaletteQuery, PaletteRunsQuery } from './palette.graphql.ts'

export interface Found {
  /** Of the page. */
  readonly path: string
  readonly title: string
  /** What it is, in a word or two. */
  readonly about: string
}

type Plain =
  | Extract<
      PageName,
      'home' | 'repos' | 'runs' | 'checks' | 'endpoints' | 'sessions' | 'holds' | 'spend' | 'developers'
    >
  | 'settings'
  | 'keys'
  | 'orgs'
  | 'audit'
  | 'operator'

const plain: readonly { readonly to: Plain; readonly title: string; readonly members: boolean }[] = [
  { to: 'home', title: 'Home', members: false },
  { to: 'repos', title: 'Repos', members: false },
  { to: 'runs', title: 'Runs', members: false },
  { to: 'checks', title: 'Checks', members: false },
  { to: 'endpoints', title: 'Endpoints', members: true },
  { to: 'sessions', title: 'Devices and sessions', members: true },
  { to: 'holds', title: 'Approvals', members: true },
  { to: 'spend', title: 'Spend', members: true },
  { to: 'settings', title: 'Settings', members: true },
  { to: 'keys', title: 'API keys', members: true },
  { to: 'orgs', title: 'Organizations', members: true },
  { to: 'audit', title: 'Audit log', members: true },
  { to: 'operator', title: 'Operator', members: false },
  { to: 'developers', title: 'Developers', members: false },
]

const has = (text: string, q: string) => text.toLowerCase().includes(q.toLowerCase())

/** Most that a group shows. */
const SHOWN = 6

/** Pages of the hub by their title. */
export const pagesFor = (q: string, isMember: boolean): Found[] =>
  plain
    .filter(({ title, members }) => (isMember || !members) && has(title, q))
    .map(({ to, title }) => ({ path: pagePath(to, {}), title, about: 'page' }))
    .slice(0, q === '' ? plain.length : SHOWN)

/** Repos and people that the hub found, and the run that the text is the id of. */
export function answersOf({ repos, account, run }: PaletteQuery): Found[] {
  const found = (repos?.nodes ?? []).map(({ fullName, kind }) => {
    const { owner, repo } = repoParts(fullName)
    return { path: pagePath('repo', { owner, repo }), title: fullName, about: kind.toLowerCase() }
  })
  return [
    ...(run ? [{ path: pagePath('run', { id: run.id }), title: run.displayName, about: 'run' }] : []),
    ...(account ? [accountFound(account, account.kind === 'ORG')] : []),
    ...found,
  ]
}

interface Named {
  readonly handle: string
  readonly name: string | null
}

const accountFound = ({ handle, name }: Named, isOrg: boolean): Found => ({
  path: pagePath('account', { handle }),
  title: name ? `@${handle} (${name})` : `@${handle}`,
  about: isOrg ? 'organization' : 'person',
})

/**
 * Of the person's orgs and the people in them those whose handle, or a word of whose name, begins with the text. Others
 * are found by their whole handle alone, so that no one lists the people of the hub.
 */
export function peopleFor(q: string, viewer: PalettePeopleQuery['viewer']): Found[] {
  const begins = ({ handle, name }: Named) =>
    [handle, ...(name ?? '').split(/\s+/)].some((word) => word.toLowerCase().startsWith(q.toLowerCase()))
  const orgs = viewer?.orgs ?? []
  const people = orgs.flatMap(({ members }) => members.nodes.map(({ user }) => user))
  if (q === '') return []
  return [
    ...orgs.filter(begins).map((org) => accountFound(org, true)),
    ...once(people.filter(begins).map((person) => accountFound(person, false))),
  ].slice(0, SHOWN)
}

/** Of the newest runs those whose name or id has the text. */
export const runsFor = (q: string, runs: PaletteRunsQuery['runs']): Found[] =>
  (runs?.nodes ?? [])
    .filter(({ id, displayName }) => q !== '' && (has(displayName, q) || has(id, q)))
    .slice(0, SHOWN)
    .map(({ id, displayName, status }) => ({
      path: pagePath('run', { id }),
      title: displayName,
      about: `run, ${status.toLowerCase()}`,
    }))

/** Each page once, in the order of the groups. */
export const once = (found: readonly Found[]): Found[] => [...new Map(found.map((one) => [one.path, one])).values()]

/** What is asked for a text: a handle has neither spaces nor an `@`. */
export function variablesFor(text: string) {
  const q = text.trim().replace(/^@/, '')
  const withRun = /^run_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(q)
  return { q, handle: q.toLowerCase(), runId: q, withRun }
}
