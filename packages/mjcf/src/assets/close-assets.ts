/** Which asset files exist, are missing or unusable. */
import type { Faults, ModelFault } from '../fault.ts'
import { limits } from '../limits.ts'
import { inRepo, isAbsolutePath } from '../paths.ts'
import type { MissingFile } from '../reading.ts'
import type { AssetRef } from './asset-refs.ts'
import { problemOf } from './readable.ts'

export interface AssetClosure {
  /** Existing files that MuJoCo opens. */
  readonly files: ReadonlySet<string>
  readonly missing: readonly MissingFile[]
  readonly warnings: readonly ModelFault[]
}

/** Sizes by path in the repo, null where there is no file. */
export type FileSizes = ReadonlyMap<string, number | null>

/** Every path in the repo that MuJoCo would check; empty, with a fault, if over the limit. */
export function pathsToLookFor(refs: readonly AssetRef[], faults: Faults): string[] {
  if (refs.length > limits.assets) {
    faults.refuse('limit', null, `The model refers to ${refs.length} asset files; the limit is ${limits.assets}.`)
  }
  const candidates = refs.flatMap(({ path, probe, fallback }) => [
    path,
    probe,
    ...(fallback === null ? [] : [fallback]),
  ])
  return [...new Set(candidates.flatMap((path) => inRepo(path) ?? []))]
}

/**
 * Looks up each reference in `sizes`; `pointers` are the paths of Git LFS pointers. Adds `path` faults for paths
 * outside the repo and `asset` faults for unreadable files.
 */
export function closeAssets(
  refs: readonly AssetRef[],
  sizes: FileSizes,
  pointers: ReadonlySet<string>,
  faults: Faults,
): AssetClosure {
  const files = new Set<string>()
  const missing = new Map<string, MissingFile>()
  const reported = new Set<string>()
  const besides = new Map<string, AssetRef[]>()
  const once = (key: string, report: () => void) => {
    if (!reported.has(key)) report()
    reported.add(key)
  }
  for (const ref of refs) {
    const place = placeOf(ref, sizes)
    if (place.found !== null) {
      const { path, size } = place.found
      files.add(path)
      if (place.besides) addTo(besides, ref.element.file, ref)
      const problem = problemOf(ref, place.opened, size, pointers.has(path))
      if (!problem) continue
      const { message, hint } = problem
      once(`${ref.kind} ${path}`, () => faults.add('asset', ref.element, message, { names: [path], hint }))
    } else if (inRepo(place.opened) === null) {
      once(place.opened, () => reportOutside(ref, place.opened, faults))
    } else {
      const file = missingFile(ref, sizes)
      if (!missing.has(file.path)) missing.set(file.path, file)
    }
  }
  return {
    files,
    missing: [...missing.values()],
    warnings: [...besides].map(([file, found]) => besideWarning(file, found)),
  }
}

/** The path that MuJoCo opens, and the size found there. */
function placeOf(ref: AssetRef, sizes: FileSizes) {
  const probed = ref.fallback === null || sizeAt(ref.probe, sizes) !== null
  // If the file is not found, the first path is suggested.
  const besides = !probed && ref.fallback !== null && sizeAt(ref.fallback, sizes) !== null
  const opened = besides && ref.fallback !== null ? ref.fallback : ref.path
  const path = inRepo(opened)
  const size = probed || besides ? sizeAt(opened, sizes) : null
  return { opened, besides, found: path !== null && size !== null ? { path, size } : null }
}

function sizeAt(path: string, sizes: FileSizes): number | null {
  const inside = inRepo(path)
  return inside === null ? null : (sizes.get(inside) ?? null)
}

/**
 * The path to add the file at. The folder of the included file is enough. If probe and path differ, the other way takes
 * two files and is not suggested.
 */
function missingFile({ kind, element, path, probe, fallback }: AssetRef, sizes: FileSizes): MissingFile {
  const { file, line } = element
  const probed = fallback === null || sizeAt(probe, sizes) !== null
  const places = probed ? [path] : path === probe ? [path, fallback] : [fallback]
  const [first = path, ...alternatives] = new Set(places.map((joined) => inRepo(joined) ?? joined))
  return { path: first, alternatives, kind, file, line }
}

function reportOutside(ref: AssetRef, opened: string, faults: Faults): void {
  const absolute = isAbsolutePath(opened)
  const message = absolute
    ? `The ${ref.kind} "${ref.written}" is an absolute path: MuJoCo looks for exactly ${opened}.`
    : `The ${ref.kind} "${ref.written}" lies outside the repo: ${opened}.`
  const hint = absolute
    ? 'Name the file relative to the model, or set meshdir and strippath="true" in <compiler>.'
    : 'Keep the files of a model in its repo, and name them from there.'
  faults.add('path', ref.element, message, { names: [ref.written], hint })
}

/**
 * MuJoCo puts the folder of the included file before the name a second time when the model itself is loaded by a
 * relative path with a folder.
 */
function besideWarning(file: string, refs: readonly AssetRef[]): ModelFault {
  const names = [...new Set(refs.map(({ written }) => written))]
  const message = `Asset files that ${file} names are found only beside it: that depends on the path the model is loaded by.`
  const hint = 'Write them relative to the folder of the main file, through meshdir or texturedir.'
  return { kind: 'path', message, file, line: refs[0]?.element.line ?? null, names, hint }
}

function addTo(lists: Map<string, AssetRef[]>, key: string, ref: AssetRef): void {
  const list = lists.get(key)
  if (list) list.push(ref)
  else lists.set(key, [ref])
}
