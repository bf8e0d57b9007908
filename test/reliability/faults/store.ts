/** Faults of the disk that has the objects. */
import { existsSync, renameSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import {
  emptyStore,
  fillStore,
  makeReadOnly,
  makeWritable,
  mountNeed,
  mountStore,
  storeOf,
  unmountStore,
} from '../lab/store-mount.ts'
import { type Fault, OF_DATABASE_MS } from './fault.ts'

/** Room for what a load of some minutes writes. */
const STORE_MIB = 512

const ownDisk = {
  prepare: (dataDir: string) => {
    mountStore(dataDir, STORE_MIB)
    return {}
  },
  cleanUp: unmountStore,
}

export const storeFaults: readonly Fault[] = [
  {
    name: 'store-read-only',
    title: 'the store read-only',
    longestMs: OF_DATABASE_MS,
    needs: mountNeed,
    lab: ownDisk,
    async strike({ dataDir }, ms, healed) {
      await makeReadOnly(dataDir)
      await delay(ms)
      healed()
      makeWritable(dataDir)
    },
  },
  {
    name: 'store-full',
    title: 'the store full to the last byte',
    longestMs: OF_DATABASE_MS,
    needs: mountNeed,
    lab: ownDisk,
    async strike({ dataDir }, ms, healed) {
      fillStore(dataDir)
      await delay(ms)
      healed()
      emptyStore(dataDir)
    },
  },
  {
    name: 'store-gone',
    title: 'the folder of the store gone and back',
    longestMs: OF_DATABASE_MS,
    async strike({ dataDir }, ms, healed) {
      const away = `${storeOf(dataDir)}.away`
      renameSync(storeOf(dataDir), away)
      await delay(ms)
      healed()
      // What a hub has made in its place meanwhile is not what it was.
      if (existsSync(storeOf(dataDir))) renameSync(storeOf(dataDir), `${storeOf(dataDir)}.meanwhile`)
      renameSync(away, storeOf(dataDir))
    },
  },
]
