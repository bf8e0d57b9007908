/** Which files of a folder may be its model. */
import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/** A file of the folder that may be a model, and whether another of them includes it. */
export interface CandidateModel {
  readonly name: string
  readonly isPart: boolean
}

/**
 * Those directly in the folder, by name; files that others include come last: a model is rarely one of its parts. Null
 * if it is not a folder.
 */
export async function modelsIn(dir: string): Promise<CandidateModel[] | null> {
  const names = await readdir(dir).catch(() => null)
  if (names === null) return null
  const models = names.filter((name) => /\.(xml|mjcf|urdf)$/i.test(name)).sort()
  const texts = await Promise.all(models.map((name) => readFile(resolve(dir, name), 'utf8').catch(() => '')))
  const included = new Set(
    texts.flatMap((text) => [...text.matchAll(/<include\s[^>]*\bfile="([^"]+)"/g)].map(([, file]) => file)),
  )
  const candidates = models.map((name) => ({ name, isPart: included.has(name) }))
  return [...candidates.filter(({ isPart }) => !isPart), ...candidates.filter(({ isPart }) => isPart)]
}
