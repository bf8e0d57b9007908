/** The tasks that a data set lists. */
import { openParquet } from '../parquet.ts'
import { byteFileOf, type DatasetFiles, jsonObject, linesOf } from './dataset-files.ts'

/** By their numbers; null where it lists none. */
export async function knownTasks(files: DatasetFiles, layout: 2 | 3): Promise<ReadonlySet<number> | null> {
  const known = new Set<number>()
  if (layout === 2) {
    for await (const line of linesOf(files, 'meta/tasks.jsonl')) {
      const index = jsonObject(line)?.task_index
      if (typeof index === 'number') known.add(index)
    }
    return files.sizes.has('meta/tasks.jsonl') ? known : null
  }
  const file = byteFileOf(files, 'meta/tasks.parquet')
  // A broken table of tasks lists none.
  const table = file ? await openParquet(file).catch(() => null) : null
  if (!table?.columns.includes('task_index')) return null
  for (const row of await table.read(['task_index'], 0, table.rows)) known.add(Number(row.task_index))
  return known
}
