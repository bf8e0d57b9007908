/** Tables and indexes that a statement reads from end to end. */
import type pg from 'pg'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Parent Relationship'?: string
  readonly Plans?: readonly PlanNode[]
}

/** Partial indexes of what is open, due or left to do: they stay small, since work takes rows out of them. */
const isOfWork = new RegExp(
  `_(?:${[
    'running|waiting|open|pending|live|left|doomed|unverified|unfinished|to_dispatch|unmeasured',
    'summary_pending|archives_due|check_due|to_drop|dropped',
  ].join('|')})$`,
)
/** Of live rows, which are most of their tables. */
const isOfAll = /^files_live/

/** Nodes that are read to their end: a limit ends what is read in order, not what a sort or a count reads first. */
function* wholeNodes(node: PlanNode, isLimited = false): Generator<PlanNode> {
  const { 'Node Type': type, Plans = [] } = node
  if (type === 'Seq Scan') yield node
  else if (node['Index Name'] && node['Index Cond'] === undefined && !isLimited && !type.startsWith('Bitmap Heap'))
    yield node
  for (const child of Plans) {
    const isOwn = child['Parent Relationship'] === 'SubPlan' || child['Parent Relationship'] === 'InitPlan'
    const ends = type === 'Limit' || (isLimited && !isOwn && !/^(?:Sort|Aggregate|Hash|ModifyTable)$/.test(type))
    yield* wholeNodes(child, ends)
  }
}

/** The plan for any values, where no table is read whole unless nothing else is possible. */
export async function wholeReads(client: pg.Client, text: string): Promise<string[]> {
  if (!/^\s*(?:select|with|insert|update|delete)\b/i.test(text)) return []
  await client.query('set enable_seqscan = off')
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (generic_plan, format json) ${text}`,
  )
  const names = [...wholeNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode)].map(
    (node) => node['Index Name'] ?? node['Relation Name'] ?? '',
  )
  return [...new Set(names)].filter((name) => !isOfWork.test(name) || isOfAll.test(name))
}
