/** Messages between the server and the thread of its model. */
import type { Tensor, TensorSpec } from '../wire/tensors.ts'

export interface RunRequest {
  readonly id: number
  readonly feeds: Readonly<Record<string, Tensor>>
}

export interface ModelFace {
  readonly inputs: readonly TensorSpec[]
  readonly outputs: readonly TensorSpec[]
}

export type ThreadMessage =
  | { readonly kind: 'ready'; readonly face: ModelFace }
  /** The model cannot be served: a sentence. */
  | { readonly kind: 'refused'; readonly why: string }
  | {
      readonly kind: 'done'
      readonly id: number
      readonly outputs: Readonly<Record<string, Tensor>>
      readonly ms: number
    }
  /** The model rejected this one observation. */
  | { readonly kind: 'rejected'; readonly id: number; readonly why: string }
