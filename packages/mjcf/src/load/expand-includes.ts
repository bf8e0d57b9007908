/**
 * Replaces each `<include>` with the children of its file's root, in document order, which decides whether a file
 * counts as "already included".
 */
import { type Faults, faultAt } from '../fault.ts'
import { limits } from '../limits.ts'
import { folderOf, isAbsolutePath, joinPath } from '../paths.ts'
import type { XmlElement } from '../xml/element.ts'
import type { GatheredFiles } from './gather-files.ts'
import type { LoadReport } from './loaded-model.ts'
import type { Loading } from './loading.ts'
import { type FileReference, includeReference, leavesRepo } from './references.ts'
import { addXmlFault, missingFile } from './report.ts'

/** The main file of one model and what it included so far. */
interface Expansion {
  readonly loading: Loading
  readonly mainFolder: string
  /** In a URDF an element of that name has no meaning. */
  readonly expands: boolean
  readonly includes: Set<string>
  /**
   * MuJoCo's own keys, as for a model loaded by its absolute path. An include in the main file is recorded as written;
   * any other by the absolute path next to the including file, even if the file was found next to the main one. So some
   * repetitions are accepted, and others are not.
   */
  readonly keys: Set<string>
}

/** Position of the copied elements. */
interface Place {
  /** Files from the main file to the one they are written in. */
  readonly chain: readonly string[]
  /** Absolute folder of that file as MuJoCo writes it, `''` for the main file. */
  readonly folder: string
  readonly level: number
}

/**
 * A copy of the main file's tree, without includes where it is MJCF, and the files included, in the order first seen.
 */
export function expandIncludes(main: XmlElement, format: 'mjcf' | 'urdf', loading: Loading) {
  const expansion: Expansion = {
    loading,
    mainFolder: folderOf(main.file),
    expands: format === 'mjcf',
    includes: new Set(),
    keys: new Set([`/${main.file}`]),
  }
  const root = copyOf(main, expansion, { chain: [main.file], folder: '', level: 1 })
  return { root, includes: [...expansion.includes] }
}

function copyOf(element: XmlElement, expansion: Expansion, place: Place): XmlElement {
  const { left, faults } = expansion.loading
  left.elements -= 1
  if (left.elements < 0) faults.refuse('limit', element, `More than ${limits.elements} elements with all includes.`)
  if (place.level > limits.expandedLevels) {
    faults.refuse('limit', element, `Elements are nested more than ${limits.expandedLevels} deep with all includes.`)
  }
  const children: XmlElement[] = []
  copyInto(children, element.children, expansion, { ...place, level: place.level + 1 })
  return { ...element, children }
}

// Loops, since a callback for each level would double the depth of the stack.
function copyInto(copies: XmlElement[], elements: readonly XmlElement[], expansion: Expansion, place: Place): void {
  for (const element of elements) {
    if (expansion.expands && element.name === 'include') include(copies, element, expansion, place)
    else copies.push(copyOf(element, expansion, place))
  }
}

/** Copies the children of the included root, none where the include is faulty. */
function include(copies: XmlElement[], element: XmlElement, expansion: Expansion, place: Place): void {
  const { loading, mainFolder, includes, keys } = expansion
  const { gathered, faults, report, left } = loading
  if (element.children.length > 0 || element.hasOtherContent) {
    faults.add('include', element, 'An include must be empty, without comments.')
    return
  }
  const reference = includeReference(element, mainFolder)
  if (!reference) {
    faults.add('include', element, 'An include without the attribute "file".', { hint: 'Add file="…".' })
    return
  }
  const path = existing(reference, gathered)
  if (path === null) {
    if (leavesRepo(reference)) leaves(reference, faults)
    else report.missing.push(missingFile(reference, 'include'))
    return
  }
  if (place.chain.includes(path)) {
    const names = [...place.chain.slice(place.chain.indexOf(path)), path]
    faults.add('include', element, `Files include each other: ${names.join(' -> ')}.`, { names })
    return
  }
  const isFallback = path !== reference.candidates[0]?.path
  const name = isFallback ? joinPath(place.folder, reference.written) : joinPath('', reference.written)
  if (keys.has(name)) {
    const hint = 'Include it once.'
    faults.add('include', element, `"${reference.written}" is included already.`, { names: [path], hint })
    return
  }
  const file = gathered.get(path)
  left.includes -= 1
  if (left.includes < 0) faults.refuse('limit', element, `More than ${limits.includes} includes, nested ones counted.`)
  left.bytes -= file?.bytes ?? 0
  if (left.bytes < 0) faults.refuse('limit', element, `More than ${limits.textBytes} bytes of XML with all includes.`)
  keys.add(joinPath(place.folder, name))
  if (!file?.root) {
    addXmlFault(file?.fault ?? null, element, loading)
    return
  }
  if (file.root.children.length === 0) {
    faults.add('include', element, `The root element of "${path}" has no elements in it.`, { names: [path] })
    return
  }
  if (isFallback) warnOfFallback(reference, path, report)
  else if (includes.has(path)) {
    const message = `"${path}" is included more than once: MuJoCo refuses that where the model is loaded by a relative path.`
    report.warnings.push(faultAt('include', element, message, { names: [path] }))
  }
  includes.add(path)
  const absolute = joinPath(isFallback ? place.folder : `/${mainFolder}`, reference.written)
  copyInto(copies, file.root.children, expansion, {
    chain: [...place.chain, path],
    folder: absolute.replace(/[^/]*$/, ''),
    level: place.level,
  })
}

/** The first candidate that exists. */
export function existing({ candidates }: FileReference, files: GatheredFiles): string | null {
  return candidates.find(({ path }) => path !== null && files.has(path))?.path ?? null
}

/** For a path outside the repo. */
export function leaves({ element, written, candidates }: FileReference, faults: Faults): void {
  const hint = 'Files of a model lie in its repo: write the path relative to the file that contains it.'
  const isAbsolute = candidates.some(({ joined }) => isAbsolutePath(joined))
  const message = isAbsolute ? `"${written}" is an absolute path.` : `"${written}" leads out of the repo.`
  faults.add('path', element, message, { names: [written], hint })
}

/** Later candidates are only found if the model is loaded by its absolute path or from its own folder. */
export function warnOfFallback({ element, written }: FileReference, path: string, report: LoadReport): void {
  const message = `"${written}" is found as "${path}", beside the file that names it: not where the model is loaded by a path such as "folder/model.xml".`
  report.warnings.push(faultAt('include', element, message, { names: [path] }))
}
