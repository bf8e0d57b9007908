/** Whether a table has the columns that `meta/info.json` describes, of the types it says. Pure. */
import type { OpenParquet } from '../parquet.ts'
import type { Description } from './description.ts'
import type { FindingList } from './finding.ts'

/** How Parquet keeps each dtype. */
const kept: Readonly<Record<string, string>> = {
  bool: 'BOOLEAN',
  float16: 'FIXED_LEN_BYTE_ARRAY',
  float32: 'FLOAT',
  float64: 'DOUBLE',
  int64: 'INT64',
  uint64: 'INT64',
}

/** Small whole numbers are kept in 32 bits. */
const keptType = (dtype: string) => kept[dtype] ?? 'INT32'

/** Tells of the first episode of the file. */
export function checkColumns(
  table: OpenParquet,
  { features, unread }: Description,
  { path, episode, findings }: { readonly path: string; readonly episode: number; readonly findings: FindingList },
): void {
  for (const name of [...features.map((feature) => feature.name), ...unread])
    if (!table.columns.includes(name))
      findings.add('missing_column', name, `${path} lacks the column that info.json describes`, { episode })
  for (const { name, dtype } of features) {
    const own = table.kept[table.columns.indexOf(name)]
    // A table without rows may not say how it would keep a list.
    if (!own || own === keptType(dtype)) continue
    findings.add('dtype', name, `is ${own} in ${path}; info.json says ${dtype}`, { episode })
  }
}
