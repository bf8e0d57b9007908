/** What people keep a run by. Nothing that moves, prices or schedules a run reads it. Contract, "Keeping runs". */

import { column, columns, type RowOf } from '../store/columns.ts'
import { texts } from '../store/read-json.ts'
import { param } from '../store/statement.ts'

/** As a request gives them: null and absent are the same for a new run; a change leaves what is absent. */
export interface KeptFields {
  readonly project?: string | null
  readonly name?: string | null
  /** Text of several lines. */
  readonly notes?: string | null
  readonly tags?: readonly string[] | null
  readonly group?: string | null
  readonly jobType?: string | null
}

/** The names of these fields. */
export const keptNames = ['project', 'name', 'notes', 'tags', 'group', 'jobType'] as const

/** The columns of the runs row `u`. `group` is a word of SQL, so its column has another name. */
export const keptColumns = columns({
  project: column.text.orNull('u.project'),
  name: column.text.orNull('u.name'),
  notes: column.text.orNull('u.notes'),
  tags: column.json('to_json(u.tags)', texts),
  group: column.text.orNull('u.run_group'),
  jobType: column.text.orNull('u.job_type'),
})
export type KeptRow = RowOf<typeof keptColumns>

/** The columns of a new row. */
export const keptParams = {
  project: param.text.orNull(),
  name: param.text.orNull(),
  notes: param.text.orNull(),
  tags: param.texts(),
  runGroup: param.text.orNull(),
  jobType: param.text.orNull(),
}

/** The values of `keptParams`. Empty notes are none; a tag that is given twice counts once, where it stood first. */
export const keptValues = ({ project, name, notes, tags, group, jobType }: KeptFields) => ({
  project: project ?? null,
  name: name ?? null,
  notes: notes || null,
  tags: [...new Set(tags ?? [])],
  runGroup: group ?? null,
  jobType: jobType ?? null,
})
