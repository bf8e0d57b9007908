/** What every object store must do, as one suite. Whatever a store adds to this is tested next to it. */
import { describe, it } from 'vitest'
import { objectsContract } from './contract-objects.ts'
import { uploadsContract } from './contract-uploads.ts'
import { urlsContract } from './contract-urls.ts'
import { openedStore, type Subject } from './opened-store.ts'

export function objectStoreContract(name: string, open: () => Promise<Subject>): void {
  describe(name, () => {
    const at = openedStore(open)

    it('responds to a ping', async () => {
      await at.store.ping()
    })

    uploadsContract(at)
    objectsContract(at)
    urlsContract(at)
  })
}
