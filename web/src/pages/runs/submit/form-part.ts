import type { placedFields, RunDraft } from './run-draft.ts'

/** What each part of the form gets. */
export interface FormPart {
  readonly draft: RunDraft
  readonly change: (part: Partial<RunDraft>) => void
  /** What is wrong with a field, by the last name of its place in the request. */
  readonly fault: (name: (typeof placedFields)[number]) => string | null
}
