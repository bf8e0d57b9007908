/** What is done with a statement before it is sent: its values are put in order, and what it writes is counted. */
import type pg from 'pg'
import type { Querier } from './querier.ts'
import type { RowQuery } from './row-query.ts'
import { type NamedStatement, orderedValues, type Statement } from './statement.ts'
import { countWrite, type WriteBudget, type WritingStatement } from './write-budget.ts'

export type Run = <T>(
  target: pg.Pool | pg.PoolClient,
  statement: AnyStatement<T>,
  values: readonly unknown[],
) => Promise<T[]>
export type AnyStatement<T> = Pick<Statement<T>, 'name' | 'text' | 'toRow' | 'writes'>

/** A statement with its values. */
export interface Part {
  readonly statement: AnyStatement<unknown>
  readonly values: readonly unknown[]
}

/** Runs statements in one round trip. The server executes nothing after one that fails. */
export type RunTogether = (client: pg.PoolClient, parts: readonly Part[]) => Promise<readonly RowQuery<unknown>[]>

/** How statements are run, with what watches them. */
export interface Runs {
  readonly run: Run
  readonly runTogether: RunTogether
  /** What begins a transaction here. */
  readonly begin: () => readonly Part[]
}

/** A querier's `query`, whose statements `run` sends. */
export function querying(
  target: pg.Pool | pg.PoolClient,
  run: Run,
  budgetOf: () => WriteBudget | null,
): Querier['query'] {
  return <T, P>(statement: Statement<T> | NamedStatement<T, P>, values: readonly unknown[] | P = []) => {
    const given = statement.names ? orderedValues(statement, values as P) : (values as readonly unknown[])
    if (!statement.writes) return run(target, statement, given)
    return counted(budgetOf(), statement, given) ?? run(target, statement, given)
  }
}

/** Counts a statement that writes. A rejection if its sender may not add rows now. */
function counted(
  budget: WriteBudget | null,
  statement: WritingStatement,
  values: readonly unknown[],
): Promise<never> | null {
  try {
    if (budget) countWrite(budget, statement, values)
    return null
  } catch (error) {
    return Promise.reject(error)
  }
}
