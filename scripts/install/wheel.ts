/**
 * The wheel of the Python client without Python, which the machine that builds an image may not have. It has the files
 * of the one that `clients/python/packaging/hub_wheel.py` builds; a test compares them.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { makeZip } from 'client-zip'
import { pythonSource, pythonSources } from '../pack/python-sources.ts'

const client = fileURLToPath(new URL('../../clients/python/', import.meta.url))
const WHEEL = 'Wheel-Version: 1.0\nGenerator: hub_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n'
/** In the zone of the machine, as the time of a zip file is: the same bytes everywhere. */
const ALWAYS = new Date(1980, 0, 1)

/** Writes the wheel to a file. */
export async function writeWheel(file: string): Promise<void> {
  const project = projectOf(readFileSync(`${client}pyproject.toml`, 'utf8'))
  const about = `hub_client-${project.version}.dist-info`
  const files = new Map<string, Buffer>(pythonSources().map((path) => [path, readFileSync(pythonSource(path))]))
  files.set(`${about}/METADATA`, Buffer.from(metadataOf(project)))
  files.set(`${about}/WHEEL`, Buffer.from(WHEEL))
  const lines = [...files].sort(byName).map(([name, bytes]) => `${name},sha256=${digest(bytes)},${bytes.byteLength}\n`)
  files.set(`${about}/RECORD`, Buffer.from(`${lines.join('')}${about}/RECORD,,\n`))
  const entries = [...files].sort(byName).map(([name, input]) => ({ name, input, lastModified: ALWAYS }))
  await writeFile(file, makeZip(entries))
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) => (one < other ? -1 : 1)
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url')

interface Project {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly readme: string
  readonly 'requires-python': string
  readonly classifiers: readonly string[]
}

/** The table `project`, whose values are JSON too. */
function projectOf(toml: string): Project {
  const [, table = ''] = /\n\[project\]\n([\s\S]*?)\n\[/.exec(toml) ?? []
  const lines = table.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(' = ')
      return [name, JSON.parse(value.join(' = '))]
    }),
  ) as unknown as Project
}

function metadataOf(project: Project): string {
  const head = [
    'Metadata-Version: 2.1',
    `Name: ${project.name}`,
    `Version: ${project.version}`,
    `Summary: ${project.description}`,
    `Requires-Python: ${project['requires-python']}`,
    ...project.classifiers.map((each) => `Classifier: ${each}`),
    'Description-Content-Type: text/markdown',
  ]
  return `${head.join('\n')}\n\n${readFileSync(`${client}${project.readme}`, 'utf8')}`
}
