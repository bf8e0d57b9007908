/** The sources of the Python client, which the packed command has beside it: `hub track` gives them to its command. */
import { globSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sources = fileURLToPath(new URL('../../clients/python/src/', import.meta.url))

/** Their paths below `clients/python/src`, in order of bytes; without what Python compiled of them. */
export function pythonSources(): string[] {
  const paths = globSync('hub/**/*', {
    cwd: sources,
    withFileTypes: true,
    exclude: ({ name }) => name === '__pycache__',
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(sources.length).replaceAll('\\', '/'))
    .sort()
  if (paths.length === 0) throw new Error(`The Python client is not in ${sources}.`)
  return paths
}

/** The whole path of one. */
export const pythonSource = (path: string): string => join(sources, path)

/** Copies them into `folder`, which may be missing; returns their paths in it. */
export async function copyPythonSources(folder: string): Promise<string[]> {
  const paths = pythonSources()
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await copyFile(pythonSource(path), join(folder, path))
  }
  return paths
}
