/** Whether npm installed what `package-lock.json` says, which it did not after `git pull`. Runs on the system Node. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const INSTALLED = 'node_modules/.package-lock.json'
const LOCK = 'package-lock.json'

/** One line if it did not. Packages that one may leave out (`--omit`) are not missed. */
export function otherPackages(root) {
  try {
    if (statSync(join(root, LOCK)).mtimeMs <= statSync(join(root, INSTALLED)).mtimeMs) return null
    const [told, installed] = [LOCK, INSTALLED].map(
      (file) => JSON.parse(readFileSync(join(root, file), 'utf8')).packages,
    )
    const others = Object.keys({ ...told, ...installed }).filter((path) => isOther(path, told[path], installed[path]))
    return others.length === 0 ? null : lineOf(others, told, installed)
  } catch {
    // npm writes the one, the repository has the other.
    return null
  }
}

function isOther(path, told, installed) {
  if (!path.startsWith('node_modules/') || told?.link || installed?.link) return false
  if (installed === undefined) return !(told.dev || told.optional || told.devOptional || told.peer)
  return told !== undefined && told.version !== installed.version
}

function lineOf(others, told, installed) {
  const [first] = others
  const name = first.slice(first.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const fault = installed[first]
    ? `${name} ${installed[first].version} in place of ${told[first].version}`
    : `${name} is missing`
  const more = others.length === 1 ? '' : `, and ${others.length - 1} more`
  return `The installed packages are of another version of the hub (${fault}${more}): run \`npm ci\`.\n`
}
