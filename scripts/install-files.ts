/**
 * What `/install` serves: the Python client and the command line of this version, each as the one file that pip and npm
 * install.
 */
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { create } from 'tar'
import { installNames } from '../src/http/install-names.ts'
import { buildOnce } from './built-once.ts'
import { writeWheel } from './install/wheel.ts'
import { bundleCommand } from './pack/bundle-command.ts'
import { commandManifest } from './pack/command-manifest.ts'
import { manifestIn } from './pack/packages.ts'
import { copyPythonSources } from './pack/python-sources.ts'

const command = fileURLToPath(new URL('../packages/cli/', import.meta.url))

const inputs = [
  'clients/python/{README.md,pyproject.toml,src/hub/**/*.py,src/hub/**/METADATA}',
  'packages/*/{package.json,README.md,src/**/*.ts}',
  'package.json',
  'package-lock.json',
  'src/http/install-names.ts',
  'scripts/{install-files,built-once,scene-page}.ts',
  'scripts/{install,pack}/*.ts',
]

/** Builds into `folder`, in about 1 s. A file is there whole or not at all. */
export async function buildInstallFiles(folder: string): Promise<void> {
  await buildOnce(folder, inputs, async () => {
    await mkdir(folder, { recursive: true })
    const making = await mkdtemp(join(folder, '.making-'))
    try {
      await writeWheel(join(making, installNames.wheel))
      await writeCommand(making, join(making, installNames.command))
      for (const name of Object.values(installNames)) await rename(join(making, name), join(folder, name))
    } finally {
      await rm(making, { recursive: true, force: true })
    }
  })
}

/** What `npm pack` makes of `packages/cli`, without the package.json of the tree being another one meanwhile. */
async function writeCommand(making: string, file: string): Promise<void> {
  const folder = join(making, 'package')
  const program = join(folder, 'dist/hub.mjs')
  await bundleCommand(program)
  await chmod(program, 0o755)
  await copyFile(`${command}README.md`, join(folder, 'README.md'))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(commandManifest(manifestIn(command)), null, 2)}\n`)
  const python = await copyPythonSources(join(folder, 'dist/python'))
  const files = ['package.json', 'README.md', 'dist/hub.mjs', ...python.map((path) => `dist/python/${path}`)]
  const names = files.map((name) => `package/${name}`)
  // Without owners and times: the same bytes from the same sources.
  await create({ gzip: true, portable: true, noMtime: true, file, cwd: making }, names)
}
