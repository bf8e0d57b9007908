/** The name of a data folder in `hosted_calls`: only hubs on that folder know the processes of its calls. */
import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makePrivateFolder } from '../../store/private-folder.ts'

/** Made at the first use; of hubs that start together one makes it and all read it. */
export async function placeId(dataDir: string): Promise<string> {
  const path = join(dataDir, 'hosted-place')
  const read = () => readFile(path, 'utf8').then((text) => text.trim())
  return read().catch(async () => {
    const draft = `${path}.${randomUUID()}`
    await makePrivateFolder(dataDir)
    await writeFile(draft, `place_${randomUUID()}\n`, { mode: 0o600, flush: true })
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await rm(draft, { force: true })
    return read()
  })
}
