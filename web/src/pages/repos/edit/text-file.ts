/** The whole text of a file of a repo, to edit it. */
import { PageError } from '../../../ui/problem.ts'
import { previewKind } from '../files/preview-kind.ts'
import { readStart, START_BYTES } from '../read-start.ts'

/** The title of why. */
const NOT_HERE = 'It cannot be edited here'

const textKinds: ReadonlySet<string> = new Set(['markdown', 'json', 'table', 'text'])

/** Whether a page offers to edit a file: a text, and no larger than what a browser's text field is quick with. */
export const isEdited = ({ path, size }: { readonly path: string; readonly size: number }): boolean =>
  size <= START_BYTES && textKinds.has(previewKind(path))

/**
 * Rejects where the file is too large, or no text: what was not read, or not understood, would be lost when it is
 * saved.
 */
export async function readText(owner: string, repo: string, path: string, signal: AbortSignal): Promise<string> {
  const { text, isCut } = await readStart(owner, repo, path, signal)
  if (isCut)
    throw new PageError(NOT_HERE, 'The file is too large to be edited here. Change it on your machine, and upload it.')
  // What a decoder writes for bytes that are not UTF-8.
  if (text.includes('\uFFFD'))
    throw new PageError(NOT_HERE, 'The file is not text in UTF-8. Change it on your machine, and upload it.')
  return text
}
