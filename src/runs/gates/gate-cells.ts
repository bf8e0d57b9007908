/** The cells of gate results: up to 10,000 of a checkpoint, so lists read them where they are selected alone. */
import type { RequestContext } from '../../operation/context.ts'
import { type HubError, notFound } from '../../platform/errors.ts'
import { assertTimeLeftHere } from '../../platform/processor-time.ts'
import { turns } from '../../platform/turns.ts'
import { bytesBefore, tooLargeTogether, unlessLeftOut } from '../../store/bounded-read.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import type { RunGateRow } from '../read/run-shape.ts'
import { MAX_GATE_RESULTS } from './limits.ts'

const cellColumns = columns({
  runId: column.text('g.run_id'),
  step: column.int8('g.step'),
  cells: column.document.orNull<readonly RunGateRow[]>(unlessLeftOut('g.rows')),
})

const cellsOf = statement({
  name: 'run-gate-cells',
  exact: 'client-json',
  columns: cellColumns,
  params: { runIds: param.texts(), steps: param.int8s() },
  text: `select ${cellColumns.sql} from (
      select r.*, ${bytesBefore('octet_length(r.rows::text)', 'r.run_id, r.step')}
      from unnest(:runIds::text[], :steps::int8[]) as q(run_id, step)
      join run_gate_results r on r.run_id = q.run_id and r.step = q.step) g
    cross join lateral (select g.before) sized`,
})

/** Read in about 10 ms. */
const CHARACTERS_PER_TURN = 512 * 1024

/**
 * The cells of each result of runs that the caller sees: 413 for those beyond 16 MiB or a thousand results, 404 for one
 * that is dropped meanwhile. One statement.
 */
export async function cellsOfResults(
  { deps }: Pick<RequestContext, 'deps'>,
  results: readonly { readonly runId: string; readonly step: number }[],
): Promise<(readonly RunGateRow[] | HubError)[]> {
  const asked = results.slice(0, MAX_GATE_RESULTS)
  const rows = await deps.db.query(cellsOf, {
    runIds: asked.map(({ runId }) => runId),
    steps: asked.map(({ step }) => step),
  })
  const found = new Map<string, readonly RunGateRow[] | HubError>()
  for (const { runId, step, cells } of rows) {
    await turns.next((cells?.text.length ?? 0) / CHARACTERS_PER_TURN)
    assertTimeLeftHere()
    found.set(`${runId} ${step}`, cells?.value ?? tooLarge())
  }
  return results.map(({ runId, step }, at) =>
    at < asked.length ? (found.get(`${runId} ${step}`) ?? notFound(`The gate result of step ${step}`)) : tooLarge(),
  )
}

const tooLarge = () => tooLargeTogether('cells of gate results')
