/** What a transfer tells while it runs. The library only calls; whoever shows it decides how. */

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
