/** What people keep a run by: its name, where it belongs, and notes. */
import { Field } from '../../../ui/field.tsx'
import type { KeptDraft } from './kept-draft.ts'

interface Props {
  readonly draft: KeptDraft
  readonly change: (part: Partial<KeptDraft>) => void
  readonly fault: (name: keyof KeptDraft) => string | null
}

export function KeptFields({ draft, change, fault }: Props) {
  return (
    <fieldset className="form-part">
      <legend>How you find it again</legend>
      <div className="form-grid">
        <Field label="Name" hint="Made from the template and the robot if empty." fault={fault('name')}>
          <input autoComplete="off" value={draft.name} onChange={({ target }) => change({ name: target.value })} />
        </Field>
        <Field label="Project" fault={fault('project')}>
          <input
            autoComplete="off"
            value={draft.project}
            onChange={({ target }) => change({ project: target.value })}
          />
        </Field>
        <Field label="Group" hint="Runs that belong together." fault={fault('group')}>
          <input autoComplete="off" value={draft.group} onChange={({ target }) => change({ group: target.value })} />
        </Field>
        <Field label="Tags" hint="Separated by commas." fault={fault('tags')}>
          <input autoComplete="off" value={draft.tags} onChange={({ target }) => change({ tags: target.value })} />
        </Field>
      </div>
      <Field label="Notes" fault={fault('notes')}>
        <textarea rows={3} value={draft.notes} onChange={({ target }) => change({ notes: target.value })} />
      </Field>
    </fieldset>
  )
}
