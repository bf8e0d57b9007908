/** The header of a NumPy array file (`.npy`, format versions 1 to 3). Pure. */

export interface NpyHeader {
  /** `float64`, `int32`, …; of a structured array its description as it is written. */
  readonly type: string
  readonly shape: readonly number[]
}

/** Of arrays with thousands of named fields the header is longer, and is not shown. */
export const NPY_HEADER_BYTES = 16 * 1024

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59] as const
const kinds: Readonly<Record<string, string>> = { f: 'float', i: 'int', u: 'uint', c: 'complex' }
const units: Readonly<Record<string, string>> = { b: 'bool', S: 'bytes', U: 'text', O: 'Python object', V: 'void' }

/** From the first bytes of the file; null if they are no such header. */
export function npyHeader(start: Uint8Array): NpyHeader | null {
  if (MAGIC.some((byte, place) => start[place] !== byte) || start.length < 12) return null
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength)
  const isFirst = start[6] === 1
  const length = isFirst ? view.getUint16(8, true) : view.getUint32(8, true)
  const from = isFirst ? 10 : 12
  if (from + length > start.length) return null
  const text = new TextDecoder().decode(start.subarray(from, from + length))
  const shape = /'shape':\s*\(([\d\s,L]*)\)/.exec(text)?.[1]
  const type = /'descr':\s*(?:'([^']*)'|(\[.*\]))\s*,/s.exec(text)
  if (shape === undefined || type === null) return null
  return {
    type: type[1] === undefined ? (type[2] ?? '') : typeName(type[1]),
    shape: shape.split(',').flatMap((size) => (size.trim() === '' ? [] : [Number.parseInt(size, 10)])),
  }
}

/** `<f8` is `float64`; dates and what else NumPy has are said as they are written. */
function typeName(code: string): string {
  const [, kind = '', size = ''] = /^[<>|=]?([a-zA-Z])(\d*)$/.exec(code) ?? []
  const word = kinds[kind]
  if (word) return `${word}${8 * Number(size)}`
  const unit = units[kind]
  if (!unit) return code
  return size === '' || kind === 'b' || kind === 'O' ? unit : `${unit} of ${size}`
}
