/** Generated files: what is stale of them, and writing that. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

export const root = new URL('../../', import.meta.url)

/** Texts by path. */
export type Files = Readonly<Record<string, string>>

const isCurrent = (file: string, text: string): boolean =>
  existsSync(new URL(file, root)) && readFileSync(new URL(file, root), 'utf8') === text

/** The paths of those that are missing or have another text. */
export const stale = (files: Files): string[] =>
  Object.keys(files).filter((file) => !isCurrent(file, files[file] ?? ''))

/** Writes what is stale. What is current keeps its time, by which others see whether it has changed. */
export function write(files: Files): void {
  for (const file of stale(files)) writeFileSync(new URL(file, root), files[file] ?? '')
}
