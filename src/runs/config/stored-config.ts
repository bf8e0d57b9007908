/** Cache of parsed configs, so that repeated views of a page parse nothing. */
import { LRUCache } from 'lru-cache'
import type { Deps } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { turns } from '../../platform/turns.ts'
import { column, columns } from '../../store/columns.ts'
import { lostObject } from '../../store/objects/lost-object.ts'
import { param, statement } from '../../store/statement.ts'
import { readJobObject } from '../../work/job-objects.ts'
import type { ConfigReading } from './config-leaf.ts'
import { type GroupedConfig, groupConfig } from './diff-config.ts'
import { readConfig } from './read-config.ts'

/**
 * Real configs have at most some 100 KB. A config of this size takes about 0.1 s to parse, which blocks the event loop.
 */
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
    const text = await readJobObject(deps, key, 'The config', signal)
    await turns.next()
    const reading = readBounded(text)
    await turns.next()
    return grouped(reading)
  },
})

const keyColumn = columns({ key: column.text.orNull('u.config_key') })

const keyOfRun = statement({
  name: 'run-config-key',
  exact: 'lost-object',
  columns: keyColumn,
  params: { runId: param.text() },
  text: `select ${keyColumn.sql} from runs u where u.id = :runId`,
})

/**
 * The config of a run under its storage key; concurrent reads of one key are shared. 503 if the store is unavailable,
 * 502 if it has lost the config.
 */
export async function storedConfig(
  deps: Pick<Deps, 'db' | 'objects'>,
  runId: string,
  key: string,
): Promise<StoredConfig> {
  try {
    return (await kept.fetch(key, { context: deps })) ?? replaced
  } catch (error) {
    if (!isLost(error)) throw error
    const [now] = await deps.db.query(keyOfRun, { runId })
    if (now?.key === key) throw lostObject(`The config of ${runId}`, error, key)
    return replaced
  }
}

const isLost = (error: unknown) => error instanceof HubError && error.type === 'store.lost'

/** A report with a new config deletes the old one. */
const replaced = { fault: 'The config has just been replaced; try again.' }

/** The same of a parent, which is only compared with: that it is lost is no error. */
export async function configOfParent(
  deps: Pick<Deps, 'db' | 'objects'>,
  runId: string,
  key: string,
): Promise<StoredConfig> {
  return storedConfig(deps, runId, key).catch((error: unknown) => {
    if (isLost(error)) return { fault: 'The object store has lost its config.' }
    throw error
  })
}

function readBounded(text: string): ConfigReading {
  if (text.length <= MAX_CONFIG_CHARACTERS) return readConfig(text)
  return { fault: `The config has more than ${MAX_CONFIG_CHARACTERS} characters, too many to compare.` }
}

const grouped = (reading: ConfigReading): StoredConfig => ('fault' in reading ? reading : groupConfig(reading.leaves))

function sizeOf(config: StoredConfig): number {
  if ('fault' in config) return LEAF_SIZE
  return config.keys.reduce((sum, { leaf }) => sum + leaf.path.length + leaf.text.length + LEAF_SIZE, LEAF_SIZE)
}
