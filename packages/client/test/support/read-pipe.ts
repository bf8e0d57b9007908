/** A process for a test to kill, since a read that hangs stops it: reads the pipe of its first argument as a file. */
import { md5OfRange, sha256Of } from '../../src/hash.ts'
import { holdsSecret } from '../../src/holds-secret.ts'
import { silent } from '../../src/progress.ts'
import { assertNoSecrets } from '../../src/secrets/look-for-secrets.ts'
import { sendPart } from '../../src/send-part.ts'
import { smallFiles } from '../../src/small-files.ts'

const [file = ''] = process.argv.slice(2)
const { signal } = new AbortController()
const small = smallFiles()
const digest = (isNear: boolean) =>
  small.digest(
    { file, size: 5, isNear },
    () => undefined,
    () => true,
  )
const local = { path: 'notes.txt', file, size: 5, mtimeNs: 0n, ctimeNs: 0n, ino: 0n, isNear: true }
const looking = { isMeant: () => false, isBinary: () => false, held: () => undefined, progress: silent, signal }
const reads = {
  here: () => digest(true),
  elsewhere: () => digest(false),
  large: () => sha256Of(file, signal),
  range: () => md5OfRange(file, 0, 5, signal),
  part: () => sendPart({ url: 'http://127.0.0.1:9/', part: { file, start: 0, end: 5 }, progress: silent, signal }),
  secret: () => holdsSecret('arm.key', file),
  secrets: () => assertNoSecrets([local], [], looking),
}
for (const [name, read] of Object.entries(reads))
  try {
    process.stdout.write(`${name} ${await read()}\n`)
  } catch (error) {
    process.stdout.write(`${name} ${error instanceof Error ? error.name : error}\n`)
  }
