/** Where in the tree of bodies an element is read. */
import type { Draft } from './draft.ts'
import type { BodyNode, SpecNode } from './node.ts'

/** Where an element stands: its body, the frame within it, and the class that holds there. */
export interface Place {
  readonly draft: Draft
  readonly body: BodyNode
  readonly frame: SpecNode | null
  readonly className: string
}
