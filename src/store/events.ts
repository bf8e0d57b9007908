export interface Events {
  /** Says, after commit, that there is more to read about `topic` (an id). Coalesced; carries no payload; may be lost, which costs a delay and never an event. */
  hint(topic: string): void
  /** Yields at once, then whenever `topic` may have changed: at a hint, and at the latest every `pollMs`. Ends with the signal. */
  watch(topic: string, signal: AbortSignal): AsyncIterable<void>
  close(): Promise<void>
}
