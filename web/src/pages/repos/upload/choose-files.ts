/** Which of the chosen files are sent, and where to; as `hub push` decides it. Pure but for the texts of ignore files, and of files with doubtful names. */
import { ignoreFileNames, ignoreRules } from '@hub/client/ignore-rules'
import { isBuiltName, isNeverName } from '@hub/client/left-out-names'
import { isDoubtfulName, isSecretName, isSecretText, LOOK_BYTES } from '@hub/client/secret-names'
import type { Picked } from './picked-files.ts'

export interface Choice {
  readonly sent: readonly Picked[]
  /** What tools make again, and what an ignore file names. */
  readonly ignored: readonly Picked[]
  /** What holds a password or key by its name, or by its name and its first text. */
  readonly secret: readonly Picked[]
}

/** The name of the one folder that all files are in; null where there is no such folder. */
export function commonFolder(picked: readonly Picked[]): string | null {
  const firsts = new Set(picked.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')))
  const [only = ''] = firsts
  return firsts.size === 1 && only !== '' ? only : null
}

/** The files without the folder that they are all in, for a folder whose content is meant. */
export const withoutFolder = (picked: readonly Picked[], folder: string): Picked[] =>
  picked.map(({ path, file }) => ({ path: path.slice(folder.length + 1), file }))

/** Sorts the files out. Of Git's own data and the marks of a file manager nothing is said. */
export async function chooseFiles(picked: readonly Picked[]): Promise<Choice> {
  const rules = ignoreRules()
  // Rules of a deeper folder win, and those of a `.hubignore` over a `.gitignore` beside it.
  const files = picked
    .map((one) => ({ ...one, name: one.path.slice(one.path.lastIndexOf('/') + 1) }))
    .filter(({ name }) => ignoreFileNames.includes(name))
    .toSorted((a, b) => ignoreFileNames.indexOf(a.name) - ignoreFileNames.indexOf(b.name))
  for (const { path, name, file } of files) rules.add(path.slice(0, -name.length - 1), name, await file.text())
  const sent: Picked[] = []
  const ignored: Picked[] = []
  const secret: Picked[] = []
  for (const one of picked) {
    const names = one.path.split('/')
    if (names.some(isNeverName)) continue
    const folders = names.slice(0, -1).map((_, depth) => names.slice(0, depth + 1).join('/'))
    if (names.slice(0, -1).some(isBuiltName) || folders.some((folder) => rules.ruleFor(`${folder}/`) !== null))
      ignored.push(one)
    else if (isSecretName(one.path)) secret.push(one)
    else if (rules.ruleFor(one.path) !== null) ignored.push(one)
    else if (await holdsSecret(one)) secret.push(one)
    else sent.push(one)
  }
  return { sent, ignored, secret }
}

/** A file that cannot be read has no text here: sending it reports that. */
async function holdsSecret({ path, file }: Picked): Promise<boolean> {
  if (!isDoubtfulName(path)) return false
  const text = await file
    .slice(0, LOOK_BYTES)
    .text()
    .catch(() => '')
  return isSecretText(path, text)
}
