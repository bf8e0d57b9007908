/** Elements that refer to another XML file, and MuJoCo's search paths. */
import { extensionOf, folderOf, inRepo, joinPath } from '../paths.ts'
import type { XmlElement } from '../xml/element.ts'
import { inDocumentOrder } from '../xml/in-document-order.ts'

export interface FileReference {
  readonly element: XmlElement
  /** The file as it was written. */
  readonly written: string
  /**
   * Paths from the root of the repo in the order of lookup, the first that exists is it: in the repo, or null for one
   * that leaves it.
   */
  readonly candidates: readonly { readonly path: string | null; readonly joined: string }[]
}

/**
 * Search paths of `<include>`: first next to the main file, then next to the file that contains the include, never in
 * folders between. Null without a file.
 */
export function includeReference(element: XmlElement, mainFolder: string): FileReference | null {
  const folder = folderOf(element.file)
  return reference(element, folder === mainFolder ? [folder] : [mainFolder, folder])
}

/** Search paths of `<model>`: next to the file that contains it. Null without a file. */
export function modelReference(element: XmlElement): FileReference | null {
  return reference(element, [folderOf(element.file)])
}

function reference(element: XmlElement, folders: readonly string[]): FileReference | null {
  const written = element.attributes.get('file')
  if (written === undefined) return null
  const candidates = [...new Set(folders.map((folder) => joinPath(folder, written)))]
  return { element, written, candidates: candidates.map((joined) => ({ path: inRepo(joined), joined })) }
}

/** Whether all candidate paths are outside the repo. */
export function leavesRepo({ candidates }: FileReference): boolean {
  return candidates.every(({ path }) => path === null)
}

/** Whether MuJoCo treats the file of a `<model>` as a model, which it decides before it opens the file. */
export function isModelFile({ element, written }: Pick<FileReference, 'element' | 'written'>): boolean {
  return /^\.(xml|urdf)$/.test(extensionOf(written)) || element.attributes.get('content_type') === 'text/xml'
}

/**
 * Each reference of a file as it was written, includes not expanded: these are requested next. A repeated reference
 * leads to the same file.
 */
export function referencesOf(
  root: XmlElement,
  mainFolder: string,
): { includes: FileReference[]; models: FileReference[]; elements: number } {
  const includes = new Map<string, XmlElement>()
  const models = new Map<string, XmlElement>()
  let elements = 0
  for (const element of inDocumentOrder(root)) {
    elements += 1
    const file = element.attributes.get('file')
    if (file === undefined || element === root) continue
    if (element.name === 'include') includes.set(file, element)
    else if (element.name === 'model' && isModelFile({ element, written: file })) models.set(file, element)
  }
  return {
    includes: [...includes.values()].flatMap((element) => includeReference(element, mainFolder) ?? []),
    models: [...models.values()].flatMap((element) => modelReference(element) ?? []),
    elements,
  }
}
