/** The files of the pages of `/v1`: three of the package `swagger-ui-dist`, which a server then need not install. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { assetTypes } from '../src/http/docs.ts'

/** Copies them into a folder. */
export function copyRestPages(folder: string): void {
  const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  mkdirSync(folder, { recursive: true })
  for (const name of Object.keys(assetTypes)) copyFileSync(join(from, name), join(folder, name))
}
