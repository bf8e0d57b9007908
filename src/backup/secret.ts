/** The secret of a deployment, as a backup has it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../platform/config.ts'
import { systemCode } from '../store/objects/disk-write.ts'
import { deriveKey } from '../store/seal.ts'

export const secretPath = (dataDir: string) => join(dataDir, 'secret')

/** The secret of the data folder; null where `HUB_SECRET` is set, or no hub has made one. */
export async function keptSecret({ secret, dataDir }: Pick<Config, 'secret' | 'dataDir'>): Promise<string | null> {
  if (secret !== null) return null
  try {
    return (await readFile(secretPath(dataDir), 'utf8')).trim()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}

/** Tells two secrets apart and says nothing about either. */
export function fingerprintOf(secret: string): string {
  return Buffer.from(deriveKey(secret, 'fingerprint')).toString('hex').slice(0, 16)
}
