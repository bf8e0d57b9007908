/** Cache of parsed configs, so that repeated views of a page parse nothing. */
import { LRUCache } from 'lru-cache'
import type { Deps } from '../../operation/context.ts'
import { turns } from '../../platform/turns.ts'
import { ObjectStoreError } from '../../store/objects/object-store.ts'
import { readJobObject } from '../../work/job-objects.ts'
import type { ConfigReading } from './config-leaf.ts'
import { type GroupedConfig, groupConfig } from './diff-config.ts'
import { readConfig } from './read-config.ts'

/** Real configs have at most some 100 KB. A config of this size takes about 0.1 s to parse, which blocks the event loop. */
const MAX_CONFIG_CHARACTERS = 1024 * 1024
/** Size of the cache in characters of paths and values, plus `LEAF_SIZE` for the objects of each leaf. */
const KEPT_SIZE = 16 * 1024 * 1024
const LEAF_SIZE = 100

export type StoredConfig = GroupedConfig | { readonly fault: string }

/** Storage keys of runs are never reused, so cached values never expire. */
const kept = new LRUCache<string, StoredConfig, Pick<Deps, 'objects'>>({
  maxSize: KEPT_SIZE,
  sizeCalculation: sizeOf,
  fetchMethod: async (key, _stale, { context: deps, signal }) => {
    const text = await readJobObject(deps, key, signal)
    await turns.next()
    const reading = readBounded(text)
    await turns.next()
    return grouped(reading)
  },
})

/** The config under a storage key; concurrent reads of one key are shared. Rejects only if the store is unavailable. */
export async function storedConfig(deps: Pick<Deps, 'objects'>, key: string): Promise<StoredConfig> {
  try {
    return (await kept.fetch(key, { context: deps })) ?? gone
  } catch (error) {
    if (error instanceof ObjectStoreError && error.code === 'no_such_object') return gone
    throw error
  }
}

/** A report with a new config deletes the old one. */
const gone = { fault: 'The config has just been replaced; try again.' }

function readBounded(text: string): ConfigReading {
  if (text.length <= MAX_CONFIG_CHARACTERS) return readConfig(text)
  return { fault: `The config has more than ${MAX_CONFIG_CHARACTERS} characters, too many to compare.` }
}

const grouped = (reading: ConfigReading): StoredConfig => ('fault' in reading ? reading : groupConfig(reading.leaves))

function sizeOf(config: StoredConfig): number {
  if ('fault' in config) return LEAF_SIZE
  return config.keys.reduce((sum, { leaf }) => sum + leaf.path.length + leaf.text.length + LEAF_SIZE, LEAF_SIZE)
}
