/**
 * What runs on a robot, and the robots that a data set or a model fits: pages in which kept maps come first, then
 * bodies that fit as they are, then those that fit with the numbers in another order. Contract, "What fits a robot".
 */

import type { Embodiment } from '@hub/embodiment/embodiment'
import { type Difference, fit, type Verdict } from '@hub/embodiment/fit'
import type { JointMap } from '@hub/embodiment/joint-map'
import { visibleRepos } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import type { JsonText } from '../platform/json-text.ts'
import { decodeCursor, encodeCursor, idPart, type KeyPart, type Page } from '../platform/page.ts'
import { assertTimeLeftHere } from '../platform/processor-time.ts'
import { turns } from '../platform/turns.ts'
import type { RepoKind } from '../repos/repo-shape.ts'
import { assertAllRead } from '../store/bounded-read.ts'
import type { Querier } from '../store/db.ts'
import { bodiesOfFits, fitsOnRobot, fitsPage, type ListedFit } from './fit-rows.ts'

/** Whether a repo runs on a robot, and why. */
export interface RepoFit {
  /** Full name of the data set or model. */
  readonly repo: string
  readonly robot: string
  readonly verdict: Verdict
  /** At most the first hundred; those that block come first. */
  readonly differences: readonly Difference[]
  /** Of the kept map that it was judged with; null without one. */
  readonly mapVersion: number | null
  readonly mapReviewedAt: string | null
}

/** A fit in a list, with its place there. */
export interface PlacedFit extends RepoFit {
  readonly kind: RepoKind
  readonly key: readonly [place: number, fingerprint: string, repoId: string]
}

export interface FitsInput {
  readonly limit: number
  readonly after: string | null
  /** Only repos of this kind; null for all. */
  readonly kind: RepoKind | null
  /** Those that have the joints and do not fit, in place of those that fit or have a kept map. */
  readonly near: boolean
}

/** Bodies of a thousand cameras differ in a thousand ways: no one reads more. */
const MAX_DIFFERENCES = 100

const verdicts = ['as_is', 'as_is', 'mapped', 'none'] as const

const isPlace = (part: KeyPart): part is number => typeof part === 'number' && part in verdicts
const isPrint = (part: KeyPart): part is string => typeof part === 'string' && /^[0-9a-f]{64}$/.test(part)

const listing = ({ kind, near }: FitsInput) => `fits:${kind}:${near}`

function afterOf(input: FitsInput) {
  if (input.after === null) return { place: 0, keptAfter: '', verdict: 'as_is' as const, print: '', after: '' }
  const rules = [isPlace, isPrint, idPart('repo')] as const
  const [place, print, id] = decodeCursor<[number, string, string]>(listing(input), input.after, rules)
  if (place === 0) return { place, keptAfter: id, verdict: 'as_is' as const, print: '', after: '' }
  return { place, keptAfter: '', verdict: verdicts[place] ?? 'none', print, after: id }
}

/**
 * A page for each repo, of which the caller sees all, in the order requested: only repos that the caller sees. Two
 * statements for any number. 422 `validation.cursor`.
 */
export async function fitsOfRepos(
  { deps: { db }, viewer }: RequestContext,
  ids: readonly string[],
  input: FitsInput,
): Promise<Page<PlacedFit>[]> {
  const { limit, kind, near } = input
  const given = { ids, kind, near, ...afterOf(input), limit: limit + 1 }
  const rows = await db.query(fitsPage, { ...visibleRepos(viewer), ...given })
  assertAllRead(rows, 'maps of joints')
  const bodies = await readBodies(db, rows.map(sidesOf))
  const byParent = Map.groupBy(rows, ({ parentId }) => parentId)
  const pages: Page<PlacedFit>[] = []
  for (const id of ids) {
    const found = byParent.get(id) ?? []
    const nodes: PlacedFit[] = []
    for (const row of found.slice(0, limit)) {
      const [repo, robot] = row.parentIsRobot ? [row.name, row.parentName] : [row.parentName, row.name]
      const { kind: itsKind, place, fingerprint, repoId } = row
      const fit = await judged(bodies, sidesOf(row), { ...row, repo, robot })
      nodes.push({ ...fit, kind: itsKind, key: [place, fingerprint, repoId] })
    }
    const hasNextPage = (found[0]?.found ?? 0) > nodes.length
    pages.push({ nodes, hasNextPage, cursorOf: ({ key }) => encodeCursor(listing(input), key) })
  }
  return pages
}

/**
 * Each repo, of which the caller sees all, on the robot of this full name; null where one of them says no joints or the
 * caller does not see the robot. Two statements for any number.
 */
export async function fitsOfRobot(
  { deps: { db }, viewer }: RequestContext,
  ids: readonly string[],
  robot: string,
): Promise<(RepoFit | null)[]> {
  const rows = await db.query(fitsOnRobot, { ...visibleRepos(viewer), ids, robot })
  assertAllRead(rows, 'maps of joints')
  const sides = ({ parentFingerprint: source, fingerprint }: (typeof rows)[number]) => ({ source, robot: fingerprint })
  const bodies = await readBodies(db, rows.map(sides))
  const found = new Map<string, RepoFit>()
  for (const row of rows)
    found.set(row.parentId, await judged(bodies, sides(row), { ...row, repo: row.parentName, robot: row.name }))
  return ids.map((id) => found.get(id) ?? null)
}

interface Sides {
  readonly source: string
  readonly robot: string
}

const sidesOf = ({ parentIsRobot, parentFingerprint, fingerprint }: ListedFit): Sides =>
  parentIsRobot ? { source: fingerprint, robot: parentFingerprint } : { source: parentFingerprint, robot: fingerprint }

interface Bodies {
  readonly robots: ReadonlyMap<string, Embodiment>
  readonly sources: ReadonlyMap<string, Embodiment>
}

async function readBodies(db: Querier, sides: readonly Sides[]): Promise<Bodies> {
  const robots = [...new Set(sides.map(({ robot }) => robot))]
  const sources = [...new Set(sides.map(({ source }) => source))]
  const rows = await db.query(bodiesOfFits, { robots, sources })
  const of = (wanted: boolean) =>
    new Map(rows.filter(({ isRobot }) => isRobot === wanted).map(({ fingerprint, body }) => [fingerprint, body]))
  return { robots: of(true), sources: of(false) }
}

interface Judged {
  readonly repo: string
  readonly robot: string
  readonly map: JsonText<JointMap> | null
  readonly mapVersion: number | null
  readonly mapReviewedAt: string | null
}

/** Of a map: so many characters are read and judged in about 10 ms. */
const CHARACTERS_PER_TURN = 256 * 1024

/** Each in a turn of its own: of a page of a hundred large maps the event loop stood still for half a second. */
async function judged(
  bodies: Bodies,
  sides: Sides,
  { repo, robot, map, mapVersion, mapReviewedAt }: Judged,
): Promise<RepoFit> {
  await turns.next((map?.text.length ?? 0) / CHARACTERS_PER_TURN)
  assertTimeLeftHere()
  const [source, target] = [bodies.sources.get(sides.source), bodies.robots.get(sides.robot)]
  // A repo that has changed its body since the first statement may have been the last one with the body before.
  const { verdict, differences } =
    source && target ? fit(source, target, map?.value) : { verdict: 'none' as const, differences: [] }
  return { repo, robot, verdict, differences: differences.slice(0, MAX_DIFFERENCES), mapVersion, mapReviewedAt }
}
