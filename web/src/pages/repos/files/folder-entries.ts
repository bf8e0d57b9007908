/** A folder from the flat listing of a repo, which is in byte order of path. Pure. */

interface Listed {
  readonly path: string
  readonly size: number
}

export type FolderEntry<File> =
  | { readonly kind: 'file'; readonly name: string; readonly file: File }
  /** What is in it and was listed: the listing may continue. */
  | {
      readonly kind: 'folder'
      readonly name: string
      readonly path: string
      readonly count: number
      readonly bytes: number
    }

/**
 * Folders first, then files, each in the order of the listing. `folder` is '' for the root, else it has no slash at its
 * end.
 */
export function folderEntries<File extends Listed>(files: readonly File[], folder: string): FolderEntry<File>[] {
  const start = folder === '' ? 0 : folder.length + 1
  const folders = new Map<string, { count: number; bytes: number }>()
  const found: FolderEntry<File>[] = []
  for (const file of files) {
    const slash = file.path.indexOf('/', start)
    if (slash === -1) {
      found.push({ kind: 'file', name: file.path.slice(start), file })
      continue
    }
    const path = file.path.slice(0, slash)
    const { count, bytes } = folders.get(path) ?? { count: 0, bytes: 0 }
    folders.set(path, { count: count + 1, bytes: bytes + file.size })
  }
  const inner = [...folders].map(([path, sums]) => ({
    kind: 'folder' as const,
    name: path.slice(start),
    path,
    ...sums,
  }))
  return [...inner, ...found]
}

/** `meshes/arm/a.stl` as the folders that lead to it, and itself. */
export function crumbsOf(path: string): { readonly name: string; readonly path: string }[] {
  const names = path.split('/').filter((name) => name !== '')
  return names.map((name, index) => ({ name, path: names.slice(0, index + 1).join('/') }))
}
