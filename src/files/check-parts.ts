/** Compares the parts named by a completion with the stored ones (contract, "Uploads"). Pure. */
import type { ErrorItem, Loc, PlainErrorType } from '../platform/errors.ts'
import type { CompletedUpload } from './schemas.ts'
import { partCount } from './upload-sql.ts'

interface Part {
  readonly partNumber: number
  readonly etag: string
  readonly sizeBytes: number
}

export type PartFault = ErrorItem & { readonly type: PlainErrorType }

/** ETags are compared without the quotes that HTTP wraps them in. */
export const bareEtag = (etag: string) => etag.replace(/^"(.*)"$/, '$1')

/** Bytes that part `partNumber` of a file must have. */
export function partBytes(sizeBytes: number, partSizeBytes: number, partNumber: number): number {
  const before = (partNumber - 1) * partSizeBytes
  return Math.min(partSizeBytes, sizeBytes - before)
}

/**
 * All faults of the named parts: duplicate, out of range, omitted, not stored, different ETag or size. `stored` is what
 * the store has (or had, once it assembled them); `loc` is the place of the upload in the request.
 */
export function partFaults(
  named: CompletedUpload,
  file: { readonly size: number; readonly partSize: number },
  stored: readonly Part[],
  loc: Loc,
): PartFault[] {
  const count = partCount(file.size, file.partSize)
  const fault = (type: PlainErrorType, detail: string, ...at: (string | number)[]): PartFault => ({
    type,
    detail: `${named.path === '' ? 'The content' : JSON.stringify(named.path)}: ${detail}`,
    loc: [...loc, 'parts', ...at],
  })
  const faults: PartFault[] = []
  const seen = new Set<number>()
  const byNumber = new Map(stored.map((part) => [part.partNumber, part]))
  for (const [index, { partNumber, etag }] of named.parts.entries()) {
    const part = byNumber.get(partNumber)
    if (seen.has(partNumber))
      faults.push(fault('validation.duplicate', `part ${partNumber} is listed twice.`, index, 'partNumber'))
    else if (partNumber > count)
      faults.push(fault('validation.value', `the file has ${count} parts, not ${partNumber}.`, index, 'partNumber'))
    else if (!part)
      faults.push(fault('upload.part_missing', `part ${partNumber} has not been uploaded.`, index, 'partNumber'))
    else if (part.etag !== bareEtag(etag))
      faults.push(fault('upload.etag_mismatch', `part ${partNumber} has a different ETag in the store.`, index, 'etag'))
    else if (part.sizeBytes !== partBytes(file.size, file.partSize, partNumber)) {
      const expected = partBytes(file.size, file.partSize, partNumber)
      faults.push(
        fault('upload.size_mismatch', `part ${partNumber} has ${part.sizeBytes} bytes, not ${expected}.`, index),
      )
    }
    seen.add(partNumber)
  }
  const left = Array.from({ length: count }, (_, index) => index + 1).filter((number) => !seen.has(number))
  if (left.length > 0) {
    const shown = left.slice(0, 10).join(', ') + (left.length > 10 ? ', …' : '')
    faults.push(fault('upload.part_missing', `part ${shown} is not listed.`))
  }
  return faults
}
