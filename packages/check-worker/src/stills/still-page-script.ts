/**
 * The script of the page that draws stills. The one-file bundle of the command line has its text in place of this
 * module.
 */
import { readFile } from 'node:fs/promises'

/** Made by `scripts/scene-page.ts`; null before that. */
export function readStillPage(): Promise<string | null> {
  return readFile(new URL('../../../../generated/still-page.js', import.meta.url), 'utf8').catch(() => null)
}
