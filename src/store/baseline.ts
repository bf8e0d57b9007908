/**
 * The baseline: the one script that the migrations before it were joined into, when no version had been released. A
 * database or a backup that has exactly those migrations is at the baseline; of any other from before it nothing is
 * known. docs/decisions/database.md, "One baseline replaces the migrations before it".
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Catalogue } from './catalogue.ts'

export const BASELINE = '20261124000000_baseline'

/** Besides the script the folder has what adoption compares with. */
const fileOf = (name: string) =>
  readFile(new URL(`../../prisma/migrations/${BASELINE}/${name}`, import.meta.url), 'utf8')

/** A migration that was applied, with the digest of its script. */
export interface AppliedMigration {
  readonly name: string
  readonly sha256: string
}

/** The migrations that the baseline stands for, in order; lines as `sha256sum` writes them. */
async function replacedMigrations(): Promise<AppliedMigration[]> {
  const lines = (await fileOf('replaces.sum')).trimEnd().split('\n')
  return lines.map((line) => ({ sha256: line.slice(0, 64), name: line.slice(66) }))
}

/** The catalogue that the baseline makes, which is also the one of the migrations before it. */
export async function baselineCatalogue(): Promise<Catalogue> {
  return (await fileOf('catalogue.txt')).trimEnd().split('\n')
}

/** The baseline as a migration that was applied. */
export async function appliedBaseline(): Promise<AppliedMigration> {
  return {
    name: BASELINE,
    sha256: createHash('sha256')
      .update(await fileOf('migration.sql'))
      .digest('hex'),
  }
}

/** Why a history that ends before the baseline cannot continue with it; `what` and `remedy` are parts of a sentence. */
export interface HistoryFault {
  readonly what: string
  readonly remedy: 'older version first' | 'version that made it'
}

/** Whether migrations were applied and the baseline was not. */
export const isBeforeBaseline = (history: readonly { name: string }[]) =>
  history.length > 0 && !history.some(({ name }) => name === BASELINE)

/**
 * Compares a history that ends before the baseline with the migrations that the baseline stands for: all of them,
 * unchanged, and no other; null if it is that.
 */
export async function historyFault(history: readonly AppliedMigration[]): Promise<HistoryFault | null> {
  const replaced = await replacedMigrations()
  const digests = new Map(replaced.map(({ name, sha256 }) => [name, sha256]))
  const left = new Map(digests)
  for (const { name, sha256 } of history) {
    const other = (what: string): HistoryFault => ({ what, remedy: 'version that made it' })
    if (!digests.has(name)) return other(`its migration ${name} is unknown`)
    if (digests.get(name) !== sha256) return other(`its migration ${name} is another than the one of that name`)
    if (!left.delete(name)) return other(`it lists migration ${name} twice`)
  }
  const [first] = left.keys()
  if (first === undefined) return null
  const more = left.size === 1 ? '' : ` (and ${left.size - 1} more)`
  return { what: `it lacks migration ${first}${more}`, remedy: 'older version first' }
}

/** A history in terms of the migrations that there are now: without those that the baseline stands for. */
export async function sinceBaseline(history: readonly AppliedMigration[]): Promise<AppliedMigration[]> {
  const replaced = new Set((await replacedMigrations()).map(({ name }) => name))
  return history.filter(({ name }) => !replaced.has(name))
}
