/** What people keep a run by, as a form has it and as a request does. Pure. */

/** As typed. */
export interface KeptDraft {
  readonly name: string
  readonly project: string
  readonly group: string
  /** Separated by commas. */
  readonly tags: string
  readonly notes: string
}

interface Kept {
  readonly name: string | null
  readonly project: string | null
  readonly group: string | null
  readonly tags: readonly string[]
  readonly notes: string | null
}

/** Texts between commas, each trimmed, without empty ones. */
const tagsIn = (typed: string): string[] => typed.split(',').flatMap((tag) => tag.trim() || [])

/** A form with what a run has. */
export const keptDraftOf = ({ name, project, group, tags, notes }: Kept): KeptDraft => ({
  name: name ?? '',
  project: project ?? '',
  group: group ?? '',
  tags: tags.join(', '),
  notes: notes ?? '',
})

/** What a request has: null for what is empty. */
export const keptOf = ({ name, project, group, tags, notes }: KeptDraft) => ({
  name: name.trim() || null,
  project: project.trim() || null,
  group: group.trim() || null,
  tags: tagsIn(tags),
  notes: notes || null,
})

/** Of a change: the fields alone that differ, so that what others change meanwhile stays. */
export function changedKept(before: KeptDraft, after: KeptDraft): Partial<ReturnType<typeof keptOf>> {
  const { name, project, group, tags, notes } = keptOf(after)
  const differs = (field: keyof KeptDraft) => before[field] !== after[field]
  return {
    ...(differs('name') && { name }),
    ...(differs('project') && { project }),
    ...(differs('group') && { group }),
    ...(differs('tags') && { tags }),
    ...(differs('notes') && { notes }),
  }
}
