/** Position in the body tree. */
import type { Draft } from './draft.ts'
import type { BodyNode, SpecNode } from './node.ts'

/** Position of an element: its body, the frame within it, and the default class there. */
export interface Place {
  readonly draft: Draft
  readonly body: BodyNode
  readonly frame: SpecNode | null
  readonly className: string
}
