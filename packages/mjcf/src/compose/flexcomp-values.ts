/** Attributes of a flexcomp. */
import { readNumbers } from '../grammar/values.ts'
import type { XmlElement } from '../xml/element.ts'

/** The whole numbers of a text; empty if invalid, which the grammar reports. */
export function wholeNumbers(text: string | undefined): number[] {
  return readNumbers(text ?? '', 'int') ?? []
}

/** The numbers of a flexcomp that determine what it creates. */
export interface Flexcomp {
  readonly element: XmlElement
  readonly type: string
  readonly dof: string
  readonly dim: number
  readonly count: readonly [number, number, number]
  readonly rigid: boolean
}
