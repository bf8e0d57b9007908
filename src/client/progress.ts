/** Progress of a transfer. The library only calls; the caller decides how to show it. */

export interface Progress {
  /** The work ahead, once it is known. */
  begin(phase: 'hash' | 'send' | 'fetch', files: number, bytes: number): void
  /** Bytes that moved; negative when a try failed and they will move again. */
  bytes(count: number): void
  file(path: string): void
  note(message: string): void
  end(): void
}

export const silent: Progress = { begin() {}, bytes() {}, file() {}, note() {}, end() {} }
