/** Files that are there whole or not at all. */
import { open, rename } from 'node:fs/promises'

/** Puts the file in place of the one of its name, on disk when it returns. */
export async function replaceFile(file: string, content: Uint8Array | string): Promise<void> {
  const fresh = `${file}.new`
  const handle = await open(fresh, 'w', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(fresh, file)
}
