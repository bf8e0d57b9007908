/** Which object store a deployment has. */
import type { Config } from '../../platform/config.ts'
import { openDiskStore } from './disk.ts'
import type { ObjectStore } from './object-store.ts'
import { watchedStore } from './watched-store.ts'

/**
 * The object store that the settings name, or null with OBJECT_STORE=none. The two options are the disk store's, whose
 * URLs the hub serves itself.
 */
export async function openObjectStore(
  config: Pick<Config, 'objectStore'>,
  options: { signingKey: Uint8Array; baseUrl: () => string },
): Promise<ObjectStore | null> {
  const { objectStore } = config
  switch (objectStore.kind) {
    case 'none':
      return null
    case 's3': {
      // Amazon's client is a tenth of what a start imports.
      const { openS3Store } = await import('./s3.ts')
      return watchedStore(openS3Store(objectStore.s3))
    }
    case 'disk':
      return watchedStore(await openDiskStore({ dir: objectStore.dir, ...options }))
  }
}

/** Whether the store's signed URLs are to be served by this hub (`objectRoutes`). */
export { isDiskStore } from './disk.ts'
