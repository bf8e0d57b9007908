import { describe, expect, it } from 'vitest'
import {
  assertActsFor,
  assertLevel,
  assertMayCreateRepo,
  assertMayWriteRepo,
  assertMember,
  assertNotAgent,
  assertOrgOwner,
  assertSession,
  canSee,
  type RepoTarget,
  repoViewer,
  repoVisibleSql,
  requireCredential,
  visibleRepos,
} from '../../src/auth/policy.ts'
import type { Credentialed, Viewer } from '../../src/operation/context.ts'
import { HubError } from '../../src/platform/errors.ts'
import { column, columns } from '../../src/store/columns.ts'
import { param, statement } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'

const database = testDb()

const ada = { id: 'user_ada', kind: 'user', handle: 'ada', name: null } as const
const acme = { id: 'org_acme', kind: 'org', handle: 'acme', name: null } as const
const bob = { id: 'user_bob', kind: 'user', handle: 'bob', name: null } as const

const nobody: Viewer = { kind: 'anonymous' }
const session: Credentialed = {
  kind: 'session',
  credentialId: 'sess_1',
  account: ada,
  personId: ada.id,
  accountIds: [ada.id, acme.id],
  ownedOrgIds: [],
  level: 'train',
  repoIds: null,
  agent: false,
  name: null,
  dailyGpuHourQuota: null,
  expiresAt: null,
}
const owner: Credentialed = { ...session, ownedOrgIds: [acme.id] }
const key = (change: Partial<Credentialed> = {}): Credentialed => ({
  ...session,
  kind: 'key',
  credentialId: 'key_1',
  level: 'write',
  ...change,
})
const read = key({ level: 'read' })
const write = key()
const train = key({ level: 'train' })
const ofOwner = key({ level: 'train', ownedOrgIds: [acme.id] })
const ofOrg = key({ account: acme, accountIds: [acme.id] })
const limited = key({ level: 'train', repoIds: ['repo_secret'] })
const agent = key({ level: 'train', agent: true })
const stranger = key({ account: bob, personId: bob.id, accountIds: [bob.id], level: 'train' })

const secret: RepoTarget = { id: 'repo_secret', ownerId: ada.id, visibility: 'private' }
const other: RepoTarget = { id: 'repo_other', ownerId: ada.id, visibility: 'private' }
const open: RepoTarget = { id: 'repo_open', ownerId: ada.id, visibility: 'public' }
const ofAcme: RepoTarget = { id: 'repo_acme', ownerId: acme.id, visibility: 'private' }

/** 200 if it is allowed, else the status of the error. */
function outcome(ask: () => unknown): number {
  try {
    return ask() === false ? 404 : 200
  } catch (error) {
    if (error instanceof HubError) return error.status
    throw error
  }
}

const sees = (viewer: Viewer, repo: RepoTarget) => () => canSee(repo, viewer)
const writes = (viewer: Viewer, repo: RepoTarget) => () => assertMayWriteRepo(viewer, repo)
const creates = (viewer: Viewer, account: typeof ada | typeof acme | null) => () =>
  assertMayCreateRepo(viewer, account, 'x')
const trains = (viewer: Viewer, account: typeof ada | typeof acme | null) => () =>
  assertActsFor(viewer, account, 'x', 'train')

/** A row for each sentence of the contract: the sentence, then what follows from it. */
const table: readonly (readonly [
  sentence: string,
  ...cases: (readonly [what: string, ask: () => unknown, status: number])[],
])[] = [
  [
    'No credential is fine only where the scope is `none`',
    ['nobody sees what is public', sees(nobody, open), 200],
    ['nobody sees nothing private', sees(nobody, secret), 404],
    ['nobody has no credential', () => requireCredential(nobody), 401],
    ['nobody reads by key:read', () => assertLevel(nobody, 'read'), 401],
    ['nobody writes what is public', writes(nobody, open), 401],
    ['nobody writes what is private', writes(nobody, secret), 404],
    ['nobody creates', creates(nobody, ada), 401],
    ['nobody creates for an unknown owner', creates(nobody, null), 401],
    ['nobody has a session', () => assertSession(nobody), 401],
    ['nobody is a member', () => assertMember(nobody, acme), 401],
    ['nobody owns an org', () => assertOrgOwner(nobody, acme), 401],
  ],
  [
    'A scope is a level: read < write < train, each includes those before it',
    ['read reads', () => assertLevel(read, 'read'), 200],
    ['read writes', () => assertLevel(read, 'write'), 403],
    ['read trains', () => assertLevel(read, 'train'), 403],
    ['write reads', () => assertLevel(write, 'read'), 200],
    ['write writes', () => assertLevel(write, 'write'), 200],
    ['write trains', () => assertLevel(write, 'train'), 403],
    ['train reads', () => assertLevel(train, 'read'), 200],
    ['train writes', () => assertLevel(train, 'write'), 200],
    ['train trains', () => assertLevel(train, 'train'), 200],
  ],
  [
    'A session includes all three and is alone in having `session`',
    ['a session trains', () => assertLevel(session, 'train'), 200],
    ['a session is one', () => assertSession(session), 200],
    ['a key of level train is none', () => assertSession(train), 403],
    ["an owner's key is none", () => assertOrgOwner(ofOwner, acme), 403],
  ],
  [
    "A user's key reaches that person's orgs",
    ["it sees the org's repos", sees(write, ofAcme), 200],
    ["it writes the org's repos", writes(write, ofAcme), 200],
    ['it creates for the org', creates(write, acme), 200],
    ['a key of level read does not write them', writes(read, ofAcme), 403],
  ],
  [
    "An org's key reaches the org alone",
    ["it writes the org's repos", writes(ofOrg, ofAcme), 200],
    ["it sees nothing of its maker's", sees(ofOrg, secret), 404],
    ['it does not create for its maker', creates(ofOrg, ada), 403],
  ],
  [
    'A key limited to repos sees public things and its listed repos',
    ['what is public', sees(limited, open), 200],
    ['what is listed', sees(limited, secret), 200],
    ['what is neither', sees(limited, other), 404],
    ['it writes what is listed', writes(limited, secret), 200],
    ['it creates none', creates(limited, ada), 403],
  ],
  [
    'Missing scope, or a key limited to other repos: 403 where the thing is visible, 404 where it is not',
    ['level too low, visible', writes(read, secret), 403],
    ['level too low, not visible', writes({ ...read, accountIds: [bob.id] }, secret), 404],
    ['limited to others, visible', writes(limited, open), 403],
    ['limited to others, not visible', writes(limited, other), 404],
    ["a stranger's public repo", writes(stranger, open), 403],
    ["a stranger's private repo", writes(stranger, secret), 404],
  ],
  [
    'Repo create: an owner the caller is not a member of 403, an unknown one 404',
    ['no member', creates(stranger, acme), 403],
    ['unknown', creates(write, null), 404],
    ['level too low', creates(read, ada), 403],
    ['oneself', creates(write, ada), 200],
    ['runs need key:train', trains(write, acme), 403],
    ['runs with key:train', trains(train, acme), 200],
  ],
  [
    'An agent key may not delete a repo or make one public',
    ['it deletes', () => assertNotAgent(agent, 'delete a repo'), 403],
    ['it publishes', () => assertNotAgent(agent, 'make a repo public'), 403],
    ['it writes', writes(agent, secret), 200],
    ['another key deletes', () => assertNotAgent(train, 'delete a repo'), 200],
  ],
  [
    "Both roles may write the org's repos; only `owner` changes members and the spend cap",
    ['a member writes', writes(session, ofAcme), 200],
    ['a member is one', () => assertMember(session, acme), 200],
    ['a member changes members', () => assertOrgOwner(session, acme), 403],
    ['an owner changes members', () => assertOrgOwner(owner, acme), 200],
    ['a user owns their own account', () => assertOrgOwner(session, ada), 200],
    ["and nobody else's", () => assertOrgOwner(owner, bob), 403],
    ['a stranger is not a member', () => assertMember(stranger, acme), 403],
  ],
]

describe('the policy, sentence by sentence', () => {
  for (const [sentence, ...cases] of table) {
    it(sentence, () => {
      expect(cases.map(([what, ask]) => [what, outcome(ask)])).toEqual(cases.map(([what, , status]) => [what, status]))
    })
  }

  it('names the scheme in WWW-Authenticate, and only with a 401', () => {
    const refusal = (ask: () => unknown) => {
      try {
        ask()
      } catch (error) {
        if (error instanceof HubError) return error.headers
      }
      return null
    }
    expect(refusal(() => requireCredential(nobody))).toEqual({ 'WWW-Authenticate': 'Bearer' })
    expect(refusal(() => assertLevel(read, 'write'))).toEqual({})
  })

  it('decides the same in SQL as in code, for every viewer and repo', async () => {
    const repos = [secret, other, open, ofAcme]
    const id = columns({ id: column.text('r.id') })
    const visible = statement({
      name: '',
      columns: id,
      params: { ...repoViewer, rows: param.json() },
      text: `select ${id.sql} from json_to_recordset(:rows::json) as r(id text, owner_id text, visibility text) where ${repoVisibleSql('r')} order by r.id`,
    })
    const rows = JSON.stringify(
      repos.map((repo) => ({ id: repo.id, owner_id: repo.ownerId, visibility: repo.visibility })),
    )
    for (const viewer of [nobody, session, owner, read, write, ofOrg, limited, agent, stranger]) {
      const found = await database.db.query(visible, { ...visibleRepos(viewer), rows })
      const seen = repos
        .filter((repo) => canSee(repo, viewer))
        .map((repo) => repo.id)
        .sort()
      expect(found.map((row) => row.id)).toEqual(seen)
    }
  })
})
