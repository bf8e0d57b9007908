/** Fault reports about files. */
import type { ModelFault } from '../fault.ts'
import type { MissingFile } from '../reading.ts'
import type { XmlElement } from '../xml/element.ts'
import type { Loading } from './loading.ts'
import type { FileReference } from './references.ts'

/** A reference to a missing file. */
export function missingFile({ element, candidates }: FileReference, kind: string): MissingFile {
  const [first, ...others] = candidates.map(({ path, joined }) => path ?? joined)
  return { path: first ?? '', alternatives: others, kind, file: element.file, line: element.line }
}

/** The fault of a file that could not be parsed, once for each file. */
export function addXmlFault(fault: ModelFault | null, element: XmlElement, { faults, reported }: Loading): void {
  if (!fault || reported.has(fault.file ?? '')) return
  reported.add(fault.file ?? '')
  const { kind, message, file, line, names, hint } = fault
  const place = { file: file ?? element.file, ...(line === null ? {} : { line }) }
  faults.add(kind, place, message, { names, ...(hint === null ? {} : { hint }) })
}
