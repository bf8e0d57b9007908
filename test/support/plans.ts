/** The plans of a statement, as the server executed them. */
import { expect } from 'vitest'
import type { Db } from '../../src/store/db.ts'

export interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Loops': number
  readonly 'Actual Rows': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly Plan[]
}
interface PlanRow {
  readonly 'QUERY PLAN': [{ readonly Plan: Plan }]
}
const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

/** The statement's plans from the root on, once for these values and once generic. */
export async function plansOf(db: Db, text: string, values: readonly unknown[]): Promise<Plan[][]> {
  const literal = (value: unknown): string => {
    if (value === null) return 'null'
    if (Array.isArray(value))
      return `'{${value.map((one) => (typeof one === 'string' ? JSON.stringify(one) : one)).join(',')}}'`
    return typeof value === 'number' ? String(value) : `'${String(value)}'`
  }
  const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`
  const plans: Plan[][] = []
  for (const mode of ['custom', 'generic'])
    await db.withTx(async (tx) => {
      await tx.query({ name: '', text: `set local plan_cache_mode = force_${mode}_plan` })
      await tx.query({ name: '', text: `prepare asked as ${text}` })
      const [row] = await tx.query<PlanRow>({
        name: '',
        text: `explain (analyze, buffers, format json) execute asked${given}`,
      })
      await tx.query({ name: '', text: 'deallocate asked' })
      if (row) plans.push(nodes(row['QUERY PLAN'][0].Plan))
    })
  expect(plans).toHaveLength(2)
  return plans
}

/** Scans of `table` from end to end. */
export const scansOf = (plan: readonly Plan[], table: string): Plan[] =>
  plan.filter((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === table)

/** Rows of `table` that were read for nothing. */
export const passedOver = (plan: readonly Plan[], table: string): number =>
  plan
    .filter((node) => node['Relation Name'] === table)
    .reduce(
      (sum, node) =>
        sum +
        ((node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) * node['Actual Loops'],
      0,
    )

/** Blocks of 8 KiB that the statement looked at. */
export const blocksOf = ([root]: readonly Plan[]): number =>
  (root?.['Shared Hit Blocks'] ?? 0) + (root?.['Shared Read Blocks'] ?? 0)
