/**
 * Requests every XML file that a model could read in waves: all files referenced by one wave are requested together.
 */
import { faultAt, type ModelFault, ModelRefusal } from '../fault.ts'
import { limits } from '../limits.ts'
import type { ModelFiles } from '../model-files.ts'
import { folderOf } from '../paths.ts'
import type { XmlElement } from '../xml/element.ts'
import { parseXml, type XmlAllowance } from '../xml/parse-xml.ts'
import { type FileReference, referencesOf } from './references.ts'

/** An existing file: its tree as written, or its fault. */
type XmlFile =
  | { readonly root: XmlElement; readonly bytes: number; readonly fault: null }
  | { readonly root: null; readonly bytes: number; readonly fault: ModelFault }

/** Files that exist and were read, by path. */
export type GatheredFiles = ReadonlyMap<string, XmlFile>

/** A file in its role: includes are looked up in the folder of their model's main file. */
interface Visit {
  readonly main: string
  readonly path: string
}

/**
 * Reads `entry` and all files that it leads to. Throws `ModelRefusal` (`limit`) if that is too much; expansion reports
 * all other faults.
 */
export async function gatherFiles(source: ModelFiles, entry: string): Promise<GatheredFiles> {
  const files = new Map<string, XmlFile>()
  const sizes = new Map<string, number | null>()
  const visited = new Set<string>()
  // A file is searched once for each model that includes it, so at most as many elements are visited as the expanded
  // models have.
  const left = {
    bytes: limits.textBytes,
    elements: limits.elements,
    attributes: limits.attributes,
    visits: limits.elements,
  }

  const lookFor = async (paths: readonly string[]) => {
    const unknown = [...new Set(paths)].filter((path) => !sizes.has(path))
    if (unknown.length === 0) return
    if (sizes.size + unknown.length > limits.asked) throw refusal(entry, `More than ${limits.asked} files are named.`)
    const found = await source.sizesOf(unknown)
    for (const [index, path] of unknown.entries()) sizes.set(path, found[index] ?? null)
  }
  const read = async (paths: readonly string[]) => {
    const unread = [...new Set(paths)].filter((path) => !files.has(path) && sizes.get(path) !== null)
    for (const path of unread) {
      const bytes = sizes.get(path) ?? 0
      if (bytes > limits.fileBytes) throw refusal(path, `${bytes} bytes of XML; the limit is ${limits.fileBytes}.`)
      left.bytes -= bytes
    }
    if (left.bytes < 0) throw refusal(entry, `More than ${limits.textBytes} bytes of XML.`)
    const contents = await Promise.all(unread.map((path) => source.readFile(path)))
    for (const [index, path] of unread.entries()) {
      const bytes = contents[index]
      if (bytes) files.set(path, parsed(bytes, path, left))
      else sizes.set(path, null)
    }
  }
  const choose = ({ candidates }: FileReference) =>
    candidates.find(({ path }) => path !== null && (sizes.get(path) ?? null) !== null)?.path ?? null

  let wave: Visit[] = [{ main: entry, path: entry }]
  await lookFor([entry])
  while (wave.length > 0) {
    await read(wave.map(({ path }) => path))
    const references: Reference[] = []
    for (const visit of wave) {
      const found = visitsFrom(visit, files.get(visit.path))
      left.visits -= found.elements
      if (left.visits < 0) throw refusal(entry, `More than ${limits.elements} elements with all includes and models.`)
      for (const reference of found.references) references.push(reference)
    }
    await lookFor(references.flatMap(({ reference }) => reference.candidates.flatMap(({ path }) => path ?? [])))
    wave = references.flatMap(({ main, reference }) => {
      const path = choose(reference)
      const visit = path === null ? null : { main: main ?? path, path }
      const key = `${visit?.main}\0${path}`
      if (!visit || visited.has(key)) return []
      visited.add(key)
      return visit
    })
    if (visited.size > limits.includes) throw refusal(entry, `More than ${limits.includes} files by include or model.`)
  }
  return files
}

/** Something that a file refers to, with the main file to look it up by: null for a model asset, which is its own. */
interface Reference {
  readonly main: string | null
  readonly reference: FileReference
}

/** The references of a file, and how many elements were visited to find them. */
function visitsFrom({ main, path }: Visit, file: XmlFile | undefined): { references: Reference[]; elements: number } {
  if (!file?.root || (path === main && formatOf(file.root) !== 'mjcf')) return { references: [], elements: 0 }
  const { includes, models, elements } = referencesOf(file.root, folderOf(main))
  const references = [
    ...includes.map((reference) => ({ main, reference })),
    ...models.map((reference) => ({ main: null, reference })),
  ]
  return { references, elements }
}

function parsed(bytes: Uint8Array, path: string, left: XmlAllowance): XmlFile {
  try {
    return { root: parseXml(bytes, path, left), bytes: bytes.length, fault: null }
  } catch (error) {
    if (!(error instanceof ModelRefusal) || error.fault.kind === 'limit') throw error
    return { root: null, bytes: bytes.length, fault: error.fault }
  }
}

function refusal(file: string, message: string): ModelRefusal {
  return new ModelRefusal(faultAt('limit', { file }, message))
}

/** Null if the root is not of a model. */
export function formatOf(root: XmlElement): 'mjcf' | 'urdf' | null {
  const name = root.name.toLowerCase()
  return name === 'mujoco' ? 'mjcf' : name === 'robot' ? 'urdf' : null
}
