/** Progress callbacks of a transfer. */

export interface Progress {
  /** A phase starts, with its totals. */
  begin(phase: 'hash' | 'send' | 'fetch', files: number, bytes: number): void
  /** Bytes transferred; negative when a failed attempt will be repeated. */
  bytes(count: number): void
  file(path: string): void
  note(message: string): void
  end(): void
}

export const silent: Progress = { begin() {}, bytes() {}, file() {}, note() {}, end() {} }
