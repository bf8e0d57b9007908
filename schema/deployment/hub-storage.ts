/** Room of the hub and of its accounts. Contract, "The operator". */
import {
  type AccountStorage,
  type HubStorage,
  listAccountStorage,
  readHubStorage,
} from '../../src/deployment/hub-storage.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { args, query } from '../root-field.ts'
import { wordEnum } from '../word-enum.ts'

const StoreKind = wordEnum('StoreKind', 'Where the hub keeps objects.', {
  none: 'Nowhere: requests for files get 503.',
  disk: 'In a folder of its machine.',
  s3: 'In a bucket of S3 or a compatible server.',
})

const HubStorageType = builder.objectRef<HubStorage>('HubStorage').implement({
  description: 'Room of the hub.',
  fields: (t) => ({
    store: t.expose('store', { type: StoreKind, description: 'Where objects are (`OBJECT_STORE`).' }),
    freeBytes: t.expose('freeBytes', {
      type: 'SafeInt',
      nullable: true,
      description: 'Free on the disk of the store; null for another store.',
    }),
    diskBytes: t.expose('diskBytes', {
      type: 'SafeInt',
      nullable: true,
      description: 'Size of the disk of the store; null for another store.',
    }),
    databaseBytes: t.expose('databaseBytes', { type: 'SafeInt', description: 'Size of the database.' }),
    doomedObjects: t.exposeInt('doomedObjects', {
      description: 'Files that no repo uses any more and that wait for deletion; counted up to 10,000.',
    }),
    doomedBytes: t.expose('doomedBytes', { type: 'SafeInt', description: 'Bytes of the counted ones.' }),
    quotaBytes: t.expose('quotaBytes', {
      type: 'SafeInt',
      description: 'The storage quota of each account (`STORAGE_QUOTA_BYTES`).',
    }),
  }),
})

query('hubStorage', {
  type: HubStorageType,
  description: 'Room of the hub: disk, database, and what waits for deletion. For the operator alone.',
  scope: 'session',
  read: readHubStorage,
})

const AccountStorageType = builder.objectRef<AccountStorage>('AccountStorage').implement({
  description: 'What an account stores.',
  fields: (t) => ({
    account: t.field({ type: Account, description: 'The account.', resolve: (row) => row }),
    usedBytes: t.expose('usedBytes', { type: 'SafeInt', description: 'Bytes of all its files and runs.' }),
    reservedBytes: t.expose('reservedBytes', { type: 'SafeInt', description: 'Bytes reserved by pending uploads.' }),
  }),
})

const AccountStorageConnection = builder.connectionObject(
  {
    type: AccountStorageType,
    name: 'AccountStorageConnection',
    description: 'A page of what accounts store.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [AccountStorageType],
        description: 'The accounts.',
        resolve: nodesOf<AccountStorage>,
      }),
    }),
  },
  { name: 'AccountStorageEdge', description: 'What an account stores, and its cursor.' },
)

query('accountStorage', {
  type: AccountStorageConnection,
  description: 'Accounts that store something, largest first. For the operator alone.',
  scope: 'session',
  args: args((t) => pageArgs(t)),
  read: async (ctx, page) => {
    const { first, after } = forwardArgs(page, MAX_PAGE_SIZE)
    return new Connection(await listAccountStorage(ctx, { limit: first, after }), after !== null)
  },
})
