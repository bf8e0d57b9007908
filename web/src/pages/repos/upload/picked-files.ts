/** Files that a person chose or dropped, with their paths. */

export interface Picked {
  /** In the folder that they go to: segments separated by `/`, in NFC. */
  readonly path: string
  readonly file: File
}

/** From an input; those of a chosen folder begin with its name. */
export function fromInput(files: Iterable<File>): Picked[] {
  return [...files].map((file) => ({ path: (file.webkitRelativePath || file.name).normalize('NFC'), file }))
}

/** A file or folder that was dropped; a plain file where the browser gives no more. */
export type Dropped = FileSystemEntry | File

/** What of a drop has to be read before the event ends: the browser forgets the rest. */
export function droppedItems(transfer: DataTransfer): Dropped[] {
  return [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? item.getAsFile() ?? [])
}

/** Every file of what was dropped, and below it. Rejects where the browser cannot read one. */
export async function fromDrop(dropped: readonly Dropped[]): Promise<Picked[]> {
  const found = fromInput(dropped.filter(isPlain))
  const waiting = dropped.flatMap((one) => (isPlain(one) ? [] : [one]))
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    const path = entry.fullPath.replace(/^\//, '').normalize('NFC')
    if (isFile(entry)) found.push({ path, file: await fileOf(entry) })
    else if (isFolder(entry)) waiting.push(...(await childrenOf(entry)))
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

const isPlain = (dropped: Dropped): dropped is File => dropped instanceof File
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => entry.file(resolve, () => reject(unreadable(entry))))

/** A browser gives the entries of a folder in portions, and an empty one at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const found: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, () => reject(unreadable(folder))),
    )
    if (some.length === 0) return found
    found.push(...some)
  }
}

const unreadable = ({ fullPath }: FileSystemEntry) => new Error(`The browser cannot read ${fullPath.slice(1)}.`)
