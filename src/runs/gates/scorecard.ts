/** Converts an acceptance scorecard to a run's gates. Pure. Contract, "Gates"; spec, RunGate and RunGateRow. */
import { asDouble, isJsonObject } from '@hub/formats/exact-json'
import type { RunGateRow } from '../read/run-shape.ts'

type CellVerdict = RunGateRow['status']
const cellVerdicts: readonly CellVerdict[] = ['PASS', 'FAIL', 'ERROR', 'SKIP']

export interface Gates {
  /** The first 1000 rows: every read of the run returns them. */
  readonly rows: readonly RunGateRow[]
  readonly passed: number
  /** Number of PASS and FAIL rows in the whole scorecard; 0 if no row is recognized. */
  readonly total: number
}

type Members = Readonly<Record<string, unknown>>

/** Real scorecards have some dozens of rows. */
const MAX_ROWS = 1000
const MAX_NAME_LENGTH = 200
const MAX_DETAIL_LENGTH = 1000

const rowMembers = ['cells', 'gates', 'rows'] as const
const nameMembers = ['name', 'cell', 'gate', 'id', 'title'] as const
const detailMembers = ['detail', 'details', 'message', 'reason'] as const

/**
 * Rows are objects with a `status` among the cell verdicts: in `cells`, `gates` or `rows` (an array, or a map by name),
 * else the scorecard's own members. Other content is template-specific.
 */
export function gatesOf(scorecard: unknown): Gates {
  const named = rowsIn(scorecard)
  let [passed, failed] = [0, 0]
  for (const [, { status }] of named) {
    if (status === 'PASS') passed += 1
    if (status === 'FAIL') failed += 1
  }
  return { rows: named.slice(0, MAX_ROWS).map(toGateRow), passed, total: passed + failed }
}

type NamedRow = readonly [name: string, row: Members & { readonly status: CellVerdict }]

function rowsIn(scorecard: unknown): NamedRow[] {
  if (!isJsonObject(scorecard)) return []
  for (const member of rowMembers) {
    const rows = rowsOf(scorecard[member])
    if (rows.length > 0) return rows
  }
  return rowsOf(scorecard)
}

function rowsOf(container: unknown): NamedRow[] {
  if (Array.isArray(container)) {
    return container.flatMap((row, place): NamedRow[] =>
      isRow(row) ? [[textAmong(row, nameMembers) ?? `${place + 1}`, row]] : [],
    )
  }
  if (!isJsonObject(container)) return []
  return Object.entries(container).flatMap(([name, row]): NamedRow[] => (isRow(row) ? [[name, row]] : []))
}

function toGateRow([name, row]: NamedRow): RunGateRow {
  const detail = textAmong(row, detailMembers)
  return {
    name: shortened(name, MAX_NAME_LENGTH),
    status: row.status,
    detail: detail === null ? null : shortened(detail, MAX_DETAIL_LENGTH),
  }
}

function textAmong(row: Members, members: readonly string[]): string | null {
  const values = members.map((member) => row[member])
  const found = values.find((value) => (typeof value === 'string' && value !== '') || asDouble(value) !== null)
  return found === undefined ? null : String(found)
}

const shortened = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text

const isRow = (value: unknown): value is NamedRow[1] =>
  isJsonObject(value) && cellVerdicts.some((verdict) => verdict === value.status)
