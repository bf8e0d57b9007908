/** The arrays of an `.npz` or `.npy` file, and the files of a `.zip`: what they are, without their content. */

import { type Entry, Reader, ZipReader } from '@zip.js/zip.js'
import { readRange } from '../../../../files/range-file.ts'
import { bytes } from '../../../../ui/format.ts'
import { PageError } from '../../../../ui/problem.ts'
import { ErrorNotice, Loading } from '../../../../ui/states.tsx'
import { NPY_HEADER_BYTES, npyHeader } from './npy-header.ts'
import { type PreviewProps, rangeFile, versionOf } from './repo-file.ts'
import { RowTable } from './row-table.tsx'
import { useLoaded } from './use-loaded.ts'

interface Part {
  readonly name: string
  readonly sizeBytes: number
  /** Of an array. */
  readonly type: string
  readonly shape: string
}

const MOST_PARTS = 500
/** Of one request: the list of an archive of a million files is longer, and a broken one may claim anything. */
const MOST_READ_BYTES = 16 * 1024 * 1024
/** A header is one request each, of what it takes to unpack its first bytes. */
const MOST_HEADERS = 100

export default function ArchivePreview(props: PreviewProps) {
  const { value, error } = useLoaded(versionOf(props), () => partsOf(props))
  if (error) return <ErrorNotice error={error} />
  if (!value) return <Loading />
  const areArrays = value.parts.some(({ type }) => type !== '')
  return (
    <>
      <RowTable
        label="Content of the file"
        head={areArrays ? ['Array', 'Type', 'Shape', 'Size'] : ['File', 'Size']}
        rows={value.parts.map(({ name, type, shape, sizeBytes }) =>
          areArrays ? [name, type, shape, bytes(sizeBytes)] : [name, bytes(sizeBytes)],
        )}
        numbers={new Set([areArrays ? 3 : 1])}
      />
      {value.isCut && (
        <p className="preview dim">The first {value.parts.length} entries. Download the file to see all.</p>
      )}
    </>
  )
}

/** The bytes of a file of a repo, as zip.js asks for them. */
class RepoReader extends Reader<PreviewProps> {
  readonly #read: (start: number, end: number) => Promise<ArrayBuffer>
  constructor(props: PreviewProps) {
    super(props)
    this.#read = readRange(rangeFile(props))
    this.size = props.file.size
  }
  override async readUint8Array(index: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    if (length > MOST_READ_BYTES)
      throw new PageError('It cannot be shown', 'The list of its files is too long to be shown. Download the file.')
    return new Uint8Array(await this.#read(index, Math.min(index + length, this.size)))
  }
}

async function partsOf(props: PreviewProps): Promise<{ readonly parts: readonly Part[]; readonly isCut: boolean }> {
  const { path, size } = props.file
  if (path.toLowerCase().endsWith('.npy')) {
    const start = await readRange(rangeFile(props))(0, Math.min(size, NPY_HEADER_BYTES))
    return { parts: [arrayPart(path, size, new Uint8Array(start))], isCut: false }
  }
  const parts: Part[] = []
  const zip = new ZipReader(new RepoReader(props), { useWebWorkers: false })
  try {
    for await (const entry of zip.getEntriesGenerator()) {
      if (parts.length === MOST_PARTS) return { parts, isCut: true }
      const isArray = entry.filename.endsWith('.npy') && !entry.encrypted && parts.length < MOST_HEADERS
      const { filename: name, uncompressedSize: sizeBytes } = entry
      parts.push(isArray ? arrayPart(name, sizeBytes, await startOf(entry)) : { name, sizeBytes, type: '', shape: '' })
    }
    return { parts, isCut: false }
  } finally {
    await zip.close()
  }
}

function arrayPart(name: string, sizeBytes: number, start: Uint8Array): Part {
  const header = npyHeader(start)
  return {
    name: name.replace(/\.npy$/, ''),
    sizeBytes,
    type: header?.type ?? 'not read',
    shape: header ? header.shape.join(' × ') || 'one number' : '',
  }
}

/** The first bytes of an entry: unpacking ends when there are enough of them. */
async function startOf(entry: Entry): Promise<Uint8Array> {
  if (entry.directory) return new Uint8Array(0)
  const enough = new AbortController()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const sink = new WritableStream<Uint8Array>({
    write(chunk) {
      parts.push(new Uint8Array(chunk))
      length += chunk.length
      if (length >= NPY_HEADER_BYTES) enough.abort()
    },
  })
  await entry.getData(sink, { signal: enough.signal, useWebWorkers: false }).catch((error: unknown) => {
    if (!enough.signal.aborted) throw error
  })
  return new Uint8Array(await new Blob(parts).slice(0, NPY_HEADER_BYTES).arrayBuffer())
}
