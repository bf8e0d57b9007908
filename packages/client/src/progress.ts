/** Progress callbacks of a transfer. */

interface TransferPlan {
  readonly send: number
  readonly bytes: number
  readonly skip: number
  readonly skipBytes: number
}

export interface Progress {
  /** A phase starts, with its totals. */
  begin(phase: 'hash' | 'look' | 'send' | 'fetch', files: number, bytes: number): void
  /**
   * Bytes transferred; negative when a failed attempt will be repeated. `known`: they were there already, and tell
   * nothing of the speed.
   */
  bytes(count: number, how?: 'known'): void
  /** A file has ended; `known`: without any work of its own. */
  file(path: string, how?: 'known'): void
  /** What is about to be transferred, and what need not be. */
  planned(plan: TransferPlan): void
  note(message: string): void
  end(): void
}

export const silent: Progress = { begin() {}, bytes() {}, file() {}, planned() {}, note() {}, end() {} }
