/** Holds the state of a viewer, and tells its panels of each change. */
import type { Ready, ViewerState } from './viewer-state.ts'

export interface ViewerStore {
  state(): ViewerState
  /** The state while a model is shown, else null. */
  ready(): Ready | null
  become(next: ViewerState): void
  /** Changes a part of the state while a model is shown; does nothing otherwise. */
  change(part: Partial<Ready>): void
  /** Calls `hear` after each change, until the returned function is called. */
  subscribe(hear: () => void): () => void
  /** No one is told any more. */
  close(): void
}

/** A store that begins in the state `first`. */
export function viewerStore(first: ViewerState): ViewerStore {
  const listeners = new Set<() => void>()
  let state = first
  const become = (next: ViewerState) => {
    state = next
    for (const hear of listeners) hear()
  }
  return {
    state: () => state,
    ready: () => (state.phase === 'ready' ? state : null),
    become,
    change(part) {
      if (state.phase === 'ready') become({ ...state, ...part })
    },
    subscribe(hear) {
      listeners.add(hear)
      return () => listeners.delete(hear)
    },
    close: () => listeners.clear(),
  }
}
