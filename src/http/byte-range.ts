/** A range inside an object; both ends inclusive. */
export interface WholeRange {
  readonly start: number
  readonly end: number
}

/**
 * Parses the `Range` header for an object's size. Null means the whole object: no header, another unit, several ranges
 * or a malformed one, all of which RFC 9110 (14.2) lets a server ignore.
 */
export function parseRange(header: string | undefined, sizeBytes: number): WholeRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  if (first === '') {
    const suffixBytes = Number(last)
    if (suffixBytes === 0 || sizeBytes === 0) return 'unsatisfiable'
    return { start: Math.max(sizeBytes - suffixBytes, 0), end: sizeBytes - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= sizeBytes) return 'unsatisfiable'
  return { start, end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) }
}
