/** Whether a file on this machine holds a credential. */
import { open } from 'node:fs/promises'
import { READ_AT_ONCE } from './read-flags.ts'
import { isDoubtfulName, isSecretName, isSecretText, LOOK_BYTES } from './secret-names.ts'

/** Whether the file holds a credential, by its name or by the first 64 KiB of its content. */
export async function holdsSecret(path: string, file: string): Promise<boolean> {
  if (isSecretName(path)) return true
  return isDoubtfulName(path) && isSecretText(path, await firstText(file))
}

/** A file that cannot be read has no text here: sending it reports that. */
async function firstText(file: string): Promise<string> {
  const handle = await open(file, READ_AT_ONCE).catch(() => null)
  if (handle === null) return ''
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOOK_BYTES), 0, LOOK_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return ''
  } finally {
    await handle.close()
  }
}
